// Whose leases a caller may act for, and what others see of them. A lease that was taken through a
// hub is its asker's: who else knows its session, which is a holder's proof on a store, can do
// nothing with it here.

#pragma once

#include "api/route.h"
#include "core/lease.h"
#include "core/view.h"
#include "lock/locks.h"

namespace tyer::api {

// Who asks in this request, as it is kept in the lease.
[[nodiscard]] core::Asker asker_of(const Caller& caller, const http::Request& request);

// For whom the caller may renew leases and give them back: people for all.
[[nodiscard]] lock::Speaker speaker_of(const Caller& caller);

// Whether it may act for this one.
[[nodiscard]] bool may_act_for(const Caller& caller, const core::Lease& lease);

// Whether it may renew this one as the run `session`: a session's is its agent's, whoever began the
// run.
[[nodiscard]] Result<> check_may_renew(const core::View& view, const Caller& caller,
                                       const core::Lease& lease, const std::string& session);

// Whether its word counts that the holder of this one is gone: people's, the asker's own, and that
// of whoever comes from where the asker came from.
[[nodiscard]] bool may_report(const core::Asker& asker, const Caller& caller,
                              const core::Lease& lease);

// Leaves out the sessions of leases that the caller may not act for.
void hide_sessions(const Caller& caller, core::Lease& lease);
void hide_sessions(const Caller& caller, std::vector<lock::Seen>& leases);
void hide_sessions(const Caller& caller, lock::Outcome& outcome);

}  // namespace tyer::api
