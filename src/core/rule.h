// A rule is a pure function from an event and what is known to what should
// change. The engine shows it each event once, in order, and commits its change
// together with its cursor (law 4).

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/event.h"
#include "core/view.h"

namespace tyer::core {

struct Rule {
  std::string name;                // Imperative: "route_mention".
  std::vector<std::string> wants;  // Event types; empty is all but those of asides.
  std::function<Result<Change>(const View&, const Event&, Time now)> decide;

  [[nodiscard]] bool wants_type(const std::string& type) const {
    if (wants.empty()) return true;
    for (const std::string& wanted : wants) {
      if (wanted == type) return true;
    }
    return false;
  }
};

}  // namespace tyer::core
