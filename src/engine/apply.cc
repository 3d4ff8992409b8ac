#include "engine/apply.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/key.h"
#include "core/limits.h"
#include "store/limits.h"

namespace tyer::engine {
namespace {

// The lease of `key` if `token` is still its token, else `fenced` (law 2).
Result<core::Lease> hold(const store::Txn& txn, const std::string& key, std::uint64_t token) {
  TYER_TRY(auto lease, txn.lease(key));
  if (lease && lease->token == token) return *std::move(lease);
  if (!lease) {
    return fail(
        Fault::fenced,
        fmt::format("{}: the lease with token {} has ended and nobody holds it", key, token));
  }
  return fail(Fault::fenced,
              fmt::format("{}: the lease with token {} was lost; run {} holds it with token {}",
                          key, token, lease->holder.run, lease->token));
}

// Limits are kept in milliseconds, where other tools read them.
Result<> check_limits(const core::Grant& grant) {
  const auto good = [](Span span) {
    return span >= 1ms && span <= limits::hold_most && span % 1ms == Span::zero();
  };
  if (good(grant.silence_max) && good(grant.hold_max)) return {};
  return fail(
      Fault::invalid,
      fmt::format(
          "{}: limits of {} silence and {} hold are not between 1 ms and {} in whole milliseconds",
          grant.key, format_span(grant.silence_max), format_span(grant.hold_max),
          describe_span(limits::hold_most)));
}

// Every store must be able to keep a lease, which says a little more than its event.
constexpr std::size_t grant_body_bytes_max = limits::lock_file_bytes_max / 2;

// What a store would refuse at the commit would take its neighbours along.
Result<> check_size(const core::Event& event,
                    std::size_t bytes_max = limits::event_body_bytes_max) {
  if (event.body.size() <= bytes_max) return {};
  return fail(Fault::limit, fmt::format("{}: the body of {} has {} bytes, the limit is {}",
                                        event.key, event.type, event.body.size(), bytes_max));
}

class Application {
 public:
  Application(store::Txn& txn, const core::Catalog& catalog, const Origin& origin)
      : txn_(txn), catalog_(catalog), origin_(origin) {}

  Result<> run(core::Change& change) {
    for (const core::Under& under : change.under) TYER_TRY_OK(hold(txn_, under.key, under.token));
    for (const core::Renewal& renewal : change.renewals) TYER_TRY_OK(renew(renewal));
    for (const core::Ending& ending : change.endings) TYER_TRY_OK(end(ending));
    for (const core::Grant& grant : change.grants) TYER_TRY_OK(give(grant));
    for (core::Draft& draft : change.events) TYER_TRY_OK(write(draft));
    return {};
  }

  Applied applied;

 private:
  Result<> renew(const core::Renewal& renewal) {
    TYER_TRY(core::Lease lease, hold(txn_, renewal.key, renewal.token));
    lease.heard_at = txn_.now();
    lease.heard_mono = renewal.mono;
    lease.granted_at = std::min(lease.granted_at, txn_.now());  // It may be from the future.
    txn_.put(std::move(lease));
    return {};
  }

  Result<> end(const core::Ending& ending) {
    TYER_TRY(const core::Lease lease, hold(txn_, ending.key, ending.token));
    txn_.drop_lease(ending.key);
    Json body{{"token", ending.token}, {"run", lease.holder.run}};
    if (!ending.verdict.empty()) body["verdict"] = ending.verdict;
    if (!ending.why.empty()) body["why"] = ending.why;
    if (!lease.asker.who.empty()) body["holder"] = lease.asker.who;
    core::Event event{.key = ending.key,
                      .type = std::string(core::event_type(ending.how)),
                      .body = dump_json(body)};
    TYER_TRY_OK(check_size(event));
    append(std::move(event));
    return {};
  }

