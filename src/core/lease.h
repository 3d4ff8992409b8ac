// A lease is the exclusive right to act on a key, for a while.
//
// At most one live lease exists for a key (law 1). Its token is the sequence
// number of the event that granted it, so tokens of a key only grow, also
// across release, crash and power loss, without a counter that could be lost. A
// write under an old token is refused however late it arrives (law 2): a
// holder that has lost its lease can waste time, but it can never do harm.
//
// `judge` says whether a lease still stands, in the order of L10:
//   orphaned  its machine was restarted, or its process is gone or is another
//             one that was given the same pid
//   silent    no heartbeat within `silence_max`
//   overdue   held longer than `hold_max`, heartbeats or not
//
// On the holder's own boot, silence and hold are measured by the monotonic
// clock, which stands still while the machine is suspended and does not jump;
// elsewhere by the store's time. Heartbeats change the lease and are not
// events; grants and endings are.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/error.h"
#include "base/time.h"

namespace tyer::core {

// Which running system: two boots of one host differ, two containers on one
// boot differ in their pid namespace.
struct Place {
  std::string host;
  std::string boot;
  std::string pid_namespace;

  friend bool operator==(const Place&, const Place&) = default;
};

// Who holds a lease. Two runs of one process differ in `run`; two processes
// that were given the same pid differ in `pid_start`.
struct Holder {
  Place place;  // Empty fields: written by a tool that does not say.
  std::int64_t pid = 0;
  std::int64_t pid_start = 0;  // Clock ticks after boot; 0 is unknown.
  std::string run;             // A UUID, new for every run.

  friend bool operator==(const Holder&, const Holder&) = default;
};

// Who asked for a lease through a hub. There, knowing its run is no proof: runs are told.
struct Asker {
  std::string who;      // As in the log: "agent/ag_…"; empty: a process that has the store itself.
  std::string network;  // From where: an address, or what one customer has of them.

  friend bool operator==(const Asker&, const Asker&) = default;
};

struct Lease {
  std::string key;
  std::uint64_t token = 0;
  Holder holder;
  Time granted_at{};
  Time heard_at{};                   // Last heartbeat.
  std::optional<Span> granted_mono;  // The same by the monotonic clock of the holder's boot.
  std::optional<Span> heard_mono;
  Span silence_max{};
  Span hold_max{};
  std::string command;  // What it does, for people and for hold limits.
  std::string owner;    // Free text for people.
  Asker asker;

  friend bool operator==(const Lease&, const Lease&) = default;
};

enum class Liveness : std::uint8_t { alive, gone, unknown };

// What an observer on one machine can see of a holder.
struct Sight {
  Liveness liveness = Liveness::unknown;
  std::string evidence;          // "no process 4711", "the machine was restarted".
  std::optional<Span> mono_now;  // Set when the observer runs on the holder's boot.
};

// Somebody who can look at holders: the process table, or the simulated one.
class Witness {
 public:
  virtual ~Witness() = default;
  [[nodiscard]] virtual Sight look(const Holder& holder) const = 0;
};

// What the kernel says of one pid.
struct ProcessFacts {
  enum class Presence : std::uint8_t { absent, present, hidden } presence = Presence::absent;
  std::int64_t start = 0;  // As Holder::pid_start; 0 is unknown.
};

// L10 steps 1 and 2, for the real witness and the simulated one alike. `facts`
// is what the observer's own process table says of the holder's pid; it is
// looked at only if the holder is on this host, boot and namespace.
[[nodiscard]] bool may_probe(const Holder& holder, const Place& here);
[[nodiscard]] Sight assess(const Holder& holder, const Place& here, Span mono_now,
                           const ProcessFacts& facts);

enum class Verdict : std::uint8_t { live, orphaned, silent, overdue };

[[nodiscard]] std::string_view name(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::live;
  std::string why;  // For people: "no heartbeat for 3 min".
};

// Whether `lease` still stands at the store's time `now`.
[[nodiscard]] Judgement judge(const Lease& lease, const Sight& sight, Time now);

// How long its holder has not been heard of and has held it, as `judge` counts.
struct Ages {
  Span silent{};
  Span held{};
};
[[nodiscard]] Ages ages(const Lease& lease, const Sight& sight, Time now);

// Whether it was heard or granted later than now, by more than clocks differ: a clock was set back,
// or somebody forged it. `judge` lets such a lease stand, because its holder may well live. Whoever
// meets it in a transaction renews it in the holder's place, so that silence and hold are counted
// from then on; else nobody would ever be silent who says that it is the year 9999.
[[nodiscard]] bool is_from_the_future(const Lease& lease, const Sight& sight, Time now);

// The earliest store time at which `judge` could change its mind without news.
[[nodiscard]] Time next_check(const Lease& lease);

// A text for the store and back. The fields other tools know carry their names (L1).
[[nodiscard]] std::string encode(const Lease& lease);
[[nodiscard]] Result<Lease> decode_lease(std::string_view key, std::string_view text);

}  // namespace tyer::core
