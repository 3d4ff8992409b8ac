// How a session reads the body of a request and has it handled: see session.h.

#include <algorithm>
#include <exception>
#include <utility>

#include "http/limits.h"
#include "http/session.h"

namespace tyer::http {
namespace {

Refusal no_room(Room::Given given) {
  if (given == Room::Given::not_for_this) {
    return {.status = 429,
            .fault = Fault::limit,
            .what = "too much of yours is on its way here; send less at a time"};
  }
  return {.status = 503,
          .fault = Fault::unavailable,
          .what = "too much is on its way here; send it again in a moment"};
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

}  // namespace

bool Session::begin(Head head) {
  ++service_.counts.requests;
  version_ = head.version;
  keep_alive_ = head.keep_alive;
  request_ = std::make_unique<Request>(std::move(head.request));
  request_->secure = wire_.is_secure();
  request_->peer = peer_.text();
  is_head_request_ = request_->method == "HEAD";
  is_invited_ = head.expects_continue;
  announced_ = head.length;
  const Limits& limits = service_.limits;
  body_max_ = limits.body_limit ? limits.body_limit(*request_) : 0;
  if (body_max_ == 0) body_max_ = limits.body_max;
  if (announced_ > body_max_) {
    refuse({.status = 413, .fault = Fault::limit, .what = "the body is too large"});
    return false;
  }
  // A body that came with its head needs no more room than it has: the handler says who may.
  if (parser_->is_done() || (!head.chunked && announced_ <= in_.size())) return begin_body();
  if (!limits.admit) return admit({.owner = peer_.network()});
  if (!limits.admits_at_once || limits.admits_at_once()) return admit(limits.admit(*request_));
  ask_in_pool();
  return false;
}

void Session::ask_in_pool() {
  state_ = State::asking;
  deadline_ = 0;
  std::move_only_function<void()> task = [self = shared_from_this(), &service = service_] {
    Admission admission = service.limits.admit(*self->request_);
    service.loop.post([self, admission = std::move(admission)]() mutable {
      if (self->state_ == State::asking && self->admit(std::move(admission))) self->receive();
    });
  };
  if (service_.pool.submit(task)) return;
  refuse({.status = 503, .fault = Fault::unavailable, .what = "too busy"});
}

bool Session::admit(Admission admission) {
  if (admission.refusal) {
    turn_away(*std::move(admission.refusal));
    return false;
  }
  Rooms& rooms = service_.rooms;
  const std::string name = admission.owner.empty() ? peer_.network() : admission.owner;
  memory_ = std::make_unique<Share>(admission.owner.empty() ? rooms.strangers : rooms.bodies, name);
  disk_ = std::make_unique<Share>(rooms.files, name);
  // Who says how long a file will be hears at once that there is no room for it.
  const bool is_file = announced_ > service_.limits.body_max;
  return (!is_file || hold(*disk_, announced_)) && begin_body();
}

bool Session::begin_body() {
  const Limits& limits = service_.limits;
  body_ = std::make_unique<Body>(body_max_, limits.body_max, announced_, limits.spool_dir);
  if (body_->refusal()) {
    refuse(Refusal(*body_->refusal()));
    return false;
  }
  if (parser_->is_done()) {
    dispatch();
    return false;
  }
  body_start_ = service_.ticks;
  set_deadline(std::min(limits.body_time, limits.body_pause));
  if (is_invited_ && in_.empty()) {
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
  if (memory_ && !hold(*memory_, body_->in_memory() + in_.capacity())) return false;
  if (disk_ && body_->on_disk() > announced_ && !hold(*disk_, body_->on_disk())) return false;
  // It must come fast enough as a whole, and never pause for long.
  set_deadline_at(body_start_, service_.limits.body_time +
                                   std::chrono::seconds(body_->size() / limits::http_body_rate));
  const std::uint64_t as_a_whole = deadline_;
  set_deadline(service_.limits.body_pause);
  deadline_ = std::min(deadline_, as_a_whole);
  return true;
}

bool Session::hold(Share& share, std::uint64_t bytes) {
  const Room::Given given = share.hold(bytes);
  if (given == Room::Given::yes) return true;
  refuse(no_room(given));
  return false;
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

}  // namespace tyer::http
