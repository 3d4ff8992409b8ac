#include "api/throttle.h"

#include <algorithm>

#include "api/limits.h"

namespace tyer::api {

Span Throttle::take(const std::string& name, Span now) {
  const std::lock_guard lock(mutex_);
  if (until_.size() >= limits::throttled_max && !until_.contains(name)) {
    std::erase_if(until_, [&](const auto& entry) { return entry.second <= now; });
    // So many at once are an attack. Who would wait the shortest is forgotten: if newcomers had to
    // wait instead, it would keep everybody out.
    if (until_.size() >= limits::throttled_max) {
      until_.erase(
          std::ranges::min_element(until_, {}, [](const auto& one) { return one.second; }));
    }
  }
  Span& until = until_[name];
  const Span paid = std::max(until, now) + pause_;
  const Span most = now + at_once_ * pause_;
  if (paid > most) return paid - most;
  until = paid;
  return Span::zero();
}

void Throttle::give_back(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = until_.find(name); found != until_.end()) found->second -= pause_;
}

}  // namespace tyer::api
