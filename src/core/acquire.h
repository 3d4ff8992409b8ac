// Asking for leases in turn: several keys in one decision, and a queue of those
// who wait.
//
// Who waits for a key holds a ticket, `wait/<key>/<id>`, which is a lease like
// any other: it is kept alive by heartbeats and judged like the rest, so a dead
// waiter does not hold up the queue. Tickets are served by their tokens, which
// are numbers of the log: first come, first served. Whoever does not take a free
// key when it is its turn is passed over by those behind it, without losing its
// place: a stopped process must not block a key.

#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/claim.h"

namespace tyer::core {

struct Asking {
  std::vector<Grant> wishes;  // All of them or none; with `any` the first that can be had.
  bool any = false;
  std::string place;            // The id of one's own tickets; empty: one does not wait.
  std::optional<Grant> ticket;  // If the answer is no, a place is taken with it, its key aside.
  std::map<std::string, std::uint64_t> kept;  // One's own tickets that are renewed, by their keys.
  std::set<std::uint64_t> passed;             // Tickets that had their turn and did not take it.
  bool believes_silence = true;               // False while one's own writes fail (L10, last line).
};

struct Answer {
  bool yes = false;
  Change change;             // What it takes to get them, or to wait for them.
  std::vector<Lease> mine;   // Had before, as after a commit whose answer was lost; renewed.
  std::vector<Lease> found;  // The same of one's tickets: those that nobody keeps yet.
  std::vector<Held> held;    // Who has what cannot be had.
  std::vector<Lease> ahead;  // Tickets whose turn it is, of keys that nobody has.
  std::vector<std::string> free;

  // Of one who has a place: who is directly before it, and when it goes, the
  // first of those behind it who have nobody else before them.
  std::vector<Lease> before;
  std::vector<Lease> behind;
};

// The ticket of the waiter `id` for `key`: "wait/lock/a/b/ID" for "lock/a/b".
[[nodiscard]] std::string ticket_key(std::string_view key, std::string_view id);

// The key that a ticket is for. Empty if `ticket` is the key of none.
[[nodiscard]] std::string_view key_of_ticket(std::string_view ticket);

// Those who wait for `key`, the first to be served first.
[[nodiscard]] Result<std::vector<Lease>> tickets(const View& view, std::string_view key);

[[nodiscard]] Result<Answer> decide_acquire(const View& view, const Witness& witness,
                                            const Asking& asking, Time now);

}  // namespace tyer::core
