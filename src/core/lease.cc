#include "core/lease.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <utility>

#include <fmt/format.h>

#include "base/json_fields.h"
#include "base/json_text.h"
#include "core/key.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

// Milliseconds that another tool may have written, as a Span that can be reckoned with.
Result<Span> read_span(const JsonFields& fields, const char* name, Span usual) {
  const std::int64_t millis = fields.number(name, usual / 1ms);
  if (millis < 0)
    return fail(Fault::invalid, fmt::format("its {} of {} ms is negative", name, millis));
  return Span(std::chrono::milliseconds(std::min<std::int64_t>(millis, limits::hold_most / 1ms)));
}

Result<Time> read_time(const JsonFields& fields, const char* name) {
  const auto time = parse_time(fields.text(name));
  if (!time) return std::unexpected(time.error().in(name));
  return *time;
}

// An object in the making. Leases are written with every heartbeat, so this is quick.
class Members {
 public:
  Members() { text_.reserve(600); }

  void add(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_ += name;
    text_ += "\":";
    text_ += value;
  }

  template <std::integral Number>
  void add(std::string_view name, Number number) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add(name, std::string_view(digits.data(), end));
  }

  void add_time(std::string_view name, Time time) {
    add(name, "\"");
    text_ += format_time(time, 3);
    text_ += '"';
  }

  std::string close() { return std::move(text_ += '}'); }

 private:
  std::string text_;
};

Span age(std::optional<Span> since_mono, Time since, const Sight& sight, Time now) {
  // A monotonic clock is never set back: what is ahead of it was forged, and the other time
  // decides.
  const bool is_known = sight.mono_now && since_mono;
  if (is_known && *since_mono <= *sight.mono_now + limits::clock_ahead_max) {
    return *sight.mono_now - *since_mono;
  }
  return now - since;
}

}  // namespace

bool may_probe(const Holder& holder, const Place& here) {
  // A record without a host is a local tool's: the files it lies in are local.
  const Place& there = holder.place;
  const bool same_host = there.host.empty() || there.host == here.host;
  const bool same_boot = there.boot.empty() || there.boot == here.boot;
  const bool same_namespace =
      there.pid_namespace.empty() || there.pid_namespace == here.pid_namespace;
  // 0 and negative pids mean groups to the kernel, larger ones would be cut to another's.
  const bool is_pid = holder.pid > 0 && std::in_range<std::int32_t>(holder.pid);
  return same_host && same_boot && same_namespace && is_pid;
}

Sight assess(const Holder& holder, const Place& here, Span mono_now, const ProcessFacts& facts) {
  const Place& there = holder.place;
  const bool same_host = !there.host.empty() && there.host == here.host;
  const bool boots_known = !there.boot.empty() && !here.boot.empty();
  if (same_host && boots_known && there.boot != here.boot) {
    return {Liveness::gone, "the machine was restarted since", std::nullopt};
  }
  Sight sight;
  if (same_host && boots_known) sight.mono_now = mono_now;
  if (!may_probe(holder, here)) {
    sight.evidence = "its process cannot be seen from here";
    return sight;
  }
  switch (facts.presence) {
    case ProcessFacts::Presence::absent:
      sight.liveness = Liveness::gone;
      sight.evidence = fmt::format("no process {}", holder.pid);
      return sight;
    case ProcessFacts::Presence::hidden:
      sight.liveness = Liveness::alive;
      sight.evidence = fmt::format("process {} of another user", holder.pid);
      return sight;
    case ProcessFacts::Presence::present: break;
  }
  if (holder.pid_start == 0 || facts.start == 0) {
    sight.evidence = fmt::format("a process {}, perhaps another one", holder.pid);
    return sight;
  }
  if (holder.pid_start != facts.start) {
    sight.liveness = Liveness::gone;
    sight.evidence = fmt::format("pid {} now belongs to another process", holder.pid);
    return sight;
  }
  sight.liveness = Liveness::alive;
  sight.evidence = fmt::format("process {} is there", holder.pid);
  return sight;
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"live", "orphaned", "silent", "overdue"};
  return names[static_cast<std::size_t>(verdict)];
}

Ages ages(const Lease& lease, const Sight& sight, Time now) {
  return {.silent = age(lease.heard_mono, lease.heard_at, sight, now),
          .held = age(lease.granted_mono, lease.granted_at, sight, now)};
}

