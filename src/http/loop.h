// One thread that waits for many descriptors; the only thing here that knows Asio.
//
// Only `post` and `stop` may be called from other threads than the one in `run`.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/time.h"

namespace tyer::http {

enum class Side : std::uint8_t { read, write };

// Who waits for a descriptor. A wait keeps it alive.
class Waiter {
 public:
  virtual ~Waiter() = default;
  virtual void on_ready(Side side) = 0;
};

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run();   // Until it is stopped.
  void stop();  // What was posted before is still done.
  void post(std::move_only_function<void()> task);
  void after(Span span, std::function<void()> task);  // Dropped by stop().

  struct Inside;

 private:
  friend class Watched;
  std::unique_ptr<Inside> inside_;
};

// A descriptor that the loop watches, and owns.
class Watched {
 public:
  Watched(Loop& loop, int fd);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  // Calls `waiter` once, later. At most one wait per side at a time.
  void wait(Side side, std::shared_ptr<Waiter> waiter);
  void close();  // Ends all waits without a call.

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tyer::http
