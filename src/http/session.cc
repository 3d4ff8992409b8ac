#include "http/session.h"

#include <sys/socket.h>

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "http/limits.h"

namespace tyer::http {
namespace {

Refusal too_slow() {
  return {.status = 408, .fault = Fault::timeout, .what = "the request came too slowly"};
}

Response run(const Handler& handler, Request& request) {
  try {
    return handler(request);
  } catch (const std::exception&) {
    // Memory, most likely: one request that is too big is no reason to lose all others.
    return refusal_response({.status = 500, .fault = Fault::broken, .what = "this failed here"});
  }
}

// In a thread of the pool.
void handle(const std::shared_ptr<Session>& session, const Handler& handler, Loop& loop,
            Request& request, env::Fd spool, void (Session::*answer)(Response, env::Fd)) {
  request.body_fd = spool ? spool.get() : -1;
  Response response = run(handler, request);
  if (request.body_fd != spool.get()) (void)spool.release();  // The handler has kept it.
  env::Fd file(response.file_fd);
  loop.post([session, answer, response = std::move(response), file = std::move(file)]() mutable {
    ((*session).*answer)(std::move(response), std::move(file));
  });
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
  if (!end) return true;
  parser_ = std::make_unique<RequestParser>();
  auto head = parser_->head(std::string_view(in_).substr(0, *end));
  in_.erase(0, *end);
  if (!head) {
    refuse(head.error());
    return false;
  }
  return begin(std::move(*head));
}

bool Session::begin(Head head) {
  ++service_.counts.requests;
  version_ = head.version;
  keep_alive_ = head.keep_alive;
  request_ = std::make_unique<Request>(std::move(head.request));
  request_->secure = wire_.is_secure();
  request_->peer = peer_.text();
  is_head_request_ = request_->method == "HEAD";
  const Limits& limits = service_.limits;
  std::uint64_t max = limits.body_limit ? limits.body_limit(*request_) : 0;
  if (max == 0) max = limits.body_max;
  if (head.length > max) {
    refuse({.status = 413, .fault = Fault::limit, .what = "the body is too large"});
    return false;
  }
  body_ = std::make_unique<Body>(max, limits.body_max, head.length, limits.spool_dir);
  if (body_->refusal()) {
    refuse(Refusal(*body_->refusal()));
    return false;
  }
  if (parser_->is_done()) {
    dispatch();
    return false;
  }
  body_start_ = service_.ticks;
  set_deadline(limits.body_time);
  if (head.expects_continue && in_.empty()) {
    state_ = State::inviting;
    out_ = "HTTP/1.1 100 Continue\r\n\r\n";
    flush();
    return false;
  }
  state_ = State::body;
  return in_.empty() || take_body();
}

bool Session::take_body() {
  auto used = parser_->body(in_, [this](std::string_view piece) { body_->put(piece); });
  if (!used || body_->refusal()) {
    refuse(used ? Refusal(*body_->refusal()) : used.error());
    return false;
  }
  in_.erase(0, *used);
  if (parser_->is_done()) {
    dispatch();
    return false;
  }
  if (in_.size() > service_.limits.header_max) {
    refuse({.what = "a chunk's head or the trailer is too long"});
    return false;
  }
  set_deadline_at(body_start_, service_.limits.body_time +
                                   std::chrono::seconds(body_->size() / limits::http_body_rate));
  return true;
}

void Session::dispatch() {
  state_ = State::handling;
  deadline_ = 0;
  parser_.reset();
  request_->body = body_->take_text();
  env::Fd spool = body_->take_file();
  body_.reset();
  if (!spool && service_.limits.quick && service_.limits.quick(*request_)) {
    const std::unique_ptr<Request> request = std::move(request_);
    Response response = run(service_.handler, *request);
    env::Fd file(response.file_fd);
    answer(std::move(response), std::move(file));
    return;
  }
  std::move_only_function<void()> task = [self = shared_from_this(), &service = service_,
                                          request = std::move(*request_),
                                          spool = std::move(spool)]() mutable {
    handle(self, service.handler, service.loop, request, std::move(spool), &Session::answer);
  };
  request_.reset();
  if (service_.pool.submit(task)) return;
  ++service_.counts.refused;
  answer(refusal_response({.status = 503, .fault = Fault::unavailable, .what = "too busy"}), {});
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
