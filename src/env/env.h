// The outside world, handed down as one argument.

#pragma once

#include "env/clock.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"

namespace tyer::env {

struct Env {
  Clock& clock;
  Files& files;
  Processes& processes;
  Random& random;
};

}  // namespace tyer::env
