#include "api/lease_access.h"

#include "api/attempts.h"
#include "api/sessions.h"
#include "core/key.h"

namespace tyer::api {
namespace {

// The token of a run is as good as the key of its agent.
std::string name_of(const Caller& caller) {
  return (caller.actor.is_agent ? "agent/" : "human/") + caller.actor.id;
}

}  // namespace

core::Asker asker_of(const Caller& caller, const http::Request& request) {
  return {.who = name_of(caller), .network = network_of(request.peer)};
}

lock::Speaker speaker_of(const Caller& caller) {
  return {.actor = caller.actor.key(), .asker = caller.actor.is_agent ? name_of(caller) : ""};
}

bool may_act_for(const Caller& caller, const core::Lease& lease) {
  return !caller.actor.is_agent || lease.asker.who == name_of(caller);
}

Result<> check_may_renew(const core::View& view, const Caller& caller, const core::Lease& lease,
                         const std::string& session) {
  if (lease.holder.run != session) {
    return fail(Fault::denied, "this lease is of another session");
  }
  if (core::kind_of(lease.key) == "session") {
    TYER_TRY(const auto subject, view.subject(lease.key));
    if (!subject) return fail(Fault::not_found, "there is no " + lease.key);
    TYER_TRY(const feed::Session its, feed::read_session(*subject));
    return check_own(caller, its.agent, its.id);
  }
  if (may_act_for(caller, lease)) return {};
  return fail(Fault::denied, lease.key + ": it was taken by somebody else");
}

bool may_report(const core::Asker& asker, const Caller& caller, const core::Lease& lease) {
  const bool is_from_there = !asker.network.empty() && asker.network == lease.asker.network;
  return may_act_for(caller, lease) || is_from_there;
}

void hide_sessions(const Caller& caller, core::Lease& lease) {
  if (!may_act_for(caller, lease)) lease.holder.run.clear();
}

void hide_sessions(const Caller& caller, std::vector<lock::Seen>& leases) {
  for (lock::Seen& seen : leases) hide_sessions(caller, seen.lease);
}

void hide_sessions(const Caller& caller, lock::Outcome& outcome) {
  hide_sessions(caller, outcome.held);
  hide_sessions(caller, outcome.ended);
  for (core::Lease& lease : outcome.next) hide_sessions(caller, lease);
}

}  // namespace tyer::api
