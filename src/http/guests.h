// Who is connected to a server, over all its threads: how many there may be, of all and of one
// network, and how many more are at least told that there is no room.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tyer::http {

// The address itself, and what one customer has of IPv6 addresses: "2001:db8:0:1::/64". One that
// means this machine is "127.0.0.1".
[[nodiscard]] std::string network_of(std::string_view address);

class Guests {
 public:
  // Zero for a network: it may have them all.
  struct Most {
    std::size_t all = 0;
    std::size_t per_peer = 0;
    std::size_t per_loopback = 0;
    std::size_t told = 0;
  };
  explicit Guests(Most most) : most_(most) {}

  enum class Welcome : std::uint8_t {
    come_in,
    told,     // That there is no room. It leaves like everybody else.
    ignored,  // Not even that, and it is not here.
  };
  [[nodiscard]] Welcome enter(const std::string& address);
  void leave(const std::string& address, Welcome was);

 private:
  [[nodiscard]] bool is_counted() const { return most_.per_peer != 0 || most_.per_loopback != 0; }
  [[nodiscard]] bool is_full(const std::string& network) const;

  const Most most_;
  std::mutex mutex_;
  std::size_t here_ = 0;
  std::size_t told_ = 0;
  std::unordered_map<std::string, std::size_t> per_network_;
};

}  // namespace tyer::http
