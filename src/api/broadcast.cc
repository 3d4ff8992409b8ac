#include "api/broadcast.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/limits.h"
#include "base/json.h"
#include "core/key.h"
#include "feed/kinds.h"
#include "http/event_stream.h"

namespace tyer::api {
namespace {

http::Stream::Chunk notice(const std::string& code, const std::string& message) {
  return std::make_shared<const std::string>(http::event_text(
      "", "notice", dump_json({{"event", "notice"}, {"code", code}, {"text", message}})));
}

const http::Stream::Chunk& too_slow() {
  static const http::Stream::Chunk text =
      notice("slow_reader", "you read too slowly and were cut off; come back with Last-Event-ID");
  return text;
}

const http::Stream::Chunk& stopping() {
  static const http::Stream::Chunk text =
      notice("stopping", "the hub stops; come back with Last-Event-ID");
  return text;
}

void end_with(http::Stream& stream, const http::Stream::Chunk& last_words) {
  stream.send(last_words);
  stream.end();
}

// Whether it should get no more for now. One that has nothing waiting gets anything.
bool is_full(const http::Stream& stream, std::size_t bytes) {
  const std::size_t pending = stream.pending();
  return pending > 0 && pending + bytes > limits::stream_catch_up_bytes;
}

}  // namespace

Result<> Broadcast::open() {
  return engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    position_ = head.seq;
    return {};
  });
}

void Broadcast::add(Subscription subscription) {
  http::Stream& stream = *subscription.stream;
  stream.set_farewell(too_slow());
  std::string hello = "retry: 1000\n: welcome\n\n";
  // So it can come back to its place before anything was sent.
  if (subscription.is_first) {
    hello.insert(0, fmt::format("id: {}\n", event_id(subscription.after)));
  }
  stream.send(std::make_shared<const std::string>(std::move(hello)));
  {
    const std::lock_guard lock(mutex_);
    if (parted_) {
      end_with(stream, stopping());
      return;
    }
    if (count_ >= limits::streams_max) {
      end_with(stream, notice("limit", "too many streams; try again later"));
      return;
    }
    ++count_;
    fresh_.push_back(std::move(subscription));
  }
  if (hint_) hint_();
}

std::size_t Broadcast::size() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

Result<Time> Broadcast::step(Time now) {
  TYER_TRY(const bool more, read_new());
  TYER_TRY_OK(welcome());
  TYER_TRY(const Progress progress, catch_up_all());
  beat(engine_.env().clock.mono());
  drop_ended();
  if (more || progress == Progress::more) return now;
  return now +
         (progress == Progress::stuck ? limits::stream_look_every : limits::stream_poll_every);
}

void Broadcast::part() {
  std::vector<Subscription> fresh;
  {
    const std::lock_guard lock(mutex_);
    parted_ = true;
    fresh.swap(fresh_);
  }
  for (const Subscription& wish : fresh) end_with(*wish.stream, stopping());
  for (const std::unique_ptr<Reader>& reader : readers_) end_with(*reader->wish.stream, stopping());
}

Result<> Broadcast::welcome() {
  std::vector<Subscription> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(fresh_);
  }
  if (fresh.empty()) return {};
  // A key that was revoked after its request was let in, and before its stream came here.
  std::set<std::string> revoked;
  const Result<> looked = engine_.read([&](const core::View& view) -> Result<> {
    for (const Subscription& wish : fresh) {
      if (wish.credential.empty()) continue;
      TYER_TRY(const auto subject, view.subject(feed::key_of("credential", wish.credential)));
      if (!subject || subject->status != "active") revoked.insert(wish.credential);
    }
    return {};
  });
  if (!looked) {
    const std::lock_guard lock(mutex_);
    fresh_.insert(fresh_.begin(), std::make_move_iterator(fresh.begin()),
                  std::make_move_iterator(fresh.end()));
    return looked;
  }
  for (Subscription& wish : fresh) {
    auto reader = std::make_unique<Reader>();
    reader->after = wish.after;
    reader->is_live = reader->after == position_;
    for (const std::string& agent : wish.agents) presence_.came(agent, wish.sessions);
    if (wish.serves_all) presence_.came_for_all();
    // Its end is seen at the next step, not at the next beat.
    wish.stream->on_close([hint = hint_] {
      if (hint) hint();
    });
    reader->wish = std::move(wish);
    readers_.push_back(std::move(reader));
  }
  for (const std::string& credential : revoked) drop_revoked(credential);
  return {};
}

// What was committed since, to all who are live.
Result<bool> Broadcast::read_new() {
  std::vector<core::Event> events;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(events, view.events({.after = position_, .limit = limits::stream_page_rows}));
    return {};
  }));
  for (const core::Event& event : events) {
    send(to_wire(engine_.catalog(), event));
    follow(event);
    position_ = event.seq;
  }
  return events.size() == limits::stream_page_rows;
}

