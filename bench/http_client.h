// The other side of the hub's benchmark: one thread that asks, reads many streams and makes load,
// on loopback, with as little of its own as possible.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "env/clock.h"
#include "env/fd.h"

namespace tyer::bench {

inline constexpr int answer_millis_max = 20'000;  // Never reached where all is well.

[[nodiscard]] inline Result<env::Fd> connect_to(int port) {
  env::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  if (!fd || ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
    return fail(Fault::unavailable, fmt::format("nobody answers on port {}", port));
  }
  return fd;
}

[[nodiscard]] inline std::string request_text(int port, std::string_view method,
                                              std::string_view path, std::string_view body = {}) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: */*\r\n", method, path, port);
  if (!body.empty()) {
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
  }
  return text + "\r\n" + std::string(body);
}

[[nodiscard]] inline Result<> send_all(int fd, std::string_view text) {
  const ssize_t sent =
      env::uninterrupted([&] { return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL); });
  if (sent == static_cast<ssize_t>(text.size())) return {};
  return fail(Fault::unavailable, "a request could not be sent");
}

struct Answer {
  int status = 0;
  std::string_view body;  // If it has a length.
  std::size_t end = 0;    // Of the whole answer.
};

// The answer at the beginning of `bytes`, once it is there as a whole.
[[nodiscard]] inline std::optional<Answer> read_answer(std::string_view bytes) {
  const std::size_t blank = bytes.find("\r\n\r\n");
  if (blank == std::string_view::npos || blank < sizeof "HTTP/1.1 200") return std::nullopt;
  Answer answer;
  std::from_chars(bytes.data() + 9, bytes.data() + 12, answer.status);
  const std::string_view head = bytes.substr(0, blank);
  for (const std::string_view name : {"\r\ncontent-length: ", "\r\nContent-Length: "}) {
    const std::size_t at = head.find(name);
    if (at == std::string_view::npos) continue;
    std::size_t length = 0;
    std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
    answer.end = blank + 4 + length;
    if (bytes.size() < answer.end) return std::nullopt;
    answer.body = bytes.substr(blank + 4, length);
    return answer;
  }
  const std::size_t last = bytes.find("0\r\n\r\n", blank + 4);  // Of chunks.
  if (last == std::string_view::npos) return std::nullopt;
  answer.end = last + 5;
  return answer;
}

// One connection, one request at a time.
class Asker {
 public:
  [[nodiscard]] static Result<Asker> open(int port) {
    TYER_TRY(env::Fd fd, connect_to(port));
    const timeval most{.tv_sec = answer_millis_max / 1000};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    return Asker(std::move(fd), port);
  }

  [[nodiscard]] Result<> send(std::string_view method, std::string_view path,
                              std::string_view body = {}) {
    return send_all(fd_.get(), request_text(port_, method, path, body));
  }

  // The body of the next answer, which must be a good one.
  [[nodiscard]] Result<std::string> receive() {
    while (true) {
      if (const auto answer = read_answer(in_)) {
        std::string body(answer->body);
        const int status = answer->status;
        in_.erase(0, answer->end);
        if (status / 100 == 2) return body;
        return fail(Fault::unavailable, fmt::format("the answer is {}: {}", status, body));
      }
      char some[16 << 10];
      const ssize_t got =
          env::uninterrupted([&] { return ::recv(fd_.get(), some, sizeof some, 0); });
      if (got <= 0) return fail(Fault::unavailable, "there is no answer");
      in_.append(some, static_cast<std::size_t>(got));
    }
  }

  [[nodiscard]] Result<std::string> ask(std::string_view method, std::string_view path,
                                        std::string_view body = {}) {
    TYER_TRY_OK(send(method, path, body));
    return receive();
  }

 private:
  Asker(env::Fd fd, int port) : fd_(std::move(fd)), port_(port) {}

  env::Fd fd_;
  int port_;
  std::string in_;
};

// Connections that one epoll tells of.
class Connections {
 public:
  explicit Connections(int port) : port_(port), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] int port() const { return port_; }

  [[nodiscard]] Result<> add() {
    TYER_TRY(env::Fd fd, connect_to(port_));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = all_.size()}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd.get(), &event);
    all_.push_back({std::move(fd)});
    return {};
  }

  [[nodiscard]] Result<> send(std::size_t which, std::string_view text) {
    return send_all(all_[which].fd.get(), text);
  }

  // Calls `take(which, text)` for those that have got something, with all that each has not
  // been freed of; true if there were any within `millis_max`.
  template <class Take>
  [[nodiscard]] Result<bool> turn(int millis_max, Take take) {
    epoll_event ready[256];
    const int count = env::uninterrupted(
        [&] { return ::epoll_wait(epoll_.get(), ready, std::size(ready), millis_max); });
    for (int i = 0; i < count; ++i) {
      const std::size_t which = ready[i].data.u64;
      Connection& one = all_[which];
      char some[16 << 10];
      const ssize_t got =
          env::uninterrupted([&] { return ::recv(one.fd.get(), some, sizeof some, MSG_DONTWAIT); });
      if (got <= 0) return fail(Fault::unavailable, "a connection was closed");
      one.in.append(some, static_cast<std::size_t>(got));
      TYER_TRY_OK(take(which, one.in));
    }
    return count > 0;
  }

 private:
  struct Connection {
    env::Fd fd;
    std::string in = {};
  };

  int port_;
  env::Fd epoll_;
  std::vector<Connection> all_;
};

}  // namespace tyer::bench
