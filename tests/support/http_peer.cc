#include "support/http_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

namespace tyer::testing {

HttpPeer::HttpPeer(int port, int receive_buffer)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (receive_buffer != 0) {
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

void HttpPeer::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void HttpPeer::finish() {
  ::shutdown(fd_.get(), SHUT_WR);
}

void HttpPeer::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_ = env::Fd();
}

bool HttpPeer::fill() {
  std::array<char, 65536> piece;
  const ssize_t got = ::recv(fd_.get(), piece.data(), piece.size(), 0);
  if (got < 0 && errno == EAGAIN) ADD_FAILURE() << "the server said nothing for 20 s";
  if (got > 0) unread_.append(piece.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::string HttpPeer::until(std::string_view mark) {
  while (!unread_.contains(mark)) {
    if (!fill()) return std::exchange(unread_, {});
  }
  const std::size_t end = unread_.find(mark) + mark.size();
  std::string text = unread_.substr(0, end);
  unread_.erase(0, end);
  return text;
}

std::string HttpPeer::rest() {
  while (fill()) {
  }
  return std::exchange(unread_, {});
}

HttpPeer::Answer HttpPeer::answer(bool to_head_request) {
  Answer answer{.head = until("\r\n\r\n")};
  if (!answer.head.ends_with("\r\n\r\n")) return answer;
  answer.status = std::atoi(answer.head.c_str() + std::string_view("HTTP/1.1 ").size());
  constexpr std::string_view name = "Content-Length: ";
  const std::size_t at = answer.head.find(name);
  if (at == std::string::npos || to_head_request) return answer;
  const auto length = std::strtoull(answer.head.c_str() + at + name.size(), nullptr, 10);
  while (unread_.size() < length && fill()) {
  }
  answer.body = unread_.substr(0, length);
  unread_.erase(0, length);
  return answer;
}

HttpPeer::Answer HttpPeer::ask(std::string_view text) {
  send(text);
  return answer();
}

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: here\r\n\r\n";
}

}  // namespace tyer::testing
