#include "http/stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "http/outbox.h"
#include "http/session.h"

namespace tyer::http {

void Outbox::add(std::span<const std::shared_ptr<Stream>> streams) {
  const std::lock_guard lock(mutex_);
  if (loop_ == nullptr || streams.empty()) return;
  waiting_.insert(waiting_.end(), streams.begin(), streams.end());
  if (std::exchange(is_posted_, true)) return;
  loop_->post([self = shared_from_this()] { self->deliver(); });
}

void Outbox::close() {
  const std::lock_guard lock(mutex_);
  loop_ = nullptr;
  waiting_.clear();
}

void Outbox::deliver() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    is_posted_ = false;
    streams.swap(waiting_);
  }
  for (const auto& stream : streams) {
    if (stream->session_ != nullptr) stream->session_->on_stream();
  }
}

Stream::Stream(std::shared_ptr<Outbox> outbox, std::size_t pending_max)
    : outbox_(std::move(outbox)), pending_max_(pending_max) {}

bool Stream::send(const Chunk& chunk) {
  bool is_new = false;
  const bool is_open = put(chunk, is_new);
  if (is_new) wake();
  return is_open;
}

bool Stream::send_now(const Chunk& chunk) {
  {
    const std::lock_guard lock(mutex_);
    if (write_now(chunk)) return phase_ == Phase::open;
  }
  return send(chunk);
}

bool Stream::write_now(const Chunk& chunk) {
  const bool is_ours = now_ && has_begun_ && phase_ == Phase::open && queue_.empty() &&
                       taken_ == 0 && !is_posted_ && !chunk->empty();
  if (!is_ours) return false;
  const std::string text = fmt::format("{:x}\r\n{}\r\n", chunk->size(), *chunk);
  const ssize_t sent = env::uninterrupted(
      [&] { return ::send(now_.get(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL); });
  if (sent <= 0) return false;
  // On a new connection the system takes some 80 KB at once, however quick its reader is.
  if (static_cast<std::size_t>(sent) != text.size()) {
    half_ = text.substr(static_cast<std::size_t>(sent));
    queued_ += half_.size();
    is_posted_ = true;
    outbox_->add({{shared_from_this()}});
  }
  return true;
}

void Stream::prefer_now(std::size_t pending_max) {
  const std::lock_guard lock(mutex_);
  pending_max_ = pending_max;
  if (session_ != nullptr) now_ = session_->copy_descriptor();
}

void Stream::send_all(std::span<const std::shared_ptr<Stream>> streams, const Chunk& chunk) {
  std::vector<std::pair<Outbox*, std::vector<std::shared_ptr<Stream>>>> woken;  // By I/O thread.
  for (const auto& stream : streams) {
    bool is_new = false;
    (void)stream->put(chunk, is_new);
    if (!is_new) continue;
    Outbox* const outbox = stream->outbox_.get();
    auto found = std::ranges::find(woken, outbox, [](const auto& one) { return one.first; });
    if (found == woken.end()) found = woken.insert(found, {outbox, {}});
    found->second.push_back(stream);
  }
  for (const auto& [outbox, some] : woken) outbox->add(some);
}

void Stream::set_farewell(Chunk chunk) {
  const std::lock_guard lock(mutex_);
  farewell_ = std::move(chunk);
}

void Stream::end() {
  {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::open) return;
    phase_ = Phase::ending;
    if (std::exchange(is_posted_, true)) return;
  }
  wake();
}

void Stream::on_close(std::function<void()> then) {
  {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::over) {
      closers_.push_back(std::move(then));
      return;
    }
  }
  then();
}

bool Stream::is_over() const {
  const std::lock_guard lock(mutex_);
  return phase_ != Phase::open;
}

std::size_t Stream::pending() const {
  const std::lock_guard lock(mutex_);
  return queued_ + taken_;
}

Stream::Phase Stream::take(std::string& into, bool chunked) {
  const std::lock_guard lock(mutex_);
  has_begun_ = true;
  is_posted_ = false;
  const std::size_t before = into.size();
  into += std::exchange(half_, {});
  for (const Chunk& chunk : queue_) {
    if (chunked) fmt::format_to(std::back_inserter(into), "{:x}\r\n", chunk->size());
    into += *chunk;
    if (chunked) into += "\r\n";
  }
  std::vector<Chunk>().swap(queue_);  // An idle stream keeps no memory for it.
  queued_ = 0;
  taken_ = into.size() - before;
  return phase_;
}

void Stream::written() {
  const std::lock_guard lock(mutex_);
  taken_ = 0;
}

void Stream::part() {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::open) return;
  if (farewell_) add(farewell_);
  phase_ = Phase::ending;
}

void Stream::close() {
  std::vector<std::function<void()>> closers;
  {
    const std::lock_guard lock(mutex_);
    phase_ = Phase::over;
    queue_.clear();
    half_.clear();
    queued_ = taken_ = 0;
    now_ = env::Fd();
    closers.swap(closers_);
  }
  session_ = nullptr;
  for (const auto& then : closers) then();
}

bool Stream::put(const Chunk& chunk, bool& is_new) {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::open) return false;
  if (chunk->empty()) return true;  // It would look like the end.
  const std::size_t waiting = queued_ + taken_;
  const bool fits = waiting == 0 || waiting + chunk->size() <= pending_max_;
  if (fits) {
    add(chunk);
  } else {
    queue_.clear();
    queued_ = half_.size();
    if (farewell_) add(farewell_);
    phase_ = Phase::cut;
  }
  is_new = !std::exchange(is_posted_, true);
  return fits;
}

void Stream::wake() {
  const std::shared_ptr<Stream> self = shared_from_this();
  outbox_->add({&self, 1});
}

void Stream::add(const Chunk& chunk) {
  if (chunk->empty()) return;
  queue_.push_back(chunk);
  queued_ += chunk->size();
}

}  // namespace tyer::http
