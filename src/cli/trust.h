// What somebody has agreed to.
//
// A directory may come from somebody else: as a clone, in an archive, or because others can write
// to it. What it says of stores, hubs and programs counts only once the user has agreed, to that
// very value. The list of it is in the user's own state folder, never in the directory itself.

#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tyer::cli {

// Something that counts only if the user agrees.
struct Matter {
  std::string directory;     // That it came with, absolute.
  std::string what;          // "setting hub.url=http://…": the same text means the same thing.
  std::string meaning = {};  // A sentence for people, without a full stop.

  friend bool operator==(const Matter&, const Matter&) = default;
};

// Those of `matters` that the user has not agreed to.
[[nodiscard]] Result<std::vector<Matter>> not_agreed(const World& world,
                                                     std::vector<Matter> matters);

// Asks about what the user has not agreed to, once and on a terminal. `denied` if the answer is no,
// or nobody can be asked; it names the command that agrees.
[[nodiscard]] Result<> need_agreement(World& world, std::vector<Matter> matters);

// The user has agreed to these.
[[nodiscard]] Result<> agree(World& world, const std::vector<Matter>& matters);

// All that the user has agreed to, the oldest first; without meanings.
[[nodiscard]] Result<std::vector<Matter>> agreements(const World& world);

// The user agrees no longer to anything of these directories. How much that was.
[[nodiscard]] Result<std::size_t> disagree(World& world,
                                           const std::vector<std::string>& directories);

}  // namespace tyer::cli
