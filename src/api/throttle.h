// How often somebody may do something: a few at once, then one per pause. In memory, of one hub.

#pragma once

#include <map>
#include <mutex>
#include <string>

#include "base/time.h"

namespace tyer::api {

class Throttle {
 public:
  Throttle(int at_once, Span pause) : at_once_(at_once), pause_(pause) {}

  // Zero: go on, and it counts. Otherwise how long to wait. `now` never runs backwards.
  [[nodiscard]] Span take(const std::string& name, Span now);

  // The last one did not count after all.
  void give_back(const std::string& name);

 private:
  const int at_once_;
  const Span pause_;
  std::mutex mutex_;
  std::map<std::string, Span> until_;  // When everything will be paid off.
};

}  // namespace tyer::api
