// The admin, who owns the hub: the account with its password, and what lets the admin in (H1).
//
// Passwords and secrets are made and hashed above; here only hashes are known, and they are stored
// hidden.

#pragma once

#include <string>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"

namespace tyer::feed {

inline constexpr const char* account_key = "account/admin";

[[nodiscard]] inline Actor admin() {
  return {.id = "admin", .name = "admin"};
}

// The password of the first visit. `conflict` if there is one already.
[[nodiscard]] Result<core::Change> decide_first_password(const core::View& view,
                                                         const std::string& hash, Time now);

// A password, the first or another. All logins end with it, and links that nobody has used; so many
// at a time: then decide_end_logins has more.
[[nodiscard]] Result<core::Change> decide_password(const core::View& view, const std::string& hash,
                                                   Time now);

// Nothing to change: none is left.
[[nodiscard]] Result<core::Change> decide_end_logins(const core::View& view);

}  // namespace tyer::feed
