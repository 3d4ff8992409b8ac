#include "http/session.h"

#include <sys/socket.h>

#include <utility>

#include <fmt/format.h>

#include "http/limits.h"

namespace tyer::http {
namespace {

Refusal too_slow() {
  return {.status = 408, .fault = Fault::timeout, .what = "the request came too slowly"};
}

// A connection keeps the certificate that it began with.
Wire make_wire(int fd, const std::shared_ptr<TlsContext>& tls) {
  return tls ? Wire(fd, *tls) : Wire(fd);
}

}  // namespace

std::string Session::Peer::text() const {
  return address.contains(':') ? fmt::format("[{}]:{}", address, port)
                               : fmt::format("{}:{}", address, port);
}

std::string Session::Peer::network() const {
  return network_of(address);
}

Session::Session(Service& service, int fd, Peer peer, Guests::Welcome welcome)
    : service_(service),
      fd_(fd),
      watched_(service.loop, fd),
      wire_(make_wire(fd, service.certificate.now())),
      peer_(std::move(peer)),
      welcome_(welcome) {}

void Session::start() {
  service_.add(shared_from_this());
  if (welcome_ == Guests::Welcome::told) {
    refuse({.status = 503, .fault = Fault::unavailable, .what = "too many connections are open"});
    return;
  }
  state_ = wire_.is_secure() ? State::handshake : State::head;
  set_deadline(service_.limits.header_time);
  advance();
}

void Session::on_ready(Side side) {
  (side == Side::read ? waits_read_ : waits_write_) = false;
  if (state_ == State::streaming && side == Side::read) listen();
  advance();
}

void Session::on_tick() {
  if (deadline_ != 0 && service_.ticks >= deadline_) expire();
}

void Session::leave() {
  switch (state_) {
    case State::handshake:
    case State::head: close(); return;
    case State::streaming:
      stream_->part();
      on_stream();
      return;
    default: return;
  }
}

void Session::close() {
  if (std::exchange(state_, State::closed) == State::closed) return;
  const auto self = shared_from_this();
  memory_.reset();
  disk_.reset();
  watched_.close();
  service_.remove(*this);
  if (stream_) {
    --service_.counts.streams;
    std::exchange(stream_, nullptr)->close();
  }
}

void Session::advance() {
  switch (state_) {
    case State::handshake: shake(); return;
    case State::head:
    case State::body: receive(); return;
    case State::inviting:
    case State::answering:
    case State::streaming: flush(); return;
    case State::lingering: linger(); return;
    case State::asking:
    case State::handling:
    case State::closed: return;
  }
}

bool Session::hears_plain_text() {
  if (listened_) return false;
  char first = 0;
  listened_ = ::recv(fd_, &first, 1, MSG_PEEK) == 1;
  // A handshake begins with 22, a method with a letter.
  return listened_ && first >= 'A' && first <= 'Z';
}

void Session::shake() {
  if (hears_plain_text()) {
    wire_ = Wire(fd_);
    refuse({.what = "TLS is spoken here: write https:// in place of http://"});
    return;
  }
  const Moved moved = wire_.handshake();
  if (moved.io == Io::done) {
    state_ = State::head;
    receive();
  } else {
    wait(moved.io);
  }
}

void Session::receive() {
  for (int i = 0; i < limits::http_reads_max; ++i) {
    const Moved moved = wire_.read(service_.scratch);
    if (moved.io != Io::done) {
      wait(moved.io);
      return;
    }
    in_.append(service_.scratch, 0, moved.bytes);
    if (!take()) return;
  }
  later();
}

bool Session::take() {
  return state_ == State::head ? take_head() : take_body();
}

bool Session::take_head() {
  if (!std::exchange(begun_, true)) {
    set_deadline(service_.limits.header_time);
    // Some clients send an empty line too many after a body.
    if (in_.starts_with("\r\n")) in_.erase(0, 2);
  }
  if (!in_.empty() && static_cast<unsigned char>(in_.front()) < ' ' && in_.front() != '\r') {
    // It would never end. Most likely TLS, which takes any answer for a no.
    refuse({.what = "this is no HTTP; TLS is not spoken here"});
    return false;
  }
  const auto end = head_end(in_, std::exchange(searched_, in_.size()));
  if (end.value_or(in_.size()) > service_.limits.header_max) {
    const bool is_target = in_.find("\r\n") > service_.limits.header_max;
    refuse(
        {.status = is_target ? 414 : 431, .fault = Fault::limit, .what = "the head is too long"});
    return false;
  }
  if (!end) {
    if (!memory_) memory_ = std::make_unique<Share>(service_.rooms.strangers, peer_.network());
    return hold(*memory_, in_.capacity());
  }
  memory_.reset();
  parser_ = std::make_unique<RequestParser>();
  auto head = parser_->head(std::string_view(in_).substr(0, *end));
  in_.erase(0, *end);
  if (!head) {
    refuse(head.error());
    return false;
  }
  return begin(std::move(*head));
}

void Session::next_request() {
  state_ = State::head;
  begun_ = false;
  searched_ = 0;
  set_deadline(service_.limits.idle);
  if (service_.stopping) {
    close();
    return;
  }
  if (!in_.empty()) {
    later();  // Not deeper and deeper through a pipeline of requests.
    return;
  }
  // Who only waits keeps no buffers.
  std::string().swap(in_);
  std::string().swap(out_);
  // TLS may have read ahead; a socket says itself if there is more.
  if (wire_.is_secure()) {
    receive();
  } else {
    wait(Io::want_read);
  }
}

void Session::later() {
  service_.loop.post([self = shared_from_this()] {
    if (self->state_ == State::head && !self->in_.empty() && !self->take()) return;
    self->advance();
  });
}

void Session::expire() {
  switch (state_) {
    case State::head:
      if (!begun_) {
        close();
        return;
      }
      [[fallthrough]];
    case State::body: refuse(too_slow()); return;
    case State::streaming:
      if (!ended_) ++service_.counts.cut;
      [[fallthrough]];
    default: close(); return;
  }
}

void Session::wait(Io io) {
  if (io != Io::want_read && io != Io::want_write) {
    close();
    return;
  }
  const Side side = io == Io::want_read ? Side::read : Side::write;
  if (std::exchange(side == Side::read ? waits_read_ : waits_write_, true)) return;
  watched_.wait(side, shared_from_this());
}

void Session::set_deadline_at(std::uint64_t start, Span span) {
  // One for the tick under way, one for what is left over.
  deadline_ = start + static_cast<std::uint64_t>(span / service_.tick) + 2;
}

}  // namespace tyer::http
