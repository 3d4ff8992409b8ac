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
  if (begin_alone()) return write_alone(work);
  // The caller's, who waits here: it need not be copied.
  TYER_TRY(const Place place,
           enqueue({[&work](store::Txn& txn) { return work.run(txn); }, work.keys, work.settled},
                   nullptr));
  place.batch->settled.wait(0);
  return std::move(place.batch->results[place.index]);
}

bool Writer::begin_alone() {
  const std::scoped_lock lock(mutex_);
  if (busy_ || ending_ || !queue_.empty()) return false;
  return busy_ = alone_ = true;
}

Result<> Writer::write_alone(const store::Work& work) {
  Result<> result = store::write(store_, work);
  std::function<void()> hint;
  {
    const std::scoped_lock lock(mutex_);
    hint = hint_;
    busy_ = alone_ = false;
    // Those who came meanwhile have not woken it.
    if (ending_ || !queue_.empty()) arrived_.notify_one();
  }
  if (hint) hint();
  return result;
}

Result<> Writer::submit(store::Work work, Done done) {
  TYER_TRY_OK(enqueue(std::move(work), std::move(done)));
  return {};
}

Result<Writer::Place> Writer::enqueue(store::Work work, Done done) {
  const std::scoped_lock lock(mutex_);
  if (queued_ >= limits::writer_queue_max) {
    return fail(Fault::limit,
                fmt::format("{} writes are waiting already; try again later", queued_));
  }
  if (queue_.empty() || queue_.back()->works.size() == limits::batch_works_max) {
    queue_.push_back(std::make_shared<Batch>());
    queue_.back()->works.reserve(wanted_);
    queue_.back()->dones.reserve(wanted_);
  }
  Batch& batch = *queue_.back();
  batch.works.push_back(std::move(work));
  batch.dones.push_back(std::move(done));
  if (++queued_ == wanted_ && !alone_) arrived_.notify_one();
  return Place{queue_.back(), batch.works.size() - 1};
}

void Writer::on_commit(std::function<void()> hint) {
  const std::scoped_lock lock(mutex_);
  hint_ = std::move(hint);
}

void Writer::loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return !busy_ && (ending_ || !queue_.empty()); });
    if (queue_.empty()) return;
    busy_ = true;
    const std::shared_ptr<Batch> batch = take();
    const std::function<void()> hint = hint_;
    lock.unlock();

    batch->results = store::write_all(store_, batch->works);

    // Counted before anyone is answered, so that nobody who is back is expected.
    lock.lock();
    const std::size_t present = batch->works.size() + queued_;
    wanted_ = present;
    lock.unlock();
    for (std::size_t i = 0; i < batch->dones.size(); ++i) {
      if (batch->dones[i]) batch->dones[i](std::move(batch->results[i]));
    }
    batch->settled = 1;
    batch->settled.notify_all();
    // Those who wait for it come first.
    if (hint) hint();
    lock.lock();
    gather(lock);
    busy_ = false;
  }
}

std::shared_ptr<Writer::Batch> Writer::take() {
  std::shared_ptr<Batch> batch = std::move(queue_.front());
  queue_.pop_front();
  queued_ -= batch->works.size();
  return batch;
}

void Writer::gather(std::unique_lock<std::mutex>& lock) {
  const auto complete = [&] { return ending_ || queued_ >= wanted_; };
  if (wanted_ > 1) arrived_.wait_for(lock, limits::gather_max, complete);
  wanted_ = 1;
}

}  // namespace tyer::engine
