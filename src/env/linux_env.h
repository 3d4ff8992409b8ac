// The real world, all of it.

#pragma once

#include "env/env.h"
#include "env/linux_clock.h"
#include "env/linux_files.h"
#include "env/linux_processes.h"
#include "env/linux_random.h"

namespace tyer::env {

// Owns what its Env refers to, so it stays where it is and outlives every user of it.
class LinuxEnv {
 public:
  LinuxEnv();
  LinuxEnv(const LinuxEnv&) = delete;
  LinuxEnv& operator=(const LinuxEnv&) = delete;

  [[nodiscard]] Env& env() { return env_; }

 private:
  LinuxClock clock_;
  LinuxFiles files_;
  LinuxProcesses processes_;
  LinuxRandom random_;
  Env env_;
};

}  // namespace tyer::env
