// Group commit (law 10): works that are waiting share one transaction, so that
// durability costs one sync per batch and not per change.
//
// One thread takes what has gathered while the last batch was being committed
// and commits it. Alone, a work is a batch of one, waits for nobody, and is
// committed by the thread that brings it: two changes of thread are a fifth of
// what it costs. Where several wait, those just answered usually come straight back with their next
// work: they get a moment (`gather_max`) to be in the next batch, or they would
// form two crowds that take turns, each paying for a sync of its own. The queue
// is bounded; a work that finds it full is refused as `limit`.

#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/store.h"

namespace tyer::engine {

class Writer {
 public:
  using Done = std::function<void(Result<>)>;

  explicit Writer(store::Store& store);

  // Ends after what is queued has been committed.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Returns when the work is committed or has failed. Any number of threads may call it.
  [[nodiscard]] Result<> write(const store::Work& work);

  // As `write`, without a thread that waits: `done` is called in the writer's
  // thread and must be quick. It may submit. Not called if the answer is an error.
  [[nodiscard]] Result<> submit(store::Work work, Done done);

  // Called after each batch, in the thread that committed it: a hint for readers.
  void on_commit(std::function<void()> hint);

 private:
  // Shared by those who wait for it: one wake-up is for all of them and no one else.
  struct Batch {
    std::vector<store::Work> works;
    std::vector<Done> dones;  // For each work, none where a thread waits.
    std::vector<Result<>> results;
    std::atomic<int> settled = 0;  // An int is what the kernel can wait on.
  };

  struct Place {
    std::shared_ptr<Batch> batch;
    std::size_t index = 0;
  };

  Result<Place> enqueue(store::Work work, Done done);
  [[nodiscard]] bool begin_alone();
  Result<> write_alone(const store::Work& work);
  void loop();
  std::shared_ptr<Batch> take();
  void gather(std::unique_lock<std::mutex>& lock);

  store::Store& store_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::shared_ptr<Batch>> queue_;  // Only the last may have room.
  std::size_t queued_ = 0;                    // Works in all of them.
  std::size_t wanted_ = 1;                    // So many wake the thread.
  std::function<void()> hint_;
  bool busy_ = false;   // Somebody commits, or the thread waits for more to commit.
  bool alone_ = false;  // It is not the thread.
  bool ending_ = false;

  std::thread thread_;  // Last: it uses everything above.
};

}  // namespace tyer::engine
