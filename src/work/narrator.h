// Tells the hub what a run says, as it goes: at most once a second, the newest of it, and never so
// that the run waits. What is left out is in the run's transcript (W3), and how much it is, is
// told: a line `! N bytes of what it said are left out here` stands where it was.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "backend/report.h"

namespace tyer::work {

class Narrator {
 public:
  // `tell` may take its time; it is called by a thread of its own.
  explicit Narrator(std::function<void(const std::string& text)> tell);
  ~Narrator();  // What was not told yet is not told any more.
  Narrator(const Narrator&) = delete;
  Narrator& operator=(const Narrator&) = delete;

  void hear(const backend::Note& note);

 private:
  void narrate(const std::stop_token& stop);

  const std::function<void(const std::string&)> tell_;
  std::mutex mutex_;
  std::condition_variable_any heard_;
  std::string text_;
  std::size_t left_out_ = 0;  // Bytes that stood before text_ and were too much.
  std::jthread thread_;       // Last: it uses everything above.
};

// A note as a line for people; empty: not worth one.
[[nodiscard]] std::string line_of(const backend::Note& note);

}  // namespace tyer::work
