#include "http/pool.h"

#include <utility>

namespace tyer::http {

Pool::Pool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Pool::~Pool() {
  join();
}

bool Pool::submit(std::move_only_function<void()>& task) {
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || queue_.size() >= waiting_max_) return false;
    queue_.push_back(std::move(task));
  }
  arrived_.notify_one();
  return true;
}

void Pool::forget() {
  std::deque<std::move_only_function<void()>> dropped;  // Ends outside the lock.
  const std::lock_guard lock(mutex_);
  dropped.swap(queue_);
}

void Pool::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Pool::work() {
  while (true) {
    std::move_only_function<void()> task;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return ending_ || !queue_.empty(); });
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace tyer::http
