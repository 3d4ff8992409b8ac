// Task locks: leases of `lock/<name>`, by their names.
//
//   Locks locks(engine);
//   auto outcome = locks.acquire({.names = {"TSK-01-01"}, .holder = me, …});
//   if (outcome->got.empty()) …  // outcome->held says who has it and how it was judged.
//
// One thread waits with it at a time. Every acquisition, takeover, loss, break and release is an
// event (L18). Who ends a lease rings for the first of those who wait for it, and for its holder.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/acquire.h"
#include "engine/engine.h"
#include "env/bell.h"
#include "lock/limits.h"

namespace tyer::lock {

// "lock/<name>", or what is wrong with the name.
[[nodiscard]] Result<std::string> key_of(std::string_view name);

// "a/b" of "lock/a/b".
[[nodiscard]] std::string_view name_of(std::string_view key);

// A token as people and requests write it: a number from 1 on.
[[nodiscard]] Result<std::uint64_t> read_token(std::string_view text);

// Who says that it acts for a run. Through a hub, knowing the run is no proof.
struct Speaker {
  std::string actor;  // For the log; empty: the run itself.
  std::string asker;  // Acts for leases that it has asked for only; empty: for all.
};

struct Request {
  std::vector<std::string> names;  // All of them or none; with `any` the first that can be had.
  bool any = false;
  core::Holder holder;
  std::string command;
  std::string owner;
  core::Asker asker;
  Span silence_max = limits::silence_max;
  Span hold_max = limits::hold_max;
};

// A lock as an observer here sees it.
struct Seen {
  core::Lease lease;
  core::Judgement judgement;
  Time now{};               // The store's time of the look.
  Span silent{};            // Since its last heartbeat.
  Span held{};              // Since it was granted.
  std::size_t waiting = 0;  // How many wait for it, as far as `look` and `list` tell.
  bool is_visible = true;   // Whoever looked can see whether its process lives.
};

struct Outcome {
  std::vector<core::Lease> got;
  Span asked{};                   // clock.boot_time() before it was asked for: see engine::Keeper.
  std::vector<Seen> held;         // Who has what was not to be had.
  std::vector<core::Lease> next;  // Who waits, has its turn and will have it in a moment.
  std::vector<std::string> free;  // Names that could have been had.
  std::vector<Seen> ended;        // Leases that it was taken over from, and why.

  // Of one who waits: the tickets it got or found again, who is directly before it, and
  // those who are first now that it has gone.
  std::vector<core::Lease> tickets;
  std::vector<core::Lease> before;
  std::vector<core::Lease> behind;
};

// What has become of the holder of a lock that was broken, as far as it can be seen from here.
enum class Holding : std::uint8_t {
  ended,    // Its process is gone.
  running,  // It goes on.
  unseen,   // On another machine, or in another container: it learns of it when it renews.
  ending,   // It ends by itself and has not yet; until then nobody gets the lock.
};

// How a lock is taken away.
struct Breaking {
  std::string why;
  bool ends = false;  // The holder ends with its lock, as was seen on its own machine ...
  Span wait = limits::break_wait_max;  // ... and if it does, for how long that is waited for.
};

struct Broken {
  core::Lease lease;
  Holding holding = Holding::unseen;
};

// Where one who waits is rung for; its name is that of the tickets.
struct Place {
  std::string name;
  std::optional<env::Bell> bell;  // Once somebody had to wait.
};

class Locks {
 public:
  explicit Locks(engine::Engine& engine) : engine_(engine) {}

  // One attempt. The answer no is not an error.
  [[nodiscard]] Result<Outcome> acquire(const Request& request);

  // The same for one who may wait: `asking` has a place in the queue or gets one.
  [[nodiscard]] Result<Outcome> acquire(const core::Asking& asking) { return commit(asking); }

  // Looks first and writes only if it is its turn or its place was lost.
  [[nodiscard]] Result<Outcome> acquire_in_turn(const core::Asking& asking);

  // What is asked for, by keys. `invalid` says what is wrong with it.
  [[nodiscard]] Result<core::Asking> to_asking(const Request& request) const;

  // Heartbeat of the run's lease, also after a silence. `not_found` if nobody holds the key,
  // `fenced` if another run does, which is named (L6), if its holder is gone, or its time over;
  // `denied` if the lease is not one that `speaker` may act for.
  [[nodiscard]] Result<core::Lease> renew(const std::string& name, const std::string& run,
                                          const Speaker& speaker = {});
  [[nodiscard]] Result<core::Lease> release(const std::string& name, const std::string& run,
                                            const Speaker& speaker = {});

  // Ends whatever lease has this token, on behalf of `actor`. `not_found` if it has ended. If its
  // holder ends with it, this waits for that: see breaking.h.
  [[nodiscard]] Result<Broken> break_lock(const std::string& name, std::uint64_t token,
                                          const std::string& actor, const Breaking& how);

  // Ends the lease that was `seen`, because its holder is gone: `evidence`. `not_found` if it has
  // ended already.
  [[nodiscard]] Result<core::Lease> report_gone(const core::Lease& seen, const std::string& actor,
                                                const std::string& evidence);

  // Ends a lease that was `granted` to somebody who does not know of it. `not_found` if it was
  // heard of since: then it does.
  [[nodiscard]] Result<core::Lease> take_back(const core::Lease& granted, const std::string& why);

  // The lock's lease, or nothing if nobody holds it.
  [[nodiscard]] Result<std::optional<Seen>> look(const std::string& name);

  // All locks by name.
  [[nodiscard]] Result<std::vector<Seen>> list();

  [[nodiscard]] engine::Engine& engine() const { return engine_; }

  // A watch of the store to wait with, from an earlier wait or a new one. The
  // kernel takes some ten milliseconds to close one, which must not stand between
  // a waiter and its lock.
  [[nodiscard]] Result<std::unique_ptr<store::Watch>> borrow_watch(store::Store& store);
  void give_back(std::unique_ptr<store::Watch> watch);

  // A place of its own for one who may have to wait. It is given back when no
  // ticket of that name is left.
  [[nodiscard]] Place borrow_place();
  void give_back(Place place) { place_.emplace(std::move(place)); }

  // The key that was last asked for in vain, if it is still so: who asks again only looks first.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  void set_refused(std::string key) { refused_ = std::move(key); }

  // Wakes who holds the ticket, if it is on this machine.
  void ring(const core::Lease& ticket) const;

 private:
  [[nodiscard]] Result<Outcome> commit(const core::Asking& asking);
  [[nodiscard]] Result<core::Lease> own(const core::View& view, const std::string& key,
                                        const std::string& run, const Speaker& speaker) const;
  // Ends the lease that is chosen, rings for who is next, and for its holder if that is another.
  [[nodiscard]] Result<core::Lease> end(
      const std::string& name, const std::string& actor,
      const std::function<Result<core::Ending>(const core::View&, const std::string& key,
                                               core::Lease& lease)>& choose);

  engine::Engine& engine_;
  std::vector<std::unique_ptr<store::Watch>> watches_;
  std::optional<Place> place_;
  std::string refused_;
};

// For people (L17): "TSK-01-01: /wf:build is running (pid 12345 on laptop,
// started 4 min ago, heartbeat 12 s ago)".
[[nodiscard]] std::string describe(const Seen& seen);

}  // namespace tyer::lock
