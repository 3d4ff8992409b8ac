// Keepers that wait for something to do, each with an answer that goes on (W12).
//
// What a request gives a session to do is begun by one of them in the very transaction of that
// request. It is woken when it is known to be needed, told all there is to know before that is
// committed, so that it can get ready while the disk is waited for, and to go once it is. Who
// offers itself is only quicker than who hears of it and asks; nothing is lost if nobody does, or
// if a commit fails.

#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/route.h"
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
};

class Offers {
 public:
  explicit Offers(Hub& hub) : hub_(hub) {}

  // An answer that goes on until there is something to do. `limit` if too many wait.
  [[nodiscard]] Result<http::Response> add(Offer offer);
  void drop(const std::function<bool(const core::Holder&)>& is_its);

  [[nodiscard]] bool empty() const { return count_ == 0; }

  struct Gift {
    std::shared_ptr<http::Stream> stream;
    http::Stream::Chunk go;  // The word for it.
  };
  // Lets one of them begin for each of `sessions` that has something to do and nobody who does it,
  // and tells it what it will be. It goes when it is told that it is committed.
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

  void begin(Offer offer, std::shared_ptr<http::Stream> stream);
  [[nodiscard]] Place take(const std::string& agent, const std::string& session);
  void put_back(Place place);
  static void announce(store::Txn& txn, const core::Subject& session, const std::string& run,
                       http::Stream& stream);
  // What the run is told; empty: none has begun.
  [[nodiscard]] Result<std::string> try_give(store::Txn& txn, const Offer& offer,
                                             const std::string& session, const std::string& run);

  Hub& hub_;
  std::mutex mutex_;
  std::list<Place> all_;  // Who waits longest first.
  std::atomic<std::size_t> count_ = 0;
  bool parted_ = false;
  Span next_beat_{};
};

// Sessions that may have something to do once the change is made.
[[nodiscard]] std::vector<std::string> sessions_with_news(const core::Change& change);

}  // namespace tyer::api
