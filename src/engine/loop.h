// Gives a part with a `step(now)` its own thread: waits for the time it asked
// for or for a hint, steps, and backs off when a step fails.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/log.h"
#include "env/clock.h"

namespace tyer::engine {

using Step = std::function<Result<Time>(Time now)>;

class Loop {
 public:
  Loop(std::string name, const env::Clock& clock, const Log& log, Step step);

  // Waits for the step that is running, then ends.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // There may be something to do: step now. From any thread.
  void hint();

 private:
  void run();

  const std::string name_;
  const env::Clock& clock_;
  const Log& log_;
  const Step step_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool hinted_ = false;
  bool ending_ = false;

  std::thread thread_;  // Last: it uses everything above.
};

// How long to wait after a failed step, given how long it was before.
[[nodiscard]] Span next_backoff(Span before);

}  // namespace tyer::engine
