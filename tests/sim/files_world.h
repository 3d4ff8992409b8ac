// Several simulated processes on one files store, and everything that can go
// wrong, all drawn from one seed.
//
// Each process counts up two subjects that belong together, with an event, a
// lease and a cursor in the same transaction, and looks at the whole from
// outside as well. They are threads that run one at a time: at a system call
// the seed may hand the turn to another process, kill this one, cut the power,
// or fill the disk. What must hold is checked at every look.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tyer::files_sim {

// A protection taken out, to see that the world notices.
enum class FilesFlaw : std::uint8_t {
  none,
  no_lock,    // Everybody gets the writer's lock at once.
  no_replay,  // A journal with an unfinished record is thrown away.
  no_sync,    // Syncing does nothing.
};

// The law that was broken and how, or nothing. `trace`, if given, gets a line for
// every transaction, the same for the same seed.
[[nodiscard]] std::optional<std::string> run_files_world(std::uint64_t seed, FilesFlaw flaw,
                                                         std::string* trace = nullptr);

}  // namespace tyer::files_sim
