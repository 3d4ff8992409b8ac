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

// Asks run `id` to end; see decide_stop.
[[nodiscard]] Result<> ask_stop(engine::Engine& engine, const std::string& id,
                                const std::string& by);

// By id, which is by time. Without `ended` those that have not.
[[nodiscard]] Result<std::vector<Record>> list_runs(engine::Engine& engine, bool ended);

[[nodiscard]] Result<Record> look_at_run(engine::Engine& engine, const std::string& id);

}  // namespace tyer::run
