#include "http/room.h"

namespace tyer::http {

Room::Given Room::take(const std::string& name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > size_.all - taken_) return Given::no_more;
  std::uint64_t& has = by_name_[name];
  if (bytes > size_.each - has) {
    if (has == 0) by_name_.erase(name);
    return Given::not_for_this;
  }
  has += bytes;
  taken_ += bytes;
  return Given::yes;
}

void Room::give_back(const std::string& name, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const auto has = by_name_.find(name);
  if (has == by_name_.end()) return;
  taken_ -= bytes;
  has->second -= bytes;
  if (has->second == 0) by_name_.erase(has);
}

std::uint64_t Room::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

Room::Given Share::hold(std::uint64_t bytes) {
  if (bytes > bytes_) {
    const Room::Given given = room_.take(name_, bytes - bytes_);
    if (given != Room::Given::yes) return given;
  } else {
    room_.give_back(name_, bytes_ - bytes);
  }
  bytes_ = bytes;
  return Room::Given::yes;
}

}  // namespace tyer::http
