// Those who wait for locks through the hub (L8).
//
// Each waits in a thread of its own, in line with all others of the store, under the name of a
// place that its client chose and with a ticket that is judged by the client's life. While it
// waits, its stream tells who has the locks. A client whose connection broke has a while to come
// back to its place; after that the place is given up, and what was granted is taken back.
//
// A hub that stops keeps the places: their clients come to the next one.

#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/lease_watches.h"
#include "api/route.h"
#include "engine/engine.h"
#include "env/fd.h"
#include "http/message.h"
#include "http/stream.h"
#include "lock/waiting.h"

namespace tyer::api {

struct LockWish {
  lock::Request request;
  Span at_most{};
  std::string place;
  core::Holder waits;
  bool confirms = false;  // It renews what it gets at once; if it does not, it has not heard of it.
  Caller caller;          // Whose place it is. The stream ends when its credential is revoked.
};

class Waits {
 public:
  Waits(engine::Engine& engine, store::Store& store);
  ~Waits();
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  // An answer that goes on until it is decided: a line of JSON now and then, the outcome at last.
  // `limit` if too many wait, `conflict` if it is somebody else's place.
  [[nodiscard]] Result<http::Response> wait(LockWish wish);

  // Gives the place up: the client has. Of the wish, its names, its place and who asks count.
  [[nodiscard]] Result<> leave(LockWish wish);

  // An answer that goes on until one of these leases has ended: see lease_watches.h.
  [[nodiscard]] Result<http::Response> watch(WatchedLeases leases);

  // Wakes those whose locks something happened to, and ends what nobody came back for.
  [[nodiscard]] Result<Time> step(Time now);
  // Whether anybody wants to know of a commit. From any thread.
  [[nodiscard]] bool is_awaited() const { return is_awaited_; }
  // What wakes the thread that steps. Before the first `wait`.
  void set_hint(std::function<void()> hint) { hint_ = std::move(hint); }

  // All are sent away with their places; nobody is let in any more.
  void part();

 private:
  struct Waiting;
  // One whose client is gone, or may not have heard that it got them when it gave up.
  struct Left {
    LockWish wish;
    std::vector<core::Lease> got;
    bool is_told = false;
    Span until{};
  };

  void begin(const std::shared_ptr<Waiting>& waiting, std::shared_ptr<http::Stream> stream);
  void run(Waiting& waiting);
  [[nodiscard]] bool take_place(Waiting& waiting);
  void tell(Waiting& waiting, const Result<lock::Outcome>& outcome);
  [[nodiscard]] Result<> wake();
  void wake_for(const std::vector<core::Event>& page, bool all);
  void join_ended();
  void give_up(const Left& left);
  [[nodiscard]] std::optional<Left> free_place(const std::string& place);

  engine::Engine& engine_;
  store::Store& store_;
  std::function<void()> hint_;
  const env::Fd parting_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::shared_ptr<Waiting>> all_;
  std::map<std::string, std::shared_ptr<Waiting>> at_;  // Who is at which place now.
  std::map<std::string, Left> left_;
  bool parted_ = false;
  std::atomic<bool> is_awaited_ = false;
  LeaseWatches watches_;

  std::optional<std::uint64_t> position_;  // In the log, while somebody waits. Only `step` looks.
};

}  // namespace tyer::api
