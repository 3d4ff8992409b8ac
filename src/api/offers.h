// Keepers that wait for something to do, each with an answer that goes on (W12).
//
// What a request gives a session to do is begun for one of them in the very transaction of that
// request, and it is told once that is committed. Who offers itself is only quicker than who hears
// of it and asks: nothing is lost if nobody does, or if a commit fails.

#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/route.h"
#include "api/run_begin.h"
#include "core/change.h"
#include "core/lease.h"
#include "http/stream.h"
#include "store/txn.h"

namespace tyer::api {

struct Offer {
  Caller caller;
  std::vector<std::string> agents;    // Ids; empty: all.
  std::vector<std::string> sessions;  // Ids; empty: all.
  core::Grant grant = {};             // Of the session's lease, as in feed::Begin.
  std::string mark = {};              // The same.
};

class Offers {
 public:
  explicit Offers(Hub& hub) : hub_(hub) {}

  // An answer that goes on until there is something to do. `limit` if too many wait.
  [[nodiscard]] Result<http::Response> add(Offer offer);
  void drop(const std::function<bool(const Offer&)>& is_meant);

  [[nodiscard]] bool empty() const { return count_ == 0; }

  // A run that has begun for one of them.
  struct Gift {
    std::shared_ptr<http::Stream> stream;
    http::Stream::Chunk begun;  // What it is told.
  };
  // Lets one of them begin for each of `sessions` that has something to do and nobody who does it.
  [[nodiscard]] std::vector<Gift> give(store::Txn& txn, const std::vector<std::string>& sessions);
  // Those whose commit failed, perhaps, end without a word: they ask what became of it.
  static void tell(const std::vector<Gift>& gifts, bool is_committed);

  // Says that we are there, now and then.
  void beat();
  // All are sent away; nobody is let in any more.
  void part();

 private:
  struct Standing {
    Offer offer;
    std::shared_ptr<http::Stream> stream;
  };
  using Place = std::shared_ptr<const Standing>;

  void open(Offer offer, std::shared_ptr<http::Stream> stream);
  [[nodiscard]] Place take(const std::string& agent, const std::string& session);
  void put_back(const Place& place);
  [[nodiscard]] std::optional<Gift> give_one(store::Txn& txn, const feed::Session& its);
  // What the one who offered itself is told of the run that begins for it. Empty: none does.
  [[nodiscard]] Result<std::string> begin(store::Txn& txn, const std::string& session,
                                          const Offer& offer);

  Hub& hub_;
  std::mutex mutex_;
  std::list<Place> all_;  // Who waits longest first.
  std::atomic<std::size_t> count_ = 0;
  bool parted_ = false;
  Span next_beat_{};
};

// Sessions that may have something to do once the change is made, and who may do nothing any more.
struct News {
  std::vector<std::string> sessions;
  std::vector<std::string> revoked;  // Credentials that are none any more.
};
[[nodiscard]] News find_news(const core::Change& change);

}  // namespace tyer::api
