#include "http/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "env/fd.h"
#include "env/os_error.h"
#include "http/limits.h"
#include "http/session.h"

namespace tyer::http {
namespace {

Span tick_for(const Limits& limits) {
  const Span least =
      std::min({limits.header_time, limits.body_time, limits.idle, limits.write_time});
  return std::clamp(least / 4, limits::http_tick_min, limits::http_tick_max);
}

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

Result<Address> parse_address(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  std::string host = listen.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  std::uint16_t port = 0;
  const char* end = listen.data() + listen.size();
  const char* digits = colon == std::string::npos ? end : listen.data() + colon + 1;
  const auto [rest, error] = std::from_chars(digits, end, port);
  Address address{};
  const bool is_port = error == std::errc() && rest == end;
  if (is_port && ::inet_pton(AF_INET, host.c_str(), &address.v4.sin_addr) == 1) {
    address.v4.sin_family = AF_INET;
    address.v4.sin_port = htons(port);
    return address;
  }
  address = {};
  if (is_port && ::inet_pton(AF_INET6, host.c_str(), &address.v6.sin6_addr) == 1) {
    address.v6.sin6_family = AF_INET6;
    address.v6.sin6_port = htons(port);
    return address;
  }
  return fail(Fault::invalid, listen + ": not an address and a port, as 127.0.0.1:7420 is one");
}

Session::Peer peer_of(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const bool is_v6 = address.any.sa_family == AF_INET6;
  const void* binary = is_v6 ? static_cast<const void*>(&address.v6.sin6_addr)
                             : static_cast<const void*>(&address.v4.sin_addr);
  ::inet_ntop(address.any.sa_family, binary, text, sizeof text);
  return {.address = text, .port = ntohs(is_v6 ? address.v6.sin6_port : address.v4.sin_port)};
}

Result<env::Fd> listen_on(const Address& address, const std::string& name) {
  env::Fd fd(::socket(address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  const socklen_t size =
      address.any.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(fd.get(), &address.any, size) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) {
    if (errno == EADDRINUSE) {
      return fail(Fault::unavailable,
                  "cannot listen on " + name +
                      ": another program does; end it or choose another address with --listen");
    }
    return std::unexpected(env::os_error(errno, "listen on", name));
  }
  return fd;
}

}  // namespace

// Lets connections in.
class Door : public Waiter, public std::enable_shared_from_this<Door> {
 public:
  // It is watched by the first of the services; all get their share.
  Door(std::span<const std::unique_ptr<Service>> services, env::Fd fd)
      : services_(services),
        service_(*services.front()),
        fd_(fd.get()),
        watched_(service_.loop, fd.release()) {}

  void open() { watched_.wait(Side::read, shared_from_this()); }
  void close() {
    is_closed_ = true;
    watched_.close();
  }

  void on_ready(Side) override {
    for (int i = 0; i < limits::http_accepts_max && !is_closed_; ++i) {
      Address address{};
      socklen_t size = sizeof address;
      const int fd = ::accept4(fd_, &address.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd >= 0) {
        let_in(env::Fd(fd), peer_of(address));
      } else if (errno == EAGAIN) {
        break;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        // Descriptors or memory have run out; some will come back.
        service_.loop.after(limits::http_accept_pause, [self = shared_from_this()] {
          if (!self->is_closed_) self->open();
        });
        return;
      }
    }
    if (!is_closed_) open();
  }

