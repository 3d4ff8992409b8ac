// How a session answers: see session.h.

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "http/limits.h"
#include "http/session.h"

#include <fcntl.h>

namespace tyer::http {

void Session::answer(Response response, env::Fd file) {
  if (state_ != State::handling) return;  // It was closed meanwhile.
  memory_.reset();
  disk_.reset();
  const bool streams = static_cast<bool>(response.stream);
  if (streams || service_.stopping) keep_alive_ = false;
  std::optional<std::uint64_t> length;
  if (!streams) length = file ? response.file_size : response.body.size();
  const Ending ending = keep_alive_ ? Ending::keep : Ending::close;
  auto head = response_head(response, version_, length, ending);
  if (!head) {
    response = refusal_response(
        {.status = 500, .fault = Fault::broken, .what = "the answer cannot be sent"});
    file = {};
    head = response_head(response, version_, response.body.size(), ending);
  }
  out_ = std::move(*head);
  sent_ = 0;
  state_ = State::answering;
  set_deadline(service_.limits.write_time);
  if (!is_head_request_ && has_body(response.status)) {
    if (response.stream) {
      start_stream(response.stream);
    } else if (file) {
      file_ = std::move(file);
      file_left_ = response.file_size;
    } else if (response.body.size() <= limits::http_join_bytes) {
      out_ += response.body;
    } else {
      next_ = std::move(response.body);
    }
  }
  flush();
}

void Session::refuse(const Refusal& refusal) {
  turn_away(refusal_response(refusal));
}

void Session::turn_away(Response response) {
  ++service_.counts.refused;
  parser_.reset();
  request_.reset();
  body_.reset();
  state_ = State::handling;
  keep_alive_ = false;
  answer(std::move(response), {});
}

void Session::start_stream(const std::function<void(std::shared_ptr<Stream>)>& give) {
  state_ = State::streaming;
  std::string().swap(in_);
  stream_ = std::make_shared<Stream>(service_.outbox, service_.limits.stream_pending);
  stream_->session_ = this;
  ++service_.counts.streams;
  give(stream_);
}

env::Fd Session::copy_descriptor() const {
  if (wire_.is_secure() || version_ < 11) return {};
  return env::Fd(::fcntl(fd_, F_DUPFD_CLOEXEC, 3));
}

void Session::on_stream() {
  const auto self = shared_from_this();
  if (state_ == State::streaming && !waits_write_) flush();
}

void Session::flush() {
  for (int turns = 0; turns < limits::http_reads_max; ++turns) {
    while (sent_ < out_.size()) {
      const Moved moved = wire_.write(std::string_view(out_).substr(sent_));
      if (moved.io != Io::done) {
        wait(moved.io);
        return;
      }
      sent_ += moved.bytes;
      if (state_ != State::inviting) set_deadline(service_.limits.write_time);
    }
    out_.clear();
    sent_ = 0;
    if (!refill()) {
      written();
      return;
    }
  }
  later();
}

bool Session::refill() {
  if (state_ == State::streaming) return refill_from_stream();
  if (!next_.empty()) {
    out_ = std::exchange(next_, {});
    return true;
  }
  return file_left_ > 0 && refill_from_file();
}

bool Session::refill_from_file() {
  const std::uint64_t most = std::min<std::uint64_t>(file_left_, service_.scratch.size());
  const ssize_t got = env::uninterrupted(
      [&] { return ::read(file_.get(), service_.scratch.data(), static_cast<std::size_t>(most)); });
  if (got <= 0) {
    close();  // Shorter than promised: the peer must not take it for whole.
    return false;
  }
  out_.assign(service_.scratch, 0, static_cast<std::size_t>(got));
  file_left_ -= static_cast<std::uint64_t>(got);
  return true;
}

bool Session::refill_from_stream() {
  if (ended_) {
    stream_->written();
    return false;
  }
  const Stream::Phase phase = stream_->take(out_, version_ >= 11);
  ended_ = phase != Stream::Phase::open;
  if (phase == Stream::Phase::cut) ++service_.counts.cut;
  // A stream that was cut has no proper end, and its reader can tell.
  if (phase == Stream::Phase::ending && version_ >= 11) out_ += "0\r\n\r\n";
  return !out_.empty();
}

void Session::written() {
  if (state_ == State::inviting) {
    state_ = State::body;
    receive();
  } else if (state_ == State::streaming && !ended_) {
    std::string().swap(out_);
    deadline_ = 0;
    wait(Io::want_read);
  } else if (state_ == State::answering && keep_alive_) {
    file_ = {};
    next_request();
  } else if (state_ != State::closed) {
    if (stream_) {
      --service_.counts.streams;
      std::exchange(stream_, nullptr)->close();
    }
    wire_.say_goodbye();
    state_ = State::lingering;
    set_deadline(limits::http_linger_time);
    linger();
  }
}

void Session::listen() {
  const Moved moved = wire_.read(service_.scratch);
  if (moved.io == Io::want_read || moved.io == Io::want_write) {
    wait(moved.io);
  } else {
    close();  // It has gone; or it talks, and nobody would ever answer.
  }
}

void Session::linger() {
  while (drained_ < limits::http_linger_bytes) {
    const Moved moved = wire_.read(service_.scratch);
    if (moved.io != Io::done) {
      wait(moved.io);
      return;
    }
    drained_ += moved.bytes;
  }
  close();
}

}  // namespace tyer::http
