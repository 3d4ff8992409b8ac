#include "http/pool.h"

#include <utility>

namespace tyer::http {

Pool::Pool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this, &self = sleepers_.emplace_back()] { work(self); });
  }
}

Pool::~Pool() {
  join();
}

bool Pool::submit(std::move_only_function<void()>& task) {
  Sleeper* called = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (ending_ || queue_.size() >= waiting_max_) return false;
    queue_.push_back(std::move(task));
    if (!idle_.empty()) {
      called = idle_.back();
      idle_.pop_back();
      called->is_called = true;
    }
  }
  if (called != nullptr) called->called.notify_one();
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
    for (Sleeper& sleeper : sleepers_) sleeper.is_called = true;
  }
  for (Sleeper& sleeper : sleepers_) sleeper.called.notify_one();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Pool::work(Sleeper& self) {
  while (true) {
    std::move_only_function<void()> task;
    {
      std::unique_lock lock(mutex_);
      while (queue_.empty()) {
        if (ending_) return;
        self.is_called = false;
        idle_.push_back(&self);
        self.called.wait(lock, [&] { return self.is_called; });
      }
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace tyer::http
