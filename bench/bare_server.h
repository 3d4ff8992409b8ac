// A server that does only what cannot be left out. One thread, epoll, no real parser.

#pragma once

#include <deque>
#include <functional>

#include "http_client.h"

namespace tyer::bench {

class BareServer {
 public:
  // Called with what a connection has received and `read` has not erased.
  using Read = std::function<Result<>(int fd, std::string& in)>;

  // Prints its port, then serves until it is killed.
  [[nodiscard]] static Result<> serve(const Read& read) {
    BareServer server(read);
    TYER_TRY_OK(server.listen());
    while (true) TYER_TRY_OK(server.turn());
  }

 private:
  struct Peer {
    env::Fd fd;
    std::string in = {};
  };

  explicit BareServer(const Read& read) : read_(read), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  [[nodiscard]] Result<> listen() {
    door_ = env::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(door_.get(), any, size) != 0 || ::listen(door_.get(), SOMAXCONN) != 0 ||
        ::getsockname(door_.get(), any, &size) != 0) {
      return fail(Fault::unavailable, "the bare server has no port");
    }
    watch(door_.get(), 0);
    fmt::print("port {} ready\n", ntohs(address.sin_port));
    std::fflush(stdout);
    return {};
  }

  void watch(int fd, std::size_t which) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = which}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  [[nodiscard]] Result<> turn() {
    epoll_event ready[64];
    const int count =
        env::uninterrupted([&] { return ::epoll_wait(epoll_.get(), ready, std::size(ready), -1); });
    for (int i = 0; i < count; ++i) {
      const std::size_t which = ready[i].data.u64;
      if (which == 0) {
        let_in();
      } else {
        TYER_TRY_OK(receive(peers_[which - 1]));
      }
    }
    return {};
  }

  void let_in() {
    env::Fd fd(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(fd.get(), peers_.size() + 1);
    peers_.push_back({std::move(fd)});
  }

  [[nodiscard]] Result<> receive(Peer& peer) {
    char some[16 << 10];
    const ssize_t got =
        env::uninterrupted([&] { return ::recv(peer.fd.get(), some, sizeof some, 0); });
    if (got <= 0) {
      peer.fd = env::Fd();
      return {};
    }
    peer.in.append(some, static_cast<std::size_t>(got));
    return read_(peer.fd.get(), peer.in);
  }

  const Read& read_;
  env::Fd epoll_;
  env::Fd door_;
  std::deque<Peer> peers_;
};

}  // namespace tyer::bench