  Result<> give(const core::Grant& grant) {
    TYER_TRY_OK(core::check_key(grant.key));
    TYER_TRY_OK(check_limits(grant));
    TYER_TRY(const auto present, txn_.lease(grant.key));
    if (present) {
      return fail(Fault::conflict, fmt::format("{}: run {} holds it with token {}", grant.key,
                                               present->holder.run, present->token));
    }
    const core::Holder& holder = grant.holder;
    core::Event event{
        .key = grant.key,
        .type = "lease.granted",
        .body = fmt::format(
            R"({{"command":{},"hold_ms":{},"host":{},"owner":{},"pid":{},"run":{}}})",
            json_string(grant.command), grant.hold_max / 1ms, json_string(holder.place.host),
            json_string(grant.owner), holder.pid, json_string(holder.run))};
    TYER_TRY_OK(check_size(event, grant_body_bytes_max));
    core::Lease lease;
    lease.token = append(std::move(event));
    lease.key = grant.key;
    lease.holder = holder;
    lease.granted_at = lease.heard_at = txn_.now();
    lease.granted_mono = lease.heard_mono = grant.mono;
    lease.silence_max = grant.silence_max;
    lease.hold_max = grant.hold_max;
    lease.command = grant.command;
    lease.owner = grant.owner;
    lease.asker = grant.asker;
    applied.grants.push_back(lease);
    txn_.put(std::move(lease));
    return {};
  }

  Result<> write(core::Draft& draft) {
    TYER_TRY_OK(core::check_key(draft.key));
    core::Event event{.key = draft.key, .type = draft.type, .body = std::move(draft.body)};
    TYER_TRY_OK(check_size(event));
    const core::Kind* kind = catalog_.kind(core::kind_of(draft.key));
    // A timer can be taken off also where only a newer program knows the kind.
    const core::Kind unknown{};
    if (kind == nullptr && draft.type == core::timer_failed) kind = &unknown;
    if (kind == nullptr) {
      return fail(Fault::invalid,
                  fmt::format("{}: there is no kind '{}'", draft.key, core::kind_of(draft.key)));
    }
    TYER_TRY(auto before, txn_.subject(draft.key));
    const std::uint64_t rev = before ? before->rev : 0;
    if (draft.expected_rev && *draft.expected_rev != rev) {
      return fail(Fault::conflict,
                  fmt::format("{}: it is at revision {}, not {}; look again and decide anew",
                              draft.key, rev, *draft.expected_rev));
    }
    const std::string said = before ? core::text_of(*kind, *before) : "";
    TYER_TRY(core::Subject after,
             core::apply_event(*kind, std::move(before).value_or(core::Subject{}), event));
    if (std::string says = core::text_of(*kind, after); says != said) {
      txn_.put_text(after.key, std::move(says));
    }
    txn_.put(std::move(after));
    append(std::move(event));
    return {};
  }

  std::uint64_t append(core::Event event) {
    event.actor = origin_.actor;
    event.cause = origin_.cause;
    return applied.seq = txn_.append(std::move(event));
  }

  store::Txn& txn_;
  const core::Catalog& catalog_;
  const Origin& origin_;
};

Result<> check_shape(const core::Change& change, const Origin& origin) {
  const std::size_t items = change.under.size() + change.renewals.size() + change.endings.size() +
                            change.grants.size() + change.events.size();
  if (items > limits::change_items_max) {
    return fail(Fault::limit, fmt::format("a change of {} items is over the limit of {}", items,
                                          limits::change_items_max));
  }
  if (origin.actor.empty() || origin.actor.size() > limits::actor_bytes_max ||
      !is_utf8(origin.actor)) {
    return fail(Fault::invalid, "a change needs an actor of 1 to 200 bytes of UTF-8");
  }
  return {};
}

}  // namespace

Result<Applied> apply(store::Txn& txn, const core::Catalog& catalog, core::Change change,
                      const Origin& origin) {
  TYER_TRY_OK(check_shape(change, origin));
  Application application(txn, catalog, origin);
  TYER_TRY_OK(txn.attempt([&] { return application.run(change); }));
  return std::move(application.applied);
}

}  // namespace tyer::engine