 private:
  void let_in(env::Fd fd, Session::Peer peer) {
    const int on = 1;
    (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const Guests::Welcome welcome = service_.guests.enter(peer.address);
    if (welcome == Guests::Welcome::ignored) {
      ++service_.counts.refused;  // And its descriptor goes with it.
      return;
    }
    Service& service = *services_[next_++ % services_.size()];
    const auto start = [&service, welcome](env::Fd& taken, Session::Peer& from) {
      std::make_shared<Session>(service, taken.release(), std::move(from), welcome)->start();
    };
    if (&service == &service_) return start(fd, peer);
    service.loop.post(
        [start, fd = std::move(fd), peer = std::move(peer)]() mutable { start(fd, peer); });
  }

  const std::span<const std::unique_ptr<Service>> services_;
  std::size_t next_ = 0;
  Service& service_;
  const int fd_;
  Watched watched_;
  bool is_closed_ = false;
};

Common::Common(Handler handler_given, Limits limits_given, std::shared_ptr<TlsContext> tls_given)
    : handler(std::move(handler_given)),
      limits(std::move(limits_given)),
      certificate(std::move(tls_given)),
      tick(tick_for(limits)),
      pool(std::max<std::size_t>(limits.pool, 1), limits.waiting),
      // To tell somebody over TLS would take a handshake.
      guests({.all = limits.connections,
              .per_peer = limits.per_peer,
              .per_loopback = limits.per_loopback,
              .told = certificate.now() ? 0 : limits::http_turned_away_max}),
      rooms(limits) {}

Service::Service(Common& common)
    : handler(common.handler),
      limits(common.limits),
      certificate(common.certificate),
      tick(common.tick),
      pool(common.pool),
      guests(common.guests),
      rooms(common.rooms),
      counts(common.counts),
      outbox(std::make_shared<Outbox>(loop)),
      scratch(limits::http_read_bytes, '\0') {}

void Service::add(const std::shared_ptr<Session>& session) {
  session->index_ = sessions.size();
  sessions.push_back(session);
  ++counts.connections;
  if (!std::exchange(ticking, true)) loop.after(tick, [this] { count_down(); });
}

void Service::remove(Session& session) {
  const std::size_t index = session.index_;
  std::swap(sessions[index], sessions.back());
  sessions[index]->index_ = index;
  guests.leave(session.peer_.address, session.welcome_);
  sessions.pop_back();
  --counts.connections;
  if (stopping && sessions.empty()) loop.stop();
}

void Service::count_down() {
  ++ticks;
  // From the back: who is removed is replaced by one that had its turn.
  for (std::size_t i = sessions.size(); i-- > 0;) {
    const std::shared_ptr<Session> session = sessions[i];
    session->on_tick();
  }
  ticking = !sessions.empty();
  if (ticking) loop.after(tick, [this] { count_down(); });
}

class Server::Running {
 public:
  Running(env::Fd fd, Session::Peer real, Handler handler, Limits limits, std::optional<Tls> files,
          std::shared_ptr<TlsContext> context)
      : common(std::move(handler), std::move(limits), std::move(context)),
        address(std::move(real)),
        tls(std::move(files)) {
    const std::size_t threads = std::max<std::size_t>(common.limits.io_threads, 1);
    for (std::size_t i = 0; i < threads; ++i) {
      services_.push_back(std::make_unique<Service>(common));
    }
    door_ = std::make_shared<Door>(services_, std::move(fd));
    for (const auto& service : services_) {
      threads_.emplace_back([this, one = service.get()] {
        if (one == services_.front().get()) door_->open();
        one->loop.run();
      });
    }
  }

  ~Running() {
    stop({});
    for (const auto& service : services_) service->outbox->close();
  }

  void stop(Span grace) {
    const std::lock_guard lock(stopping_);
    if (threads_.empty()) return;
    // Who was let in before the door closes is in front of this in every other loop's queue.
    services_.front()->loop.post([this, grace] {
      door_->close();
      for (const auto& service : services_) {
        service->loop.post([one = service.get(), grace] { begin_to_stop(*one, grace); });
      }
    });
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    common.pool.forget();
    common.pool.join();
  }

  Common common;
  const Session::Peer address;
  const std::optional<Tls> tls;

 private:
  static void begin_to_stop(Service& service, Span grace) {
    service.stopping = true;
    each_session(service, [](Session& session) { session.leave(); });
    if (service.sessions.empty()) {
      service.loop.stop();
    } else {
      service.loop.after(
          grace, [&service] { each_session(service, [](Session& session) { session.close(); }); });
    }
  }

  static void each_session(const Service& service, void (*act)(Session&)) {
    const auto all = service.sessions;  // It shrinks.
    for (const auto& session : all) act(*session);
  }

  std::vector<std::unique_ptr<Service>> services_;
  std::shared_ptr<Door> door_;
  std::mutex stopping_;
  std::vector<std::thread> threads_;  // Last: they use everything above.
};

Result<std::unique_ptr<Server>> Server::start(const std::string& listen, Handler handler,
                                              Limits limits, std::optional<Tls> tls) {
  TYER_TRY(const Address wanted, parse_address(listen));
  std::shared_ptr<TlsContext> context;
  if (tls) {
    TYER_TRY(context, TlsContext::for_server(*tls));
  }
  TYER_TRY(env::Fd fd, listen_on(wanted, listen));
  Address real{};
  socklen_t size = sizeof real;
  if (::getsockname(fd.get(), &real.any, &size) != 0) {
    return std::unexpected(env::os_error(errno, "listen on", listen));
  }
  return std::unique_ptr<Server>(
      new Server(std::make_unique<Running>(std::move(fd), peer_of(real), std::move(handler),
                                           std::move(limits), std::move(tls), std::move(context))));
}

Server::Server(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Server::~Server() = default;

std::string Server::address() const {
  return running_->address.text();
}

int Server::port() const {
  return running_->address.port;
}

Result<> Server::renew_tls() {
  if (!running_->tls) return fail(Fault::invalid, "this server speaks no TLS");
  TYER_TRY(auto context, TlsContext::for_server(*running_->tls));
  running_->common.certificate.renew(std::move(context));
  return {};
}

void Server::stop(Span grace) {
  running_->stop(grace);
}

Server::Counts Server::counts() const {
  const auto& counts = running_->common.counts;
  return {.connections = counts.connections,
          .streams = counts.streams,
          .requests = counts.requests,
          .refused = counts.refused,
          .cut = counts.cut};
}

}  // namespace tyer::http
