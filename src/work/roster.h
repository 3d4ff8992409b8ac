// Which sessions a worker starts a run for, and when (W14). Pure: told what happens, it says what
// to do.
//
// Each has at most one run here. One whose process fails is tried again after a pause that doubles,
// with some jitter, up to a minute, and is forgotten after a minute of health; the others do not
// notice.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace tyer::work {

enum class Ended : std::uint8_t {
  served,   // A run began, whatever came of it.
  nothing,  // There was nothing to do.
  busy,     // Somebody else has it, or what is left of its last run is being ended.
  limit,    // Its budget is used up.
  put_off,  // Its service asked to be called later.
  failed,   // The process failed before it could tell the hub.
};

class Roster {
 public:
  explicit Roster(std::size_t at_once) : at_once_(at_once) {}

  // Of `ready`, in its order, those to start now, besides `more` that may start by themselves.
  [[nodiscard]] std::vector<std::string> choose(const std::vector<std::string>& ready, Span now,
                                                std::size_t more = 0) const;
  [[nodiscard]] bool has_room(std::size_t more) const { return running_ + more < at_once_; }
  [[nodiscard]] bool is_running(const std::string& session) const;
  // Whether one has failed and waits for its pause to be over.
  [[nodiscard]] bool has_failed(Span now) const;

  void started(const std::string& session, Span now);
  // `chance` from 0 to 1 is for the jitter.
  void ended(const std::string& session, Ended how, Span now, double chance);

  // Somebody wrote to it: a budget may be larger, somebody may be gone. Failures stay as they are.
  void nudge(const std::string& session);
  void nudge_all();

  // When the next pause is over; nothing: there is none.
  [[nodiscard]] std::optional<Span> next_try(Span now) const;

  [[nodiscard]] std::size_t running() const { return running_; }

 private:
  struct Entry {
    bool is_running = false;
    Span since{};  // It runs.
    Span pause{};  // The last one after a failure; zero: none.
    Span until{};  // Not before.
    bool is_failure = false;
  };

  std::size_t at_once_;
  std::size_t running_ = 0;
  std::map<std::string, Entry> entries_;
};

}  // namespace tyer::work
