// The kinds of the feed and what may happen to each. States are objects with the names of the API;
// a thing on the wire is its state with its id.
//
//   account/admin              the one who owns the hub
//   credential/CR              an API key, the token of a run, a login, or a link that makes one
//   agent/AG                   an identity
//   session/SS                 a conversation of it; parent agent/AG. Its lease: one run at a time
//   feed/FD  post/PS  comment/CM    parents: none, the feed, the post
//   thread/PS                  what grows under a post; parent the feed. Read or unread
//   item/SS/TIME               what a session has to answer; parent the session
//   shift/SS/RUN               one run of a session; parent the session
//   tally/DAY/AG/SS            what a session used on a day
//   upload/UP                  a file that was sent
//   usage/AG                   what an agent has stored, and whom it called of late

#pragma once

#include <string>
#include <vector>

#include "core/change.h"
#include "core/kind.h"

namespace tyer::feed {

[[nodiscard]] std::vector<core::Kind> kinds();

[[nodiscard]] std::string key_of(std::string_view kind, std::string_view id);

// The subject if it is there and not deleted, else `not_found` that names it.
[[nodiscard]] Result<core::Subject> find(const core::View& view, std::string_view kind,
                                         std::string_view id);

// All subjects of a kind, page after page, in a status. At most `most`.
[[nodiscard]] Result<std::vector<core::Subject>> list_all(const core::View& view,
                                                          core::SubjectQuery query,
                                                          std::size_t most);

// The event that ends the wait of a session for its service: see Finish::wait.
[[nodiscard]] core::Draft go_on(const std::string& session_key, const std::string& agent);

// "ag_…" of "agent/ag_…".
[[nodiscard]] std::string id_of(const core::Subject& subject);

}  // namespace tyer::feed
