// A client's end of a connection: it waits, up to a moment or until told to stop.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "env/fd.h"
#include "env/linux_clock.h"
#include "http/wire.h"

namespace tyer::http {

// How long, and what ends it earlier.
struct Bound {
  Span until{};      // By the monotonic clock.
  int stop_fd = -1;  // Readable: `cancelled`.
};

class Connection {
 public:
  // TLS if there is a context.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& host, int port,
                                                                TlsContext* tls, Bound bound);

  [[nodiscard]] Result<> write(std::string_view bytes, Bound bound);
  // At least one byte; 0 when the peer has ended it properly.
  [[nodiscard]] Result<std::size_t> read(std::span<char> into, Bound bound);

  // Whether the peer has said something unasked, most likely goodbye.
  [[nodiscard]] bool is_stale() const;

  [[nodiscard]] int plain_fd() const { return wire_.is_secure() ? -1 : fd_.get(); }

 private:
  Connection(env::Fd fd, std::string name) : fd_(std::move(fd)), name_(std::move(name)) {}
  [[nodiscard]] Result<> settle(Io io, Bound bound);

  const env::Fd fd_;
  const std::string name_;
  Wire wire_;
};

// Waits until one of `events` of poll(2) holds.
[[nodiscard]] Result<> await(int fd, short events, Bound bound);

}  // namespace tyer::http
