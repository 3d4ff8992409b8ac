// A hub that does only what cannot be left out: it stores what is posted as one row, waits for the
// disk, and writes it to its streams. One thread, epoll, no real parser.

#pragma once

#include "http_client.h"
#include "raw_sqlite.h"

namespace tyer::bench {

class BareHub {
 public:
  // Prints its port, then serves until it is killed.
  [[nodiscard]] static Result<> serve(const std::string& database) {
    BareHub hub;
    TYER_TRY(hub.rows_, RawSqlite::open(database));
    TYER_TRY_OK(hub.rows_->warm_up(store::Durability::full));
    TYER_TRY_OK(hub.listen());
    while (true) TYER_TRY_OK(hub.turn());
  }

 private:
  struct Peer {
    env::Fd fd;
    std::string in = {};
  };

  BareHub() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  [[nodiscard]] Result<> listen() {
    door_ = env::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(door_.get(), any, size) != 0 || ::listen(door_.get(), SOMAXCONN) != 0 ||
        ::getsockname(door_.get(), any, &size) != 0) {
      return fail(Fault::unavailable, "the bare hub has no port");
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
        TYER_TRY_OK(read(peers_[which - 1]));
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

  [[nodiscard]] Result<> read(Peer& peer) {
    char some[16 << 10];
    const ssize_t got =
        env::uninterrupted([&] { return ::recv(peer.fd.get(), some, sizeof some, 0); });
    if (got <= 0) {
      peer.fd = env::Fd();
      return {};
    }
    peer.in.append(some, static_cast<std::size_t>(got));
    if (peer.in.starts_with("GET ")) {
      if (!peer.in.ends_with("\r\n\r\n")) return {};
      peer.in.clear();
      streams_.push_back(peer.fd.get());
      return send_all(peer.fd.get(),
                      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: welcome\n\n");
    }
    // A request and an answer are framed alike.
    const auto post = read_answer(peer.in);
    if (!post) return {};
    TYER_TRY_OK(rows_->insert_text(post->body));
    const std::string event = fmt::format("event: comment_created\ndata: {}\n\n", post->body);
    for (const int stream : streams_) TYER_TRY_OK(send_all(stream, event));
    peer.in.erase(0, post->end);
    return send_all(peer.fd.get(), "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  }

  env::Fd epoll_;
  env::Fd door_;
  std::vector<Peer> peers_;
  std::vector<int> streams_;
  std::unique_ptr<RawSqlite> rows_;
};

}  // namespace tyer::bench
