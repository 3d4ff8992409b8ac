// Work for simulated worlds: kinds and rules made up for the purpose, since the
// features come later, and actors that use them.
//
//   lock race   processes race for a few locks, work under their leases, stall,
//               die, press Ctrl+C and ask again
//   alarms      subjects that time alone changes, three times each
//   chains      events that lead to events through rules, one of which fails
//               until a gate is opened
//   runs        kept, ended, tried again, and settled if their keeper is gone

#pragma once

#include "sim/world.h"

namespace tyer::testing {

[[nodiscard]] core::Catalog sim_catalog();

// The actors of all workloads and a daemon on every machine.
void populate(sim::World& world);

// Law 2 and the workloads' own truths, event by event.
[[nodiscard]] sim::Broken observe_workloads(const core::Event& event, const sim::Laws& laws);

// What is still to be done in a world that should be at rest.
[[nodiscard]] sim::Broken find_unfinished(const core::View& view, const sim::Laws& laws);

// A whole world by its seed. Nothing if all laws held.
[[nodiscard]] sim::Broken run_world(const sim::WorldOptions& options);

}  // namespace tyer::testing
