// Who is connected to a server, over all its threads: how many there may be, of all and of one
// address, and how many more are at least told that there is no room.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tyer::http {

class Guests {
 public:
  // `per_peer_max` zero: one address may have them all.
  Guests(std::size_t most, std::size_t per_peer_max, std::size_t told_max)
      : most_(most), per_peer_max_(per_peer_max), told_max_(told_max) {}

  enum class Welcome : std::uint8_t {
    come_in,
    told,     // That there is no room. It leaves like everybody else.
    ignored,  // Not even that, and it is not here.
  };
  [[nodiscard]] Welcome enter(const std::string& address);
  void leave(const std::string& address, Welcome was);

 private:
  const std::size_t most_;
  const std::size_t per_peer_max_;
  const std::size_t told_max_;
  std::mutex mutex_;
  std::size_t here_ = 0;
  std::size_t told_ = 0;
  std::unordered_map<std::string, std::size_t> per_peer_;
};

}  // namespace tyer::http
