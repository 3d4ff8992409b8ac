// What routes about sessions share: whose a session is, and its items as they are shown.

#pragma once

#include <string>
#include <vector>

#include "api/route.h"
#include "core/view.h"
#include "feed/records.h"

namespace tyer::api {

// An agent may touch what is its own; with the token of a run, only that session.
[[nodiscard]] Result<> check_own(const Caller& caller, const std::string& agent,
                                 const std::string& session);

// Agents that the query names: whose work a caller may see and do, an agent its own, a person that
// of all. None are all.
[[nodiscard]] Result<std::vector<std::string>> agents_of(Call& call);
[[nodiscard]] Field agents_field();

// The session that the path names, if the caller may touch it.
[[nodiscard]] Result<feed::Session> own_session(const core::View& view, Call& call);

// An item with the text that is to be answered; nothing if that is deleted.
[[nodiscard]] Result<std::string> shown_item(const core::View& view, const core::Subject& subject);

// A session runs exactly while its lease is held (law 8), or while somebody without one says so.
[[nodiscard]] Result<std::string> shown_session(const core::View& view,
                                                const core::Subject& subject);

}  // namespace tyer::api
