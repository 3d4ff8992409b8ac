// A subject is anything with a key. What it is now is what its events say of it
// (law 3): `fold` in kind.h is the only way a subject changes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace tyer::core {

struct Subject {
  std::string key;
  std::string parent;          // A key, or empty.
  std::string status;          // One of its kind's; empty only before the first event.
  std::optional<Time> due_at;  // When time alone can change it.
  std::uint64_t rev = 0;       // How many of its events changed it.
  std::string state = "{}";    // A JSON object, known to its kind.

  friend bool operator==(const Subject&, const Subject&) = default;
};

}  // namespace tyer::core
