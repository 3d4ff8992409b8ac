#include "http/guests.h"

namespace tyer::http {

Guests::Welcome Guests::enter(const std::string& address) {
  const std::lock_guard lock(mutex_);
  const auto same = per_peer_max_ != 0 ? per_peer_.find(address) : per_peer_.end();
  const bool is_full = here_ >= most_ || (same != per_peer_.end() && same->second >= per_peer_max_);
  if (is_full) {
    if (told_ >= told_max_) return Welcome::ignored;
    ++told_;
    return Welcome::told;
  }
  ++here_;
  if (per_peer_max_ != 0) ++per_peer_[address];
  return Welcome::come_in;
}

void Guests::leave(const std::string& address, Welcome was) {
  const std::lock_guard lock(mutex_);
  if (was == Welcome::told) --told_;
  if (was != Welcome::come_in) return;
  --here_;
  const auto same = per_peer_.find(address);
  if (same != per_peer_.end() && --same->second == 0) per_peer_.erase(same);
}

}  // namespace tyer::http
