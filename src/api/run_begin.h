// A run that begins: what is decided, applied and told of it, all in one transaction (W10).

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "feed/shifts.h"
#include "store/txn.h"

namespace tyer::api {

class Hub;

// One that may begin, with its token, which is told only once.
struct ComingRun {
  feed::Begin begin;
  std::string token;
  struct Announced {
    std::uint64_t agent = 0;   // Its revision.
    std::string conversation;  // Of the session; whatever else it has does not matter to a start.

    friend bool operator==(const Announced&, const Announced&) = default;
  };
  std::optional<Announced> announced = {};
};

[[nodiscard]] Result<ComingRun> make_coming(store::Txn& txn, Hub& hub, feed::Begin begin);

// What its keeper may know of it before it is decided: who it will be, if it will.
[[nodiscard]] Result<std::string> announce(ComingRun& coming, const core::Subject& session,
                                           const core::Subject& agent);

struct BegunRun {
  bool is_begun = false;
  std::string answer;  // JSON: a BegunRun with all there is to do, or why there is none.
};

// For the log it is the session that begins to work, whoever starts its agent.
[[nodiscard]] Result<BegunRun> begin_in(store::Txn& txn, Hub& hub, const ComingRun& coming);

}  // namespace tyer::api
