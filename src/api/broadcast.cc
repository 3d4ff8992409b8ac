#include "api/broadcast.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/limits.h"
#include "base/json.h"
#include "core/key.h"
#include "feed/kinds.h"
#include "http/event_stream.h"

namespace tyer::api {
namespace {

constexpr Span presence_grace = 5s;  // To come back before one is offline.

http::Stream::Chunk notice(const std::string& code, const std::string& message) {
  return std::make_shared<const std::string>(http::event_text(
      "", "notice", dump_json({{"event", "notice"}, {"code", code}, {"text", message}})));
}

}  // namespace

void Broadcast::add(Subscription subscription) {
  static const http::Stream::Chunk too_slow =
      notice("slow_reader", "you read too slowly and were cut off; come back with Last-Event-ID");
  subscription.stream->set_farewell(too_slow);
  {
    const std::lock_guard lock(mutex_);
    if (count_ >= limits::streams_max) {
      subscription.stream->send(notice("limit", "too many streams; try again later"));
      subscription.stream->end();
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
  if (!position_) {
    TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      position_ = head.seq;
      return {};
    }));
  }
  std::vector<Subscription> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(fresh_);
  }
  TYER_TRY(bool more, read_new());
  // After that: who starts now has seen everything up to here.
  welcome(std::move(fresh));
  std::size_t turns = limits::catch_ups_at_once;
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (reader->is_live || reader->is_over) continue;
    TYER_TRY(const bool has_more, catch_up(*reader));
    more |= has_more;
    // Those who are live should not wait for all who have just come back.
    if (--turns == 0) break;
  }
  more |= turns == 0;
  const Span mono = engine_.env().clock.mono();
  beat(mono);
  keep_presence(mono);
  drop_ended();
  return more ? now : now + limits::stream_poll_every;
}

void Broadcast::welcome(std::vector<Subscription> fresh) {
  // With an id: who is cut off before the first event can still come back without a gap.
  const auto hello = std::make_shared<const std::string>(
      fmt::format("retry: 1000\nid: {}\n: welcome\n\n", event_id(*position_)));
  static const auto back = std::make_shared<const std::string>("retry: 1000\n: welcome\n\n");
  for (Subscription& wish : fresh) {
    auto reader = std::make_unique<Reader>();
    reader->after = wish.after.value_or(*position_);
    reader->is_live = !wish.after;
    reader->is_over = !wish.stream->send(wish.after ? back : hello);
    if (!wish.agent.empty()) ++agents_[wish.agent].streams;
    // Its end is seen at the next step, not at the next beat.
    wish.stream->on_close([hint = hint_] {
      if (hint) hint();
    });
    reader->wish = std::move(wish);
    readers_.push_back(std::move(reader));
  }
}

// What was committed since, to all who are live.
Result<bool> Broadcast::read_new() {
  std::vector<core::Event> events;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(events, view.events({.after = *position_, .limit = limits::stream_page_rows}));
    return {};
  }));
  for (const core::Event& event : events) {
    send(to_wire(engine_.catalog(), event));
    if (event.type == "credential.revoked") drop_revoked(event);
    position_ = event.seq;
  }
  return events.size() == limits::stream_page_rows;
}

// Whether there is more at once.
Result<bool> Broadcast::catch_up(Reader& reader) {
  reader.is_live = reader.after == *position_;
  if (reader.is_live || reader.wish.stream->pending() > limits::stream_catch_up_bytes) return false;
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
    reader.after = is_ahead ? *position_ : head.first - 1;
    return true;
  }
  for (const core::Event& event : events) {
    if (event.seq > *position_) break;
    const WireEvent wire = to_wire(engine_.catalog(), event);
    if (wants(reader.wish.filter, wire) && !reader.wish.stream->send(wire.text)) {
      reader.is_over = true;
      return false;
    }
    reader.after = event.seq;
  }
  reader.is_live = reader.after >= *position_;
  return !reader.is_live;
}

void Broadcast::send(const WireEvent& event) {
  std::vector<std::shared_ptr<http::Stream>> streams;
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (reader->is_live && !reader->is_over && wants(reader->wish.filter, event)) {
      streams.push_back(reader->wish.stream);
    }
  }
  http::Stream::send_all(streams, event.text);
}

void Broadcast::beat(Span now) {
  if (now < next_beat_) return;
  next_beat_ = now + limits::stream_beat_every;
  static const auto text = std::make_shared<const std::string>(": beat\n\n");
  for (const std::unique_ptr<Reader>& reader : readers_) {
    reader->is_over |= !reader->wish.stream->send(text);
  }
}

void Broadcast::drop_revoked(const core::Event& event) {
  const std::string_view credential = core::rest_of(event.key);
  for (const std::unique_ptr<Reader>& reader : readers_) {
    if (reader->wish.credential != credential) continue;
    reader->wish.stream->send(notice("revoked", "the key of this stream was revoked"));
    reader->wish.stream->end();
    reader->is_over = true;
  }
}

void Broadcast::drop_ended() {
  const Span now = engine_.env().clock.mono();
  const std::size_t before = readers_.size();
  std::erase_if(readers_, [&](const std::unique_ptr<Reader>& reader) {
    if (!reader->is_over && !reader->wish.stream->is_over()) return false;
    if (const auto found = agents_.find(reader->wish.agent); found != agents_.end()) {
      found->second.streams -= 1;
      found->second.gone_at = now;
    }
    return true;
  });
  if (readers_.size() == before) return;
  const std::lock_guard lock(mutex_);
  count_ -= before - readers_.size();
}

// Agents are online while one of their streams is open, and a moment longer.
void Broadcast::keep_presence(Span now) {
  for (auto entry = agents_.begin(); entry != agents_.end();) {
    Presence& presence = entry->second;
    const bool online = presence.streams > 0 || now < presence.gone_at + presence_grace;
    if (online != presence.told) {
      const auto told = tell_presence(entry->first, online);
      if (!told)
        log_.warn("presence was not told", {{"agent", entry->first}, {"why", told.error().what}});
      presence.told = online;
    }
    entry = presence.streams == 0 && !online ? agents_.erase(entry) : std::next(entry);
  }
}

Result<> Broadcast::tell_presence(const std::string& agent, bool online) {
  TYER_TRY_OK(engine_.apply(
      {"agent/" + agent}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(const auto subject, view.subject(feed::key_of("agent", agent)));
        if (!subject || subject->status != "active") return core::Change{};
        const std::string body = dump_json({{"online", online}, {"last_seen", format_time(now)}});
        return core::Change{
            .events = {{subject->key, online ? "agent.online" : "agent.offline", body}}};
      }));
  return {};
}

}  // namespace tyer::api
