#include "api/lease_watches.h"

#include <algorithm>

#include "api/limits.h"
#include "core/acquire.h"
#include "core/key.h"

namespace tyer::api {
namespace {

http::Stream::Chunk chunk_of(const char* text) {
  return std::make_shared<const std::string>(text);
}

// The name of the lock that an event is about: of the lock itself, or of its queue.
std::string_view lock_in(const core::Event& event) {
  const std::string_view waited_for = core::key_of_ticket(event.key);
  const std::string_view key = waited_for.empty() ? event.key : waited_for;
  return core::kind_of(key) == "lock" ? core::rest_of(key) : std::string_view();
}

}  // namespace

bool is_about(const std::vector<core::Event>& page, const std::vector<std::string>& names) {
  return std::ranges::any_of(page, [&](const core::Event& event) {
    return std::ranges::find(names, lock_in(event)) != names.end();
  });
}

bool is_revoked(const std::vector<core::Event>& page, const std::string& credential) {
  return !credential.empty() && std::ranges::any_of(page, [&](const core::Event& event) {
    return event.type == "credential.revoked" && core::rest_of(event.key) == credential;
  });
}

void LeaseWatches::add(WatchedLeases leases, std::shared_ptr<http::Stream> stream) {
  const std::lock_guard lock(mutex_);
  if (parted_) {
    stream->end();
    return;
  }
  all_.push_back({std::move(leases), std::move(stream)});
}

std::size_t LeaseWatches::size() const {
  const std::lock_guard lock(mutex_);
  return all_.size();
}

Result<> LeaseWatches::step(const std::vector<core::Event>& page) {
  std::vector<Watching> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(all_);
  }
  static const http::Stream::Chunk changed = chunk_of("{\"changed\":true}\n");
  static const http::Stream::Chunk beat = chunk_of("{\"waiting\":true}\n");
  const bool beats = must_beat();
  Result<> trouble;
  std::erase_if(all, [&](Watching& each) {
    bool is_over = is_revoked(page, each.leases.credential);
    if (!is_over && (std::exchange(each.is_new, false) || is_about(page, each.leases.names))) {
      const auto has = has_changed(each.leases);
      if (!has) trouble = std::unexpected(has.error());
      // Who cannot be told better looks for itself.
      is_over = has.value_or(true);
      if (is_over) each.stream->send(changed);
    }
    if (is_over) each.stream->end();
    return is_over || (beats ? !each.stream->send(beat) : each.stream->is_over());
  });
  const std::lock_guard lock(mutex_);
  for (Watching& each : all) {
    if (parted_) each.stream->end();
    if (!parted_) all_.push_back(std::move(each));
  }
  return trouble;
}

void LeaseWatches::part() {
  const std::lock_guard lock(mutex_);
  parted_ = true;
  for (const Watching& each : all_) each.stream->end();
  all_.clear();
}

Result<bool> LeaseWatches::has_changed(const WatchedLeases& leases) {
  bool has = false;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    has = false;
    for (std::size_t i = 0; i < leases.names.size() && !has; ++i) {
      TYER_TRY(const auto lease, view.lease("lock/" + leases.names[i]));
      has = !lease || lease->token != leases.tokens[i];
    }
    return {};
  }));
  return has;
}

bool LeaseWatches::must_beat() {
  const Span now = engine_.env().clock.mono();
  if (now < next_beat_) return false;
  next_beat_ = now + limits::stream_beat_every;
  return true;
}

}  // namespace tyer::api