// Each in turn, so that those who are behind for long do not keep others there.
Result<Broadcast::Progress> Broadcast::catch_up_all() {
  Progress all = Progress::done;
  std::size_t turns = limits::catch_ups_at_once;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    turn_ = (turn_ + 1) % readers_.size();
    Reader& reader = *readers_[turn_];
    if (reader.is_live || reader.is_over) continue;
    TYER_TRY(const Progress one, catch_up(reader));
    if (one == Progress::more || all == Progress::done) all = one;
    if (one == Progress::stuck) continue;
    // Those who are live should not wait for all who have just come back.
    if (--turns == 0) return Progress::more;
  }
  return all;
}

Result<Broadcast::Progress> Broadcast::catch_up(Reader& reader) {
  reader.is_live = reader.after == position_;
  if (reader.is_live) return Progress::done;
  // Half of it must be gone, or every look would read a page for the sake of one event.
  if (is_full(*reader.wish.stream, limits::stream_catch_up_bytes / 2)) {
    give_up_if_stuck(reader);
    return Progress::stuck;
  }
  reader.stuck_since.reset();
  std::vector<core::Event> events;
  core::Head head;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    TYER_TRY(events, view.events({.after = reader.after, .limit = limits::stream_page_rows}));
    return {};
  }));
  const bool is_ahead = reader.after > head.seq;
  if (is_ahead || reader.after + 1 < head.first) {
    // What it has seen is not what we have: it must look afresh.
    reader.is_over |= !reader.wish.stream->send(
        notice("gone", "the log does not reach back to your Last-Event-ID; load everything again"));
    reader.after = is_ahead ? position_ : head.first - 1;
    return Progress::more;
  }
  for (const core::Event& event : events) {
    if (event.seq > position_) break;
    const WireEvent wire = to_wire(engine_.catalog(), event);
    if (wants(reader.wish.filter, wire)) {
      if (is_full(*reader.wish.stream, wire.text->size())) return Progress::stuck;
      reader.is_over |= !reader.wish.stream->send(wire.text);
    }
    if (reader.is_over) return Progress::done;
    reader.after = event.seq;
  }
  // Beyond us: another hub of the same store was quicker to send it.
  reader.is_live = reader.after >= position_;
  return reader.is_live ? Progress::done : Progress::more;
}

void Broadcast::give_up_if_stuck(Reader& reader) {
  const Span now = engine_.env().clock.mono();
  if (!reader.stuck_since) reader.stuck_since = now;
  if (now - *reader.stuck_since < limits::stream_stuck_time) return;
  end_with(*reader.wish.stream, too_slow());
  reader.is_over = true;
}

void Broadcast::send(const WireEvent& event) {
  std::vector<std::shared_ptr<http::Stream>> streams;
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (!reader->is_live || reader->is_over || event.seq <= reader->after ||
        !wants(reader->wish.filter, event)) {
      continue;
    }
    if (is_full(*reader->wish.stream, event.text->size())) {
      reader->is_live = false;
      reader->after = event.seq - 1;
    } else {
      streams.push_back(reader->wish.stream);
    }
  }
  http::Stream::send_all(streams, event.text);
}

// What follows from it here.
void Broadcast::follow(const core::Event& event) {
  if (event.type == "credential.revoked") drop_revoked(core::rest_of(event.key));
  if (event.type == "agent.offline") presence_.told_offline(core::rest_of(event.key));
  if (event.type == "agent.created" || event.type == "agent.updated" ||
      event.type == "agent.deleted") {
    presence_.agents_changed();
  }
  const auto& rules = engine_.catalog().rules();
  const bool is_wanted = std::ranges::any_of(
      rules, [&](const core::Rule& rule) { return rule.wants_type(event.type); });
  if (is_wanted && rules_hint_) rules_hint_();
}

void Broadcast::beat(Span now) {
  if (now < next_beat_) return;
  next_beat_ = now + limits::stream_beat_every;
  static const auto text = std::make_shared<const std::string>(": beat\n\n");
  for (const std::unique_ptr<Reader>& reader : readers_) {
    reader->is_over |= !reader->wish.stream->send(text);
  }
}

void Broadcast::drop_revoked(std::string_view credential) {
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (reader->wish.credential != credential) continue;
    end_with(*reader->wish.stream, notice("revoked", "the key of this stream was revoked"));
    reader->is_over = true;
  }
}

void Broadcast::drop_ended() {
  const std::size_t before = readers_.size();
  std::erase_if(readers_, [&](const std::unique_ptr<Reader>& reader) {
    if (!reader->is_over && !reader->wish.stream->is_over()) return false;
    const Subscription& wish = reader->wish;
    for (const std::string& agent : wish.agents) presence_.left(agent, wish.sessions);
    if (wish.serves_all) presence_.left_for_all();
    return true;
  });
  if (readers_.size() == before) return;
  const std::lock_guard lock(mutex_);
  count_ -= before - readers_.size();
}

}  // namespace tyer::api
