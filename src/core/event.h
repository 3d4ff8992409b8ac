// An event is a fact about one subject. The log of events is at once history,
// outbox, feed, stream and audit trail; a reader is a name and a sequence number.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace tyer::core {

struct Event {
  std::uint64_t seq = 0;  // Place in the log; commit order is sequence order (law 9).
  std::string key;
  std::uint64_t rev = 0;  // The subject's revision after it; 0 if it changed no subject.
  std::string type;       // Past tense with its kind: "task.completed".
  Time at{};
  std::string actor;                   // Who did it.
  std::optional<std::uint64_t> cause;  // The event that led to it.
  std::string body = "{}";             // A JSON object.

  friend bool operator==(const Event&, const Event&) = default;
};

// How far a named reader has read.
struct Cursor {
  std::string reader;
  std::uint64_t seq = 0;

  friend bool operator==(const Cursor&, const Cursor&) = default;
};

// The ends of the log.
struct Head {
  std::uint64_t seq = 0;    // Of the newest event; 0 if there is none.
  Time at{};                // Of the newest event.
  std::uint64_t first = 0;  // Of the oldest event still kept; 0 if there is none.

  friend bool operator==(const Head&, const Head&) = default;
};

}  // namespace tyer::core
