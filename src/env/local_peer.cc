#include "env/local_peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "env/fd.h"
#include "env/limits.h"

namespace tyer::env {
namespace {

constexpr std::string_view time_wait = "06";  // Nobody's any more.

// The words of a line, which blanks stand between.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) return words;
    words.push_back(line.substr(0, line.find(' ')));
    line.remove_prefix(words.back().size());
  }
}

// As the kernel writes it: words of four bytes each as a number of this machine.
std::string hex_of(const unsigned char* bytes, std::size_t count) {
  std::string text;
  for (std::size_t at = 0; at < count; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return text;
}

struct Names {
  std::string v4;  // In the table of IPv4; empty: it is not there.
  std::string v6;
};

std::optional<Names> names_of(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string host(peer.substr(0, colon));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  unsigned number = 0;
  const char* const end = peer.data() + peer.size();
  if (std::from_chars(peer.data() + colon + 1, end, number).ptr != end) return std::nullopt;
  const std::string port = fmt::format(":{:04X}", number);
  in6_addr wide{};
  in_addr plain{};
  const bool is_wide = ::inet_pton(AF_INET6, host.c_str(), &wide) == 1;
  if (is_wide && !IN6_IS_ADDR_V4MAPPED(&wide)) return Names{"", hex_of(wide.s6_addr, 16) + port};
  if (is_wide) {
    std::memcpy(&plain, &wide.s6_addr[12], sizeof plain);
  } else if (::inet_pton(AF_INET, host.c_str(), &plain) != 1) {
    return std::nullopt;
  }
  std::array<unsigned char, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  std::memcpy(&mapped[12], &plain, sizeof plain);
  return Names{hex_of(&mapped[12], 4) + port, hex_of(mapped.data(), 16) + port};
}

std::string read_table(const char* path) {
  const Fd fd(::open(path, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 65'536> piece{};
  while (fd && text.size() < limits::socket_table_bytes_max) {
    const ssize_t got = uninterrupted([&] { return ::read(fd.get(), piece.data(), piece.size()); });
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

// Of each line the second word is the socket's own address, the fourth its state, the eighth its
// user.
SocketOwner find_owner(std::string_view table, std::string_view address, unsigned user) {
  SocketOwner owner = SocketOwner::unknown;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 8 || words[1] != address || words[3] == time_wait) continue;
    if (words[7] != std::to_string(user)) return SocketOwner::other;
    owner = SocketOwner::own;
  }
  return owner;
}

bool is_own_users_socket(std::string_view peer) {
  const auto names = names_of(peer);
  if (!names) return false;
  const unsigned user = ::geteuid();
  const SocketOwner plain = names->v4.empty()
                                ? SocketOwner::unknown
                                : find_owner(read_table("/proc/net/tcp"), names->v4, user);
  const SocketOwner wide = find_owner(read_table("/proc/net/tcp6"), names->v6, user);
  const bool is_others = plain == SocketOwner::other || wide == SocketOwner::other;
  return !is_others && (plain == SocketOwner::own || wide == SocketOwner::own);
}

}  // namespace tyer::env
