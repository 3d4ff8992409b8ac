// What the keeper of a session's run is told: which session of which hub, and where the run's own
// records go. The key for the hub and the worker's environment are told in the same way: what a
// process is started with can be read by others.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "feed/limits.h"
#include "run/job.h"

namespace tyer::work {

// A keeper is told in a line what it is for. One that offers itself waits at the hub for something
// to do, with its store open and the hub's instructions at hand; another is told in a second line
// which session it is for.
struct Order {
  std::string hub;                         // URL.
  std::string key;                         // For the hub.
  bool offers = false;                     // Itself, for these:
  std::vector<std::string> agents = {};    // Ids; empty: all.
  std::vector<std::string> sessions = {};  // Ids; empty: all.
  // The rules of the hub, if it is in the worker's own process and has the store of the runs'
  // records. It dies with the worker, and comes back with another key and perhaps elsewhere; the
  // store is there all the time.
  std::optional<limits::FeedRules> own_hub = {};
  // Its run's, as far as they are known before the hub has said what there is to do: id, store and
  // the like, and the directory of agents that have none.
  run::Job job;
};

struct Call {
  std::string session;  // Its id.
  std::string run;
  bool all = false;  // See feed::Begin.
};

// What a keeper that offered itself tells its worker once there is something to do.
struct Given {
  std::string session;  // Its id.
  std::string run;
  std::string name;  // "bot/default"
  std::string item;  // What it is about: see in_a_row.
};

// The beginning of the first of `count` posts and comments, in one line.
[[nodiscard]] std::string in_a_row(std::string words, std::size_t count);

[[nodiscard]] std::string encode(const Order& order);
[[nodiscard]] Result<Order> decode_order(std::string_view text);
[[nodiscard]] std::string encode(const Call& call);
[[nodiscard]] Result<Call> decode_call(std::string_view text);
[[nodiscard]] std::string encode(const Given& given);
[[nodiscard]] Result<Given> decode_given(std::string_view text);

}  // namespace tyer::work
