// What must hold when it is over, by what the store says.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "torture/board.h"
#include "torture/opened.h"

namespace tyer::torture {

// How leases of locks ended, by the log.
struct Endings {
  std::uint64_t granted = 0;
  std::uint64_t released = 0;
  std::uint64_t superseded = 0;
  std::map<std::string, std::uint64_t> lapsed;  // By verdict.

  [[nodiscard]] std::uint64_t all_lapsed() const;
};

// No key is stuck: each can be had within a bounded wait by a process that never
// asked before, this one. They are released after they were compared with the log.
// What is wrong goes to `board`.
[[nodiscard]] Result<Endings> examine(Opened& opened, std::size_t keys, Board& board);

}  // namespace tyer::torture
