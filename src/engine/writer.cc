#include "engine/writer.h"

#include <fmt/format.h>

#include "engine/limits.h"
#include "store/limits.h"

namespace tyer::engine {

Writer::Writer(store::Store& store) : store_(store), thread_([this] { loop(); }) {}

Writer::~Writer() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

Result<> Writer::write(const store::Work& work) {
  std::unique_lock lock(mutex_);
  if (queued_ >= limits::writer_queue_max) {
    return fail(Fault::limit,
                fmt::format("{} writes are waiting already; try again later", queued_));
  }
  if (queue_.empty() || queue_.back()->works.size() == limits::batch_works_max) {
    queue_.push_back(std::make_shared<Batch>());
  }
  const std::shared_ptr<Batch> batch = queue_.back();
  const std::size_t place = batch->works.size();
  batch->works.emplace_back(std::cref(work));
  if (++queued_ == wanted_) arrived_.notify_one();
  lock.unlock();
  batch->settled.wait(0);
  return std::move(batch->results[place]);
}

void Writer::on_commit(std::function<void()> hint) {
  const std::scoped_lock lock(mutex_);
  hint_ = std::move(hint);
}

void Writer::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::shared_ptr<Batch> batch = take();
    const std::function<void()> hint = hint_;
    lock.unlock();

    batch->results = store::write_all(store_, batch->works);
    if (hint) hint();

    // Counted before anyone is answered, so that nobody who is back is expected.
    lock.lock();
    const std::size_t present = batch->works.size() + queued_;
    lock.unlock();
    batch->settled = 1;
    batch->settled.notify_all();
    lock.lock();
    if (present > 1) gather(lock, present);
  }
}

std::shared_ptr<Writer::Batch> Writer::take() {
  std::shared_ptr<Batch> batch = std::move(queue_.front());
  queue_.pop_front();
  queued_ -= batch->works.size();
  return batch;
}

void Writer::gather(std::unique_lock<std::mutex>& lock, std::size_t expected) {
  wanted_ = expected;
  arrived_.wait_for(lock, limits::gather_max, [&] { return ending_ || queued_ >= expected; });
  wanted_ = 1;
}

}  // namespace tyer::engine
