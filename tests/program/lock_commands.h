// What the tests of the lock commands share: a store or a hub, and somebody else who holds locks.

#pragma once

#include <string>

#include "support/locks.h"

namespace tyer::testing {

class LockCommands : public LockDesks {
 protected:
  // Holds a lock for a process that is not the test's.
  [[nodiscard]] Acquired held_by_agent(const std::string& line) const {
    return acquire(line + " --pid " + std::to_string(agent.pid()));
  }

  Program agent{idle()};
};

}  // namespace tyer::testing
