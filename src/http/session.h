// One connection of a server, as a state machine in the I/O thread.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "env/fd.h"
#include "http/body.h"
#include "http/guests.h"
#include "http/loop.h"
#include "http/outbox.h"
#include "http/parser.h"
#include "http/pool.h"
#include "http/server.h"
#include "http/stream.h"
#include "http/wire.h"

namespace tyer::http {

class Session;

// The certificate that new connections get; none if they are plain. Any thread.
class Certificate {
 public:
  explicit Certificate(std::shared_ptr<TlsContext> first) : now_(std::move(first)) {}

  [[nodiscard]] std::shared_ptr<TlsContext> now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void renew(std::shared_ptr<TlsContext> next) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<TlsContext> now_;
};

// What all I/O threads of a server share.
struct Common {
  Common(Handler handler_given, Limits limits_given, std::shared_ptr<TlsContext> tls_given);

  const Handler handler;
  const Limits limits;
  Certificate certificate;
  const Span tick;  // Deadlines are counted in these.
  Pool pool;
  Guests guests;

  struct Counts {
    std::atomic<std::uint64_t> connections, streams, requests, refused, cut;
  } counts;
};

// What the sessions of one I/O thread share. Only that thread uses it, apart from the
// loop's and the outbox' ways in.
struct Service {
  explicit Service(Common& common);

  const Handler& handler;
  const Limits& limits;
  const Certificate& certificate;
  const Span tick;
  Pool& pool;
  Guests& guests;
  Common::Counts& counts;

  Loop loop;
  std::shared_ptr<Outbox> outbox;
  std::string scratch;  // What is read passes through here.

  std::vector<std::shared_ptr<Session>> sessions;
  std::uint64_t ticks = 0;
  bool ticking = false;
  bool stopping = false;

  void add(const std::shared_ptr<Session>& session);
  void remove(Session& session);
  void count_down();  // The next tick.
};

class Session : public Waiter, public std::enable_shared_from_this<Session> {
 public:
  struct Peer {
    std::string address;
    int port = 0;

    [[nodiscard]] std::string text() const;  // "127.0.0.1:41234", "[::1]:41234"
  };

  Session(Service& service, int fd, Peer peer, Guests::Welcome welcome);

  void start();

  void on_ready(Side side) override;
  void on_tick();
  void on_stream();  // It has something to be written.
  // For who writes whole chunks to it. None if they cannot be written as they are.
  [[nodiscard]] env::Fd copy_descriptor() const;
  void leave();  // The server stops.
  void close();

 private:
  friend struct Service;

  enum class State : std::uint8_t {
    handshake,  // TLS.
    head,       // Reading a request, or waiting for one.
    body,
    inviting,  // Writing "100 Continue".
    handling,  // It is the pool's.
    answering,
    streaming,
    lingering,  // All is said; reading until the peer has heard.
    closed,
  };

  void advance();
  void shake();
  [[nodiscard]] bool hears_plain_text();  // Where TLS should begin.
  void receive();
  [[nodiscard]] bool take();  // From `in_`. Whether to read on.
  [[nodiscard]] bool take_head();
  [[nodiscard]] bool begin(Head head);
  [[nodiscard]] bool take_body();
  void dispatch();
  void next_request();

  void answer(Response response, env::Fd file);
  void refuse(const Refusal& refusal);
  void start_stream(const std::function<void(std::shared_ptr<Stream>)>& give);
  void flush();
  [[nodiscard]] bool refill();
  [[nodiscard]] bool refill_from_file();
  [[nodiscard]] bool refill_from_stream();
  void written();
  void listen();  // To a peer that should have nothing to say.
  void linger();
  void expire();

  void wait(Io io);
  void later();  // Goes on after the others had their turn.
  void set_deadline(Span span) { set_deadline_at(service_.ticks, span); }
  void set_deadline_at(std::uint64_t start, Span span);

  Service& service_;
  const int fd_;
  Watched watched_;
  Wire wire_;
  const Peer peer_;
  const Guests::Welcome welcome_;
  std::size_t index_ = 0;       // In Service::sessions.
  std::uint64_t deadline_ = 0;  // The tick; 0 is none.
  std::uint64_t body_start_ = 0;
  std::uint64_t drained_ = 0;  // Bytes read while lingering.

  State state_ = State::head;
  bool waits_read_ = false;
  bool waits_write_ = false;
  bool listened_ = false;  // To the first byte, where TLS should begin.
  bool begun_ = false;     // The first byte of a head is there.
  bool is_head_request_ = false;
  bool keep_alive_ = false;
  bool ended_ = false;  // The last of a stream is in `out_`.
  int version_ = 11;

  std::string in_;
  std::size_t searched_ = 0;  // So far `in_` has no end of a head.
  std::unique_ptr<RequestParser> parser_;
  std::unique_ptr<Request> request_;
  std::unique_ptr<Body> body_;

  std::string out_;
  std::size_t sent_ = 0;  // Of `out_`.
  std::string next_;      // A large body behind it.
  env::Fd file_;
  std::uint64_t file_left_ = 0;
  std::shared_ptr<Stream> stream_;
};

}  // namespace tyer::http