bool is_from_the_future(const Lease& lease, const Sight& sight, Time now) {
  const auto [silent, held] = ages(lease, sight, now);
  return std::min(silent, held) < -limits::clock_ahead_max;
}

Judgement judge(const Lease& lease, const Sight& sight, Time now) {
  if (sight.liveness == Liveness::gone) return {Verdict::orphaned, sight.evidence};

  const auto [silent, held] = ages(lease, sight, now);
  if (silent > lease.silence_max) {
    return {Verdict::silent, fmt::format("no heartbeat for {}", describe_span(silent))};
  }
  if (held > lease.hold_max) {
    return {Verdict::overdue, fmt::format("held for {}, the limit is {}", describe_span(held),
                                          describe_span(lease.hold_max))};
  }
  return {Verdict::live, sight.evidence};
}

Time next_check(const Lease& lease) {
  // At the limit itself a lease still stands.
  return std::min(lease.heard_at + lease.silence_max, lease.granted_at + lease.hold_max) + 1us;
}

// As dump_json would: members in order.
std::string encode(const Lease& lease) {
  const Holder& holder = lease.holder;
  Members members;
  if (!lease.asker.who.empty()) {
    members.add("asker", json_string(lease.asker.who));
    members.add("askerNetwork", json_string(lease.asker.network));
  }
  members.add("bootId", json_string(holder.place.boot));
  members.add("command", json_string(lease.command));
  // Milliseconds are for other tools; ours are exact.
  members.add_time("heartbeatAt", lease.heard_at);
  members.add("heartbeatMicros", to_micros(lease.heard_at));
  if (lease.heard_mono) members.add("heartbeatMonotonic", lease.heard_mono->count());
  members.add("host", json_string(holder.place.host));
  members.add("owner", json_string(lease.owner));
  members.add("pid", holder.pid);
  members.add("pidNamespace", json_string(holder.place.pid_namespace));
  members.add("pidStart", holder.pid_start);
  members.add("sessionId", json_string(holder.run));
  members.add("silence", lease.silence_max / 1ms);
  members.add_time("startedAt", lease.granted_at);
  members.add("startedMicros", to_micros(lease.granted_at));
  if (lease.granted_mono) members.add("startedMonotonic", lease.granted_mono->count());
  members.add("taskId", json_string(rest_of(lease.key)));
  members.add("timeout", lease.hold_max / 1ms);
  members.add("token", lease.token);
  return members.close();
}

Result<Lease> decode_lease(std::string_view key, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  TYER_TRY(const JsonFields fields, JsonFields::read(text));
  Lease lease;
  lease.key = key;
  lease.command = fields.text("command");
  lease.holder.pid = fields.number("pid");
  lease.holder.run = fields.text("sessionId");
  lease.holder.place = {fields.text("host"), fields.text("bootId"), fields.text("pidNamespace")};
  lease.holder.pid_start = fields.number("pidStart");
  lease.token = static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields.number("token")));
  lease.owner = fields.text("owner");
  lease.asker = {fields.text("asker"), fields.text("askerNetwork")};
  TYER_TRY(lease.silence_max, read_span(fields, "silence", limits::silence_max));
  TYER_TRY(lease.hold_max, read_span(fields, "timeout", limits::hold_max));
  TYER_TRY(lease.granted_at, read_time(fields, "startedAt"));
  TYER_TRY(lease.heard_at, read_time(fields, "heartbeatAt"));
  // What we add to a time is right only as long as nobody rewrote the readable one.
  const auto refine = [&](const char* exact, const char* monotonic,
                          Time& time) -> std::optional<Span> {
    const std::int64_t micros = fields.number(exact, -1);
    const std::int64_t shown = to_micros(time);
    if (shown % 1000 != 0 || micros < shown || micros >= shown + 1000) return std::nullopt;
    time = from_micros(micros);
    const std::int64_t mono = fields.number(monotonic, -1);
    if (mono < 0) return std::nullopt;
    return Span(mono);
  };
  lease.granted_mono = refine("startedMicros", "startedMonotonic", lease.granted_at);
  lease.heard_mono = refine("heartbeatMicros", "heartbeatMonotonic", lease.heard_at);
  return lease;
}

}  // namespace tyer::core
