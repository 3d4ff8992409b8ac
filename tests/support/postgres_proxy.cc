#include "support/postgres_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"

namespace tyer::testing {
namespace {

sockaddr_un address_of(const std::string& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = directory + "/.s.PGSQL.5432";
  TYER_CHECK(path.size() < sizeof address.sun_path, "the path of a socket is short");
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  return address;
}

std::string receive(const env::Fd& from, bool& closed) {
  std::string bytes(64 << 10, '\0');
  const ssize_t count = ::recv(from.get(), bytes.data(), bytes.size(), 0);
  closed = count <= 0;
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  return bytes;
}

void send(const env::Fd& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

PostgresProxy::PostgresProxy(std::string target)
    : target_(std::move(target)),
      listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  const sockaddr_un address = address_of(dir_.path());
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  TYER_CHECK(::bind(listener_.get(), generic, sizeof address) == 0, "the proxy has a socket");
  TYER_CHECK(::listen(listener_.get(), 16) == 0, "the proxy can listen");
  thread_ = std::thread([this] { relay(); });
}

PostgresProxy::~PostgresProxy() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string PostgresProxy::url(const std::string& database) const {
  return fmt::format("postgres://postgres@/{}?host={}", database, dir_.path());
}

void PostgresProxy::arm(Cut cut, bool for_good) {
  for_good_ = for_good;
  cut_ = cut;
}

void PostgresProxy::relay() {
  std::list<Line> lines;
  while (true) {
    std::vector<pollfd> polled{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Line& line : lines) {
      polled.push_back({line.client.get(), POLLIN, 0});
      polled.push_back({line.server.get(), POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) return;
    std::size_t at = 2;
    for (Line& line : lines) {
      if (polled[at].revents != 0) from_client(line);
      if (!line.closed && polled[at + 1].revents != 0) from_server(line);
      at += 2;
    }
    lines.remove_if([](const Line& line) { return line.closed; });
    if (polled[1].revents != 0) accept(lines);
  }
}

void PostgresProxy::accept(std::list<Line>& lines) {
  Line line{env::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)),
            env::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))};
  if (shut_) return;
  const sockaddr_un address = address_of(target_);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(line.server.get(), generic, sizeof address) != 0) return;
  lines.push_back(std::move(line));
}

void PostgresProxy::from_client(Line& line) {
  const std::string bytes = receive(line.client, line.closed);
  // The name of the prepared statement.
  if (bytes.find(std::string_view("\0commit\0", 8)) != std::string::npos) {
    if (cut_ == Cut::before_commit) return close(line);
    if (cut_ == Cut::before_anything) line.muted = true;
  }
  send(line.server, bytes);
}

void PostgresProxy::from_server(Line& line) {
  const std::string bytes = receive(line.server, line.closed);
  // What the server says when it is done.
  const std::size_t tag = bytes.find(std::string_view("COMMIT\0", 7));
  const bool cut = cut_ != Cut::never && tag != std::string::npos;
  if (!line.muted) send(line.client, cut ? bytes.substr(0, tag) : bytes);
  if (cut) close(line);
}

void PostgresProxy::close(Line& line) {
  line.closed = true;
  shut_ = for_good_;
  cut_ = Cut::never;
}

}  // namespace tyer::testing
