// What sessions have to answer (H16). An item is open until its agent has answered it; it is woken
// for a few times, then skipped, until somebody has it tried again.

#pragma once

#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"
#include "feed/limits.h"
#include "feed/records.h"
#include "feed/routing.h"

namespace tyer::feed {

// The item of `session` for the post or comment `source`.
[[nodiscard]] std::string item_key(const std::string& session, const std::string& source);

// The event that opens one. `moved_from`: the session that had it, if that is deleted.
[[nodiscard]] core::Draft open_item(const Target& target, const std::string& source,
                                    const std::string& post, const std::string& feed, Time now,
                                    const std::string& moved_from = "");

// Which items a comment by an agent under `post` settles: those it names in `answers`, skipped ones
// too; else the open ones that its run was woken for, also if its session was deleted since; else,
// without a run, all of the agent's there.
[[nodiscard]] Result<std::vector<Item>> answered_by(const core::View& view, const Actor& actor,
                                                    const std::string& post,
                                                    const std::vector<std::string>& answers);

// Of what the actor's run was to answer, what another session has got because its own was deleted
// meanwhile, unless somebody has begun with it there.
[[nodiscard]] Result<std::vector<Item>> inherited_from(const core::View& view, const Actor& actor);

// Adds to `change` that nobody has to answer the deleted post or comment any more. Of a post or a
// feed that is deleted, what was written below is withdrawn when a run would be woken for it.
[[nodiscard]] Result<> withdraw_items(const core::View& view, const core::Subject& source,
                                      core::Change& change, Time now);

// A run starts for `sources`. An item that was woken for often enough is skipped instead.
struct Wake {
  std::string session;
  std::string run;
  std::vector<std::string> sources;
};
struct Woken {
  core::Change change;
  std::vector<std::string> taken;    // Sources the run shall answer.
  std::vector<std::string> skipped;  // Sources that were given up.
};
[[nodiscard]] Result<Woken> decide_wake(const core::View& view, const Wake& wake,
                                        const limits::FeedRules& rules, Time now);

// Adds to `change` that it is given up, and a notice. `why`: what came of it last.
void skip(const Item& item, const std::string& why, core::Change& change, Time now);

// A skipped item is open again, as if it were new. A session that waits for its service goes on.
[[nodiscard]] Result<core::Change> decide_retry(const core::View& view, const std::string& session,
                                                const std::string& source);

}  // namespace tyer::feed
