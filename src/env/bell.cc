#include "env/bell.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "env/os_error.h"

namespace tyer::env {
namespace {

struct Address {
  sockaddr_un address{};
  socklen_t length = 0;
};

// In the abstract namespace, which needs no file and leaves none behind.
Address address_of(const std::string& name) {
  Address result;
  result.address.sun_family = AF_UNIX;
  const std::string path = std::string(1, '\0') + "tyer/" + name;
  const std::size_t length = std::min(path.size(), sizeof result.address.sun_path);
  std::copy_n(path.data(), length, result.address.sun_path);
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  return result;
}

Fd open_socket() {
  return Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.address);
}

}  // namespace

Result<Bell> Bell::hang(const std::string& name) {
  Fd fd = open_socket();
  const Address address = address_of(name);
  if (!fd || ::bind(fd.get(), generic(address), address.length) != 0) {
    return std::unexpected(os_error(errno, "hang", "a bell"));
  }
  return Bell(std::move(fd));
}

bool Bell::silence() const {
  char nothing = 0;
  bool rung = false;
  while (::recv(fd_.get(), &nothing, 1, MSG_DONTWAIT) >= 0) rung = true;
  return rung;
}

void ring(const std::string& name) {
  const Fd fd = open_socket();
  const Address address = address_of(name);
  if (fd) (void)::sendto(fd.get(), "", 1, MSG_DONTWAIT, generic(address), address.length);
}

bool is_hung(const std::string& name) {
  const Fd fd = open_socket();
  const Address address = address_of(name);
  return fd && ::connect(fd.get(), generic(address), address.length) == 0;
}

}  // namespace tyer::env
