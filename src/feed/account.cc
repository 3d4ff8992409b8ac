#include "feed/account.h"

#include "base/json_text.h"
#include "feed/agents.h"
#include "feed/kinds.h"
#include "feed/limits.h"

namespace tyer::feed {
namespace {

core::Draft first_password(const std::string& hash, Time now) {
  return {account_key, "account.created",
          json_object({{"name", "admin"}, {"password", hash}, {"created_at", format_time(now)}})};
}

}  // namespace

Result<core::Change> decide_first_password(const core::View& view, const std::string& hash,
                                           Time now) {
  TYER_TRY(const auto account, view.subject(account_key));
  if (account) return fail(Fault::conflict, "the password is set already; log in");
  return core::Change{.events = {first_password(hash, now)}};
}

Result<core::Change> decide_password(const core::View& view, const std::string& hash, Time now) {
  TYER_TRY(const auto account, view.subject(account_key));
  TYER_TRY(core::Change change, decide_end_logins(view));
  change.events.insert(
      change.events.begin(),
      account ? core::Draft{account_key, "account.updated",
                            json_object({{"password", hash}, {"updated_at", format_time(now)}})}
              : first_password(hash, now));
  return change;
}

Result<core::Change> decide_end_logins(const core::View& view) {
  TYER_TRY(const auto logins,
           list_all(view, {.parent = account_key, .kind = "credential", .status = "active"},
                    limits::logins_ended_at_once));
  core::Change change;
  for (const core::Subject& login : logins) {
    change.events.push_back(make_revocation(login, "the password was changed"));
  }
  return change;
}

}  // namespace tyer::feed
