#include "sim/files_turns.h"

#include <algorithm>
#include <thread>

namespace tyer::files_sim {

void Turns::run(const std::vector<std::function<void()>>& actors) {
  turns_.clear();
  ended_.assign(actors.size(), false);
  for (std::size_t i = 0; i < actors.size(); ++i) {
    turns_.push_back(std::make_unique<std::binary_semaphore>(0));
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < actors.size(); ++i) {
    threads.emplace_back([this, i, &actors] {
      turns_[i]->acquire();
      actors[i]();
      ended_[i] = true;
      if (std::ranges::all_of(ended_, [](bool ended) { return ended; })) {
        all_ended_.release();
      } else {
        running_ = draw_other();
        turns_[running_]->release();
      }
    });
  }
  running_ = random_.below(actors.size());
  turns_[running_]->release();
  all_ended_.acquire();
}

void Turns::perhaps_switch() {
  if (random_.below(4) == 0) wait();
}

void Turns::wait() {
  const bool alone = std::ranges::count(ended_, false) == 1;
  if (!alone) hand_to(draw_other());
}

std::size_t Turns::draw_other() {
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    if (!ended_[i] && i != running_) others.push_back(i);
  }
  return others[random_.below(others.size())];
}

void Turns::hand_to(std::size_t next) {
  const std::size_t self = running_;
  running_ = next;
  turns_[next]->release();
  turns_[self]->acquire();
}

}  // namespace tyer::files_sim
