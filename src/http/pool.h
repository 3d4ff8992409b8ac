// A few threads that do what is queued, in order. The queue is bounded. Of those that
// wait, the one that worked last works next: what it needs is still near its processor.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tyer::http {

class Pool {
 public:
  Pool(std::size_t threads, std::size_t waiting_max);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False: `waiting_max` others wait already, or it is over. Then `task` is untouched.
  [[nodiscard]] bool submit(std::move_only_function<void()>& task);

  void forget();  // What waits is not done.
  void join();    // Ends after what is being done. Idempotent.

 private:
  struct Sleeper {
    std::condition_variable called;
    bool is_called = false;
  };

  void work(Sleeper& self);

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::deque<std::move_only_function<void()>> queue_;
  std::deque<Sleeper> sleepers_;  // One for each thread.
  std::vector<Sleeper*> idle_;    // The last one worked last.
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tyer::http
