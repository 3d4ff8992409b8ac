// An HTTP/1.1 server: I/O threads that share the connections, and threads for handlers that block.
//
// It knows nothing of what it serves. Everything a peer can make it hold is
// bounded by `Limits`, and what is refused is told why: as JSON, with one of the
// faults of base/error.h, before the connection is closed. The handler sees
// requests only that are complete, well-formed and within bounds.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "http/message.h"
#include "http/room.h"
#include "http/wire.h"

namespace tyer::http {

// Whether the body of a request may come.
struct Admission {
  std::string owner;                // Whose it is; empty: a stranger's.
  std::optional<Response> refusal;  // Instead of it: the connection is closed after that.
};

struct Limits {
  std::size_t header_max = 16 << 10;       // 431 above it.
  std::size_t body_max = 1 << 20;          // 413 above it.
  std::size_t connections = 20'000;        // 503 above it.
  std::size_t per_peer = 0;                // Connections of one network; 0: as many as all. 503.
  std::size_t per_loopback = 0;            // The same of the programs of this machine together.
  std::size_t io_threads = 2;              // Each has its share of the connections.
  std::size_t pool = 8;                    // Threads for handlers.
  std::size_t waiting = 256;               // Requests for a thread; 503 above it.
  std::size_t stream_pending = 256 << 10;  // Bytes; see stream.h.
  Span header_time = 10s;                  // From the first byte of a head to its last: 408.
  Span body_time = 60s;                    // The same, and more while enough comes: 408.
  Span body_pause = 30s;                   // Without a byte of a body: 408.
  Span idle = 75s;                         // Between two requests.
  Span write_time = 30s;                   // Without any progress.

  // What is still coming, in bytes. 503 above what all may have together, 429 above what one may.
  RoomSize strangers{16 << 20, 4 << 20};   // Of those who were not admitted, by their networks.
  RoomSize bodies{64 << 20, 16 << 20};     // In memory, by whose they are.
  RoomSize files{1ULL << 30U, 256 << 20};  // In `spool_dir`.

  // Who may send the body of this request, asked when its head is there and not all of the body.
  // None: everybody. In the I/O thread if `admits_at_once` says so or is none, else in the pool.
  std::function<Admission(const Request& head)> admit;
  std::function<bool()> admits_at_once;

  // How large a body this request may have, asked when its head is there; 0 is
  // `body_max`. In the I/O thread, so quickly. A body that gets larger than
  // `body_max` is not held in memory but in an unlinked file in `spool_dir`.
  std::function<std::uint64_t(const Request& head)> body_limit;
  std::string spool_dir = "/tmp";

  // Whether this request is answered so quickly, and without ever waiting for anybody, that its
  // handler may run in the I/O thread itself: two changes of thread cost more than a small answer.
  std::function<bool(const Request&)> quick;
};

class Server {
 public:
  // `listen` is an address and a port, "127.0.0.1:7420" or "[::1]:0".
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const std::string& listen,
                                                             Handler handler, Limits limits,
                                                             std::optional<Tls> tls = {});
  ~Server();  // Stops without grace.
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string address() const;  // As `listen`, with the real port.
  [[nodiscard]] int port() const;

  // Reads certificate and key again, from the files they were read from: new connections get them,
  // and those that are there go on. If they do not fit, all is as before. Any thread.
  [[nodiscard]] Result<> renew_tls();

  // No new connections or requests; those under way finish within `grace`,
  // streams get their farewell and end. Then everything is closed; a handler
  // that still runs is waited for. Idempotent. Not to be called by a handler.
  void stop(Span grace);

  struct Counts {
    std::uint64_t connections = 0;  // Now.
    std::uint64_t streams = 0;      // Now.
    std::uint64_t requests = 0;     // Since the start, as the rest.
    std::uint64_t refused = 0;      // Before the handler.
    std::uint64_t cut = 0;          // Streams whose reader was too slow.
  };
  [[nodiscard]] Counts counts() const;

 private:
  class Running;
  explicit Server(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace tyer::http
