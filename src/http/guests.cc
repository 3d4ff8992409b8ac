#include "http/guests.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace tyer::http {
namespace {

constexpr std::string_view loopback = "127.0.0.1";

std::string network_of_v4(const std::string& address) {
  return address.starts_with("127.") ? std::string(loopback) : address;
}

}  // namespace

std::string network_of(std::string_view address) {
  const std::string host(address);
  in6_addr number{};
  if (::inet_pton(AF_INET6, host.c_str(), &number) != 1) return network_of_v4(host);
  if (IN6_IS_ADDR_LOOPBACK(&number)) return std::string(loopback);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&number)) {
    ::inet_ntop(AF_INET, &number.s6_addr[12], text.data(), text.size());
    return network_of_v4(text.data());
  }
  std::fill(std::begin(number.s6_addr) + 8, std::end(number.s6_addr), std::uint8_t{0});
  ::inet_ntop(AF_INET6, &number, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

Guests::Welcome Guests::enter(const std::string& address) {
  const std::string network = is_counted() ? network_of(address) : "";
  const std::lock_guard lock(mutex_);
  if (is_full(network)) {
    if (told_ >= most_.told) return Welcome::ignored;
    ++told_;
    return Welcome::told;
  }
  ++here_;
  if (is_counted()) ++per_network_[network];
  return Welcome::come_in;
}

// Requires the lock.
bool Guests::is_full(const std::string& network) const {
  if (here_ >= most_.all) return true;
  const std::size_t most = network == loopback ? most_.per_loopback : most_.per_peer;
  const auto same = per_network_.find(network);
  return most != 0 && same != per_network_.end() && same->second >= most;
}

void Guests::leave(const std::string& address, Welcome was) {
  const std::string network = is_counted() ? network_of(address) : "";
  const std::lock_guard lock(mutex_);
  if (was == Welcome::told) --told_;
  if (was != Welcome::come_in) return;
  --here_;
  const auto same = per_network_.find(network);
  if (same != per_network_.end() && --same->second == 0) per_network_.erase(same);
}

}  // namespace tyer::http
