// Threads that run one at a time, in an order drawn from a seed.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <semaphore>
#include <vector>

#include "sim/files_env.h"

namespace tyer::files_sim {

class Turns {
 public:
  explicit Turns(SeededRandom& random) : random_(random) {}

  // Runs all actors, each in a thread of its own, to their ends.
  void run(const std::vector<std::function<void()>>& actors);

  // Perhaps lets another actor go on in place of the running one.
  void perhaps_switch();

  // Certainly, if there is another one that has not ended.
  void wait();

 private:
  [[nodiscard]] std::size_t draw_other();
  void hand_to(std::size_t next);

  SeededRandom& random_;
  std::vector<std::unique_ptr<std::binary_semaphore>> turns_;
  std::vector<bool> ended_;
  std::binary_semaphore all_ended_{0};
  std::size_t running_ = 0;
};

}  // namespace tyer::files_sim
