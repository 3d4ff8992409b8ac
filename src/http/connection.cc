#include "http/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "env/os_error.h"

namespace tyer::http {
namespace {

Result<env::Fd> connect_to(const addrinfo& address, const std::string& name, Bound bound) {
  env::Fd fd(::socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return std::unexpected(env::os_error(errno, "connect to", name));
  const int on = 1;
  (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  int error = ::connect(fd.get(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    TYER_TRY_OK(await(fd.get(), POLLOUT, bound));
    socklen_t size = sizeof error;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  }
  if (error != 0) {
    Error failed = env::os_error(error, "connect to", name);
    failed.fault = Fault::unavailable;
    return std::unexpected(std::move(failed));
  }
  return fd;
}

}  // namespace

Result<> await(int fd, short events, Bound bound) {
  const env::LinuxClock clock;
  while (true) {
    std::array<pollfd, 2> entries{{{.fd = fd, .events = events, .revents = 0},
                                   {.fd = bound.stop_fd, .events = POLLIN, .revents = 0}}};
    const Span left = std::max(Span::zero(), bound.until - clock.mono());
    const timespec timeout{.tv_sec = left / 1s, .tv_nsec = (left % 1s) / 1us * 1000};
    const int ready = ::ppoll(entries.data(), entries.size(), &timeout, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return std::unexpected(env::os_error(errno, "wait for", "a connection"));
    if (entries[1].revents != 0) return fail(Fault::cancelled, "stopped while waiting");
    if (ready == 0) return fail(Fault::timeout, "no answer in time");
    return {};
  }
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& host, int port,
                                                     TlsContext* tls, Bound bound) {
  const std::string name = fmt::format("{}:{}", host, port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int looked = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (looked != 0) {
    return fail(Fault::unavailable, fmt::format("{}: {}", name, ::gai_strerror(looked)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
  Result<env::Fd> fd = fail(Fault::unavailable, name + ": it has no address");
  for (const addrinfo* each = found; each != nullptr && !fd; each = each->ai_next) {
    fd = connect_to(*each, name, bound);
  }
  if (!fd) return std::unexpected(std::move(fd).error());
  std::unique_ptr<Connection> made(new Connection(std::move(*fd), name));
  const int number = made->fd_.get();
  made->wire_ = tls != nullptr ? Wire(number, *tls, host) : Wire(number);
  while (true) {
    const Moved moved = made->wire_.handshake();
    if (moved.io == Io::done) return made;
    const Result<> settled = made->settle(moved.io, bound);
    if (!settled && settled.error().fault == Fault::timeout) {
      return fail(Fault::timeout, name +
                                      ": no answer to TLS in time; if it speaks plain HTTP, write "
                                      "http:// in place of https://");
    }
    TYER_TRY_OK(settled);
  }
}

Result<> Connection::write(std::string_view bytes, Bound bound) {
  while (!bytes.empty()) {
    const Moved moved = wire_.write(bytes);
    if (moved.io == Io::done) {
      bytes.remove_prefix(moved.bytes);
    } else {
      TYER_TRY_OK(settle(moved.io, bound));
    }
  }
  return {};
}

Result<std::size_t> Connection::read(std::span<char> into, Bound bound) {
  while (true) {
    const Moved moved = wire_.read(into);
    if (moved.io == Io::done || moved.io == Io::closed) return moved.bytes;
    TYER_TRY_OK(settle(moved.io, bound));
  }
}

bool Connection::is_stale() const {
  pollfd entry{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) != 0;
}

Result<> Connection::settle(Io io, Bound bound) {
  switch (io) {
    case Io::want_read: return await(fd_.get(), POLLIN, bound);
    case Io::want_write: return await(fd_.get(), POLLOUT, bound);
    case Io::closed: return fail(Fault::unavailable, name_ + ": it closed the connection");
    default: return fail(Fault::unavailable, name_ + ": " + wire_.why());
  }
}

}  // namespace tyer::http
