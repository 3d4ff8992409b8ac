#include "support/hub_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"

namespace tyer::testing {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

env::Fd tcp_socket() {
  return env::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

}  // namespace

HubRelay::HubRelay(int port, Change change)
    : port_(port),
      change_(std::move(change)),
      listener_(tcp_socket()),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  const sockaddr_in any = loopback(0);
  TYER_CHECK(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
                 ::listen(listener_.get(), 64) == 0,
             "the relay can listen");
  thread_ = std::thread([this] { relay(); });
}

HubRelay::~HubRelay() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string HubRelay::url() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  TYER_CHECK(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0,
             "the relay has an address");
  return fmt::format("http://127.0.0.1:{}", ntohs(address.sin_port));
}

void HubRelay::relay() {
  // A hub answers only to its own name.
  const std::string our_name = url().substr(std::string_view("http://").size());
  const Change name_the_hub = [&](std::string& asked) {
    const std::size_t at = asked.find(our_name);
    if (at < asked.find("\r\n\r\n")) {
      asked.replace(at, our_name.size(), fmt::format("127.0.0.1:{}", port_));
    }
  };
  std::list<Line> lines;
  while (true) {
    std::vector<pollfd> polled{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Line& line : lines) {
      polled.push_back({line.worker.get(), POLLIN, 0});
      polled.push_back({line.hub.get(), POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) return;
    std::size_t at = 2;
    std::erase_if(lines, [&](const Line& line) {
      const bool asks = polled[at++].revents != 0;
      const bool answers = polled[at++].revents != 0;
      return (asks && !pass_on(line.worker, line.hub, name_the_hub)) ||
             (answers && !pass_on(line.hub, line.worker, change_));
    });
    if (polled[1].revents == 0) continue;
    Line line{env::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)), tcp_socket()};
    const sockaddr_in hub = loopback(port_);
    if (::connect(line.hub.get(), reinterpret_cast<const sockaddr*>(&hub), sizeof hub) == 0) {
      lines.push_back(std::move(line));
    }
  }
}

bool HubRelay::pass_on(const env::Fd& from, const env::Fd& to, const Change& change) const {
  std::string bytes(1 << 20, '\0');
  const ssize_t got = ::recv(from.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  bytes.resize(static_cast<std::size_t>(got));
  change(bytes);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t put = ::send(to.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (put <= 0) return false;
    sent += static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace tyer::testing
