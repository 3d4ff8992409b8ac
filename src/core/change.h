// What a command or a rule decides, before anything has happened.
//
// Deciding is pure: it reads a View and returns a Change. The engine commits
// the whole Change in one transaction or none of it, so a decision never has to
// undo anything and a test never has to mock anything.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/lease.h"

namespace tyer::core {

// A lease the change is made under. If its token is no longer the key's, the
// whole change is refused as `fenced` (law 2).
struct Under {
  std::string key;
  std::uint64_t token = 0;
};

// A heartbeat: the lease is heard now. Refused as `fenced` if it was lost.
struct Renewal {
  std::string key;
  std::uint64_t token = 0;
  std::optional<Span> mono;  // The holder's monotonic clock when it asked.
};

enum class End : std::uint8_t { released, lapsed, superseded, broken };

[[nodiscard]] std::string_view event_type(End end);  // "lease.released", …

// A lease that ends. Refused as `fenced` if it is not the one the decision saw.
struct Ending {
  std::string key;
  std::uint64_t token = 0;
  End how = End::released;
  std::string verdict;  // Of a lapsed one.
  std::string why;
};

// A lease to be given. Refused as `conflict` while the key has one that does
// not end in the same change (law 1). The token comes with the commit.
struct Grant {
  std::string key;
  Holder holder;
  std::optional<Span> mono;
  Span silence_max{};
  Span hold_max{};
  std::string command;
  std::string owner;
  Asker asker;
};

// A fact about one subject, not yet numbered by the log.
struct Draft {
  std::string key;
  std::string type;
  std::string body = "{}";
  std::optional<std::uint64_t> expected_rev = {};  // Refused as `conflict` if it moved on.
};

// Applied in the order of its members; each list in its own order.
struct Change {
  std::vector<Under> under = {};
  std::vector<Renewal> renewals = {};
  std::vector<Ending> endings = {};
  std::vector<Grant> grants = {};
  std::vector<Draft> events = {};

  [[nodiscard]] bool empty() const {
    return renewals.empty() && endings.empty() && grants.empty() && events.empty();
  }
};

}  // namespace tyer::core
