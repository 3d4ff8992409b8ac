// The stampede: whoever holds the key is killed, and all the others, who stand
// at a gate, ask for it at once. Exactly one gets it, every time (L4).

#pragma once

#include <cstdint>
#include <string>

#include "torture/torment.h"

namespace tyer::torture {

[[nodiscard]] Result<Verdict> stampede(const Options& options, const std::string& url, int stop_fd);

struct ContenderCall {
  std::string url;
  std::uint64_t round = 0;  // The first in which it takes part.
  int gates[2] = {-1, -1};  // Of even and odd rounds: one count lets one through.
  int answers = -1;         // Where it says how it went.
};

// Never ends by itself unless something is wrong.
[[nodiscard]] int run_contender(const ContenderCall& call);

}  // namespace tyer::torture
