// One connection of a server, as a state machine in the I/O thread.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "env/fd.h"
#include "http/body.h"
#include "http/parser.h"
#include "http/shared.h"
#include "http/stream.h"

namespace tyer::http {

class Session : public Waiter, public std::enable_shared_from_this<Session> {
 public:
  struct Peer {
    std::string address;
    int port = 0;

    [[nodiscard]] std::string text() const;     // "127.0.0.1:41234", "[::1]:41234"
    [[nodiscard]] std::string network() const;  // See network_of.
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
    asking,     // Whether its body may come: it is the pool's.
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
  void ask_in_pool();
  [[nodiscard]] bool admit(Admission admission);
  [[nodiscard]] bool begin_body();
  [[nodiscard]] bool take_body();
  [[nodiscard]] bool hold(Share& share, std::uint64_t bytes);
  void dispatch();
  void next_request();

  void answer(Response response, env::Fd file);
  void refuse(const Refusal& refusal);
  void turn_away(Response response);
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
  std::uint64_t body_max_ = 0;
  std::uint64_t announced_ = 0;  // How long the body will be, if that is known.
  bool is_invited_ = false;      // It waits for "100 Continue".

  // Of the rooms of the server, until it is answered.
  std::unique_ptr<Share> memory_;
  std::unique_ptr<Share> disk_;

  std::string out_;
  std::size_t sent_ = 0;  // Of `out_`.
  std::string next_;      // A large body behind it.
  env::Fd file_;
  std::uint64_t file_left_ = 0;
  std::shared_ptr<Stream> stream_;
};

}  // namespace tyer::http
