// Where everything is kept: subjects, leases, events, cursors.
//
// A Store is a dumb and safe place. It knows one writer at a time (law 9), a
// consistent View for reading, and an all-or-nothing commit of Writes; what the
// writes mean is decided above. SQLite, PostgreSQL and plain files pass one
// conformance suite (tests/store). How to use it:
//
//   store::write(store, [&](Txn& txn) -> Result<> { … txn.append(event); … });
//   store.read([&](const core::View& view) -> Result<> { … });
//
// A Store may be used by several threads: `begin` waits for the writer before
// it, and `commit` or `rollback` by the same thread lets the next one in.
// Several processes may have the same store open.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/view.h"

namespace tyer::store {

// What a transaction has written, by key. Nothing of it is visible to others
// before it is committed; all of it at once after.
struct Writes {
  std::map<std::string, core::Subject> subjects;
  std::map<std::string, std::optional<core::Lease>> leases;  // Nothing: it ended.
  std::map<std::string, core::Cursor> cursors;
  std::map<std::string, std::string> texts;  // For the search; empty: it is taken out.
  std::vector<core::Event> events;           // By sequence, without a gap after the head.
  std::uint64_t trim_before = 0;             // Events with smaller numbers are to be forgotten.
  // For a store that has more to do after it is committed to call before that.
  std::function<void()> committed = {};

  [[nodiscard]] bool empty() const {
    return subjects.empty() && leases.empty() && cursors.empty() && texts.empty() &&
           events.empty() && trim_before == 0;
  }
};

// Rows by key as they were asked for; nothing where there is none.
using SubjectRows = std::unordered_map<std::string, std::optional<core::Subject>>;
using LeaseRows = std::unordered_map<std::string, std::optional<core::Lease>>;

struct Begun {
  const core::View* view = nullptr;  // Valid until commit or rollback.
  core::Head head;
  Time now{};            // The store's time, never before the newest event (law 6).
  SubjectRows subjects;  // As far as they were brought along.
  LeaseRows leases;
};

// Tells that the store may have changed. A hint: it may come for nothing, and a
// lost one costs a poll interval, never an event.
class Watch {
 public:
  virtual ~Watch() = default;

  // True if something happened within `at_most`.
  [[nodiscard]] virtual Result<bool> wait(Span at_most) = 0;

  // Readable when `wait` may have something to say; -1 if only `wait` can tell.
  // It may be another one after each `wait`.
  [[nodiscard]] virtual int fd() const { return -1; }
};

// `full`: what was committed survives power loss. `normal`: the death of a
// process, but the newest commits may be lost with the power.
enum class Durability : std::uint8_t { full, normal };

class Store {
 public:
  virtual ~Store() = default;

  // Opens the one write transaction of the workspace, waiting at most
  // `store_wait_max` for other writers, then `timeout`. The rows of `keys` will
  // be asked for: a store that is a round trip away may bring them along.
  [[nodiscard]] virtual Result<Begun> begin(std::span<const std::string> keys) = 0;

  // All of `writes` or nothing, durable as configured. Ends the transaction
  // either way. An error `unavailable` may leave open whether it was committed.
  [[nodiscard]] virtual Result<> commit(const Writes& writes) = 0;
  virtual void rollback() = 0;

  // The store's time now (law 6), for looking ahead; decisions use their transaction's.
  [[nodiscard]] virtual Result<Time> now();

  // Runs `reader` on a consistent picture; never waits for the writer nor holds
  // it up. It may be run more than once, so it must start afresh each time.
  [[nodiscard]] virtual Result<> read(const std::function<Result<>(const core::View&)>& reader) = 0;

  [[nodiscard]] virtual Result<std::unique_ptr<Watch>> watch() = 0;

  // What is damaged at the level of this store, a sentence each. Reads everything.
  [[nodiscard]] virtual Result<std::vector<std::string>> check() = 0;

  // Whether none but processes of this machine, all of them ours, can write it.
  [[nodiscard]] virtual bool is_private() const { return false; }

  // For people: "sqlite:/home/me/.tyer/tyer.db".
  [[nodiscard]] virtual std::string name() const = 0;
};

class Txn;

// A part of a transaction. `keys`: whose subject and lease it will look at, as
// far as that is known before; it only makes it quicker. `settled`, if any, is
// called once it is known what came of it, before anybody else hears of that, in
// the thread that commits: it must be quick.
struct Work {
  template <class Run>
    requires std::is_invocable_r_v<Result<>, Run&, Txn&>
  Work(Run its_run, std::vector<std::string> its_keys = {},  // NOLINT: a function is a work.
       std::function<void(const Result<>&)> then = {})
      : run(std::move(its_run)), keys(std::move(its_keys)), settled(std::move(then)) {}

  std::function<Result<>(Txn&)> run;
  std::vector<std::string> keys;
  std::function<void(const Result<>&)> settled;
};

// Runs `works` one after the other in one transaction and commits once (law
// 10). Each has a savepoint of its own: one that fails leaves nothing behind
// and does not touch the others. Answers in the order of `works`; what
// succeeded is committed when this returns.
[[nodiscard]] std::vector<Result<>> write_all(Store& store, std::span<const Work> works);
[[nodiscard]] Result<> write(Store& store, const Work& work);

}  // namespace tyer::store
