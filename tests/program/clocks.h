// Time that passes for the programs of a test, and not for the test.

#pragma once

#include <map>
#include <string>

#include "base/time.h"

namespace tyer::testing {

// All clocks of what is started with this environment from now on.
inline void set_clocks_ahead(std::map<std::string, std::string>& environment, Span passed) {
  environment["LD_PRELOAD"] = TYER_CLOCKS_AHEAD;
  environment["LD_CLOCKS_AHEAD"] = std::to_string(passed / 1s);
}

}  // namespace tyer::testing
