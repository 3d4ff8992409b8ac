// Ends runs that nobody can end any more: their keeper and the front above it are
// dead. What they started on this machine is found by its mark and killed; then the
// outcome is written, `lost`, unless somebody else was first: one is all there is.

#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "run/record.h"

namespace tyer::run {

// The ids of those that it ended.
[[nodiscard]] Result<std::vector<std::string>> settle(engine::Engine& engine);

// The same for one run.
[[nodiscard]] Result<bool> settle_one(engine::Engine& engine, const std::string& id);

// Ends all that is on this machine of run `id` of a session that was lost, wherever it is recorded,
// before another of the session starts: its agents, and a keeper and a front that are stopped.
// `mark` is its keeper's, see keeper_mark_of; empty: unknown. `unavailable` if something is left.
// Who began it chose its id: of agents only those are ended that have `session` as theirs.
[[nodiscard]] Result<> end_left(const std::string& id, const std::string& mark,
                                const std::string& session);

// Asks run `id` to end; see decide_stop.
[[nodiscard]] Result<> ask_stop(engine::Engine& engine, const std::string& id,
                                const std::string& by);

// Those that have not ended.
[[nodiscard]] Result<std::vector<Record>> list_open(const core::View& view);

struct RunQuery {
  bool ended = false;  // Also those that have ended.
  std::string before;  // Ids smaller than this; empty: all.
  std::size_t limit = limits::settle_rows_max;
};

struct RunPage {
  std::vector<Record> records;  // The newest, by id, which is by time.
  std::size_t older = 0;        // How many there are before these.
};

[[nodiscard]] Result<RunPage> list_runs(engine::Engine& engine, const RunQuery& query);

[[nodiscard]] Result<Record> look_at_run(engine::Engine& engine, const std::string& id);

// The id that begins like this, or `beginning` if there is none. `invalid` if there are several.
// "last" is the newest run.
[[nodiscard]] Result<std::string> find_run(engine::Engine& engine, const std::string& beginning);

}  // namespace tyer::run
