#include "api/waits.h"

#include <sys/eventfd.h>

#include <algorithm>

#include <fmt/format.h>

#include "api/lease_access.h"
#include "api/limits.h"
#include "base/json.h"
#include "env/wait_readable.h"
#include "lock/lease_json.h"
#include "lock/limits.h"
#include "lock/line.h"

namespace tyer::api {
namespace {

env::Fd event_fd() {
  return env::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

http::Stream::Chunk line_of(const Json& json) {
  return std::make_shared<const std::string>(dump_json(json) + "\n");
}

std::vector<http::Header> stream_headers() {
  return {{"content-type", "application/x-ndjson"},
          {"cache-control", "no-cache, no-transform"},
          {"x-accel-buffering", "no"}};
}

// The hub watches the store once, for all who wait in it.
class SharedWatch : public store::Watch {
 public:
  explicit SharedWatch(std::shared_ptr<env::Fd> fd) : fd_(std::move(fd)) {}

  Result<bool> wait(Span at_most) override {
    TYER_TRY(const bool told, env::wait_readable(fd_->get(), at_most));
    eventfd_t count = 0;
    if (told) (void)::eventfd_read(fd_->get(), &count);
    return told;
  }
  int fd() const override { return fd_->get(); }

 private:
  std::shared_ptr<env::Fd> fd_;
};

}  // namespace

struct Waits::Waiting {
  LockWish wish;
  Span begun{};
  std::shared_ptr<http::Stream> stream;
  env::Fd gone = event_fd();  // Readable: the client is, or comes again.
  std::shared_ptr<env::Fd> news = std::make_shared<env::Fd>(event_fd());
  std::atomic<bool> has_ended = false;
  std::string told;  // Who has the locks, as the client knows.
  std::thread thread;
};

Waits::Waits(engine::Engine& engine, store::Store& store)
    : engine_(engine), store_(store), parting_(event_fd()), watches_(engine) {}

Waits::~Waits() {
  part();
}

Result<http::Response> Waits::wait(LockWish wish) {
  auto waiting = std::make_shared<Waiting>();
  waiting->begun = engine_.env().clock.boot_time();
  waiting->wish = std::move(wish);
  {
    const std::lock_guard lock(mutex_);
    join_ended();
    if (parted_) return fail(Fault::unavailable, "the hub is stopping");
    if (all_.size() >= limits::lock_waits_max) {
      return fail(Fault::limit,
                  fmt::format("{} are waiting for locks through this hub already; try again later",
                              all_.size()));
    }
    const std::string& place = waiting->wish.place;
    const auto present = at_.find(place);
    const auto left = left_.find(place);
    const LockWish& owner = present != at_.end()  ? present->second->wish
                            : left != left_.end() ? left->second.wish
                                                  : waiting->wish;
    if (owner.request.asker.who != waiting->wish.request.asker.who) {
      return fail(Fault::conflict, "somebody else waits at this place");
    }
    all_.push_back(waiting);
  }
  http::Response response{.headers = stream_headers()};
  // Whoever is gone before its answer begins never gets a stream.
  const std::shared_ptr<void> room(nullptr, [this, waiting](void*) {
    const std::lock_guard lock(mutex_);
    if (!waiting->stream) std::erase(all_, waiting);
  });
  response.stream = [this, waiting, room](std::shared_ptr<http::Stream> stream) {
    begin(waiting, std::move(stream));
  };
  return response;
}

Result<http::Response> Waits::watch(WatchedLeases leases) {
  if (watches_.size() >= limits::lease_watches_max) {
    return fail(Fault::limit, fmt::format("{} watch leases through this hub already; try again "
                                          "later",
                                          watches_.size()));
  }
  http::Response response{.headers = stream_headers()};
  response.stream = [this, wanted = std::move(leases)](std::shared_ptr<http::Stream> stream) {
    watches_.add(wanted, std::move(stream));
    is_awaited_ = true;
    if (hint_) hint_();
  };
  return response;
}

void Waits::begin(const std::shared_ptr<Waiting>& waiting, std::shared_ptr<http::Stream> stream) {
  stream->on_close([waiting] { ::eventfd_write(waiting->gone.get(), 1); });
  const std::lock_guard lock(mutex_);
  if (parted_) {
    stream->end();
    return;
  }
  waiting->stream = std::move(stream);
  waiting->thread = std::thread([this, waiting] { run(*waiting); });
}

void Waits::run(Waiting& waiting) {
  if (take_place(waiting)) {
    if (hint_) hint_();
    lock::Locks locks(engine_);
    locks.give_back(std::make_unique<SharedWatch>(waiting.news));
    const auto on_look = [&](lock::Outcome outcome) {
      hide_sessions(waiting.wish.caller, outcome);
      Json held = lock::to_wire(outcome)["held"];
      // The ages differ each time; who it is counts.
      std::string who;
      for (const lock::Seen& seen : outcome.held) who += fmt::format("{} ", seen.lease.token);
      const bool is_news = std::exchange(waiting.told, who) != who;
      waiting.stream->send(
          line_of(is_news ? Json{{"place", waiting.wish.place}, {"held", std::move(held)}}
                          : Json{{"waiting", true}}));
    };
    const LockWish& wish = waiting.wish;
    const lock::Patience patience{.at_most = wish.at_most,
                                  .stop_fds = {waiting.gone.get(), parting_.get()},
                                  .proxy = lock::Proxy{wish.place, wish.waits, on_look}};
    tell(waiting, lock::acquire(locks, store_, wish.request, patience));
  }
  waiting.stream->end();
  waiting.has_ended = true;
  if (hint_) hint_();
}

// Of those who come again, only one waits at a time.
bool Waits::take_place(Waiting& waiting) {
  const std::string& place = waiting.wish.place;
  std::unique_lock lock(mutex_);
  const auto present = at_.find(place);
  if (present != at_.end()) ::eventfd_write(present->second->gone.get(), 1);
  const bool is_free = changed_.wait_for(lock, limits::lock_wait_end_max,
                                         [&] { return parted_ || !at_.contains(place); });
  if (!is_free || parted_) return false;
  left_.erase(place);
  const auto self = std::ranges::find_if(
      all_, [&](const std::shared_ptr<Waiting>& each) { return each.get() == &waiting; });
  at_[place] = *self;
  is_awaited_ = true;
  return true;
}

void Waits::tell(Waiting& waiting, const Result<lock::Outcome>& outcome) {
  const bool is_cancelled = !outcome && outcome.error().fault == Fault::cancelled;
  bool is_told = false;
  if (outcome) {
    lock::Outcome shown = *outcome;
    hide_sessions(waiting.wish.caller, shown);
    Json line = lock::to_wire(shown);
    line["waited_ms"] = std::max(outcome->asked - waiting.begun, Span::zero()) / 1ms;
    // What was sent may never arrive: certain is only who says so.
    is_told = waiting.stream->send(line_of(line)) && !waiting.wish.confirms &&
              !env::wait_readable(waiting.gone.get(), Span::zero()).value_or(true);
  } else if (!is_cancelled) {
    const Error& error = outcome.error();
    is_told = true;
    waiting.stream->send(
        line_of({{"error", {{"code", info(error.fault).name}, {"message", error.what}}}}));
  }
  const std::lock_guard lock(mutex_);
  at_.erase(waiting.wish.place);
  const bool is_left = is_cancelled || (outcome && !outcome->got.empty());
  if (is_left && !parted_ && left_.size() < limits::lock_lefts_max) {
    left_[waiting.wish.place] = Left{.wish = waiting.wish,
                                     .got = outcome ? outcome->got : std::vector<core::Lease>(),
                                     .is_told = is_told,
                                     .until = engine_.env().clock.mono() + limits::lock_wait_grace};
  }
  changed_.notify_all();
}

Result<> Waits::leave(LockWish wish) {
  {
    const std::lock_guard lock(mutex_);
    const auto present = at_.find(wish.place);
    const auto left = left_.find(wish.place);
    const LockWish& owner = present != at_.end()  ? present->second->wish
                            : left != left_.end() ? left->second.wish
                                                  : wish;
    if (owner.request.asker.who != wish.request.asker.who) {
      return fail(Fault::conflict, "somebody else waits at this place");
    }
  }
  std::optional<Left> left = free_place(wish.place);
  if (!left) left = Left{.wish = std::move(wish)};
  give_up(*left);
  return {};
}

// What was left at the place, once nobody is there any more.
std::optional<Waits::Left> Waits::free_place(const std::string& place) {
  std::unique_lock lock(mutex_);
  const auto present = at_.find(place);
  if (present != at_.end()) ::eventfd_write(present->second->gone.get(), 1);
  (void)changed_.wait_for(lock, limits::lock_wait_end_max,
                          [&] { return parted_ || !at_.contains(place); });
  const auto found = left_.find(place);
  if (found == left_.end()) return std::nullopt;
  Left left = std::move(found->second);
  left_.erase(found);
  return left;
}

// What cannot be ended now is judged later, as everything is.
void Waits::give_up(const Left& left) {
  lock::Locks locks(engine_);
  for (const core::Lease& lease : left.got) {
    (void)locks.take_back(lease, "its holder was gone when it was granted");
  }
  auto asking = locks.to_asking(left.wish.request);
  if (!asking) return;
  const auto behind = lock::Line(locks, *std::move(asking), left.wish.place).leave();
  if (!behind) return;
  for (const core::Lease& ticket : *behind) locks.ring(ticket);
}

Result<Time> Waits::step(Time now) {
  std::vector<Left> over;
  Span next = limits::stream_beat_every;
  {
    const std::lock_guard lock(mutex_);
    join_ended();
    const Span mono = engine_.env().clock.mono();
    for (auto each = left_.begin(); each != left_.end();) {
      next = std::min(next, std::max<Span>(each->second.until - mono, 1ms));
      if (each->second.until > mono) {
        ++each;
        continue;
      }
      if (!each->second.is_told) over.push_back(std::move(each->second));
      each = left_.erase(each);
    }
  }
  for (const Left& left : over) give_up(left);
  TYER_TRY_OK(wake());
  return now + next;
}

Result<> Waits::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_awaited_ = !at_.empty() || watches_.size() > 0;
  }
  if (!is_awaited_) {
    position_.reset();
    return {};
  }
  const bool is_first = !position_;
  while (true) {
    std::vector<core::Event> page;
    std::uint64_t last = 0;
    TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      last = position_.value_or(head.seq);
      TYER_TRY(page, view.events({.after = last, .limit = limits::lock_page_events}));
      return {};
    }));
    position_ = page.empty() ? last : page.back().seq;
    wake_for(page, is_first);
    TYER_TRY_OK(watches_.step(page));
    if (page.size() < limits::lock_page_events) return {};
  }
}

void Waits::wake_for(const std::vector<core::Event>& page, bool all) {
  const std::lock_guard lock(mutex_);
  for (const auto& [place, each] : at_) {
    const LockWish& wish = each->wish;
    if (is_revoked(page, wish.caller.credential)) ::eventfd_write(each->gone.get(), 1);
    if (all || is_about(page, wish.request.names)) ::eventfd_write(each->news->get(), 1);
  }
}

// Requires the lock.
void Waits::join_ended() {
  std::erase_if(all_, [](const std::shared_ptr<Waiting>& each) {
    if (!each->has_ended) return false;
    each->thread.join();
    return true;
  });
}

void Waits::part() {
  std::list<std::shared_ptr<Waiting>> all;
  {
    const std::lock_guard lock(mutex_);
    parted_ = true;
    ::eventfd_write(parting_.get(), 1);
    changed_.notify_all();
    watches_.part();
    all.swap(all_);
  }
  for (const auto& each : all) {
    if (each->thread.joinable()) each->thread.join();
  }
}

}  // namespace tyer::api
