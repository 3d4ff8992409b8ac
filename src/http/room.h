// How much a server holds of what is still coming: a number of bytes for all, and one for each of
// those who send.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tyer::http {

// How many bytes there may be, of all together and under one name.
struct RoomSize {
  std::uint64_t all = 0;
  std::uint64_t each = 0;
};

// From any thread.
class Room {
 public:
  explicit Room(RoomSize size) : size_(size) {}

  enum class Given : std::uint8_t {
    yes,
    no_more,       // All together have what there is.
    not_for_this,  // This one has its part already.
  };
  [[nodiscard]] Given take(const std::string& name, std::uint64_t bytes);
  void give_back(const std::string& name, std::uint64_t bytes);

  [[nodiscard]] std::uint64_t taken() const;

 private:
  const RoomSize size_;
  mutable std::mutex mutex_;
  std::uint64_t taken_ = 0;
  std::unordered_map<std::string, std::uint64_t> by_name_;
};

// What one connection has of a room, until it ends.
class Share {
 public:
  Share(Room& room, std::string name) : room_(room), name_(std::move(name)) {}
  ~Share() { room_.give_back(name_, bytes_); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // From now on so many bytes in all, more or fewer than before. After a no it is as it was.
  [[nodiscard]] Room::Given hold(std::uint64_t bytes);

 private:
  Room& room_;
  const std::string name_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tyer::http
