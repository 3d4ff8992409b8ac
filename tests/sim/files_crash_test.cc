// One script of transactions, stopped at every system call in every way, and
// gone on with. What was answered yes is there, what was not is there as a
// whole or not at all, and the end is always the same.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sim/files_env.h"
#include "store/txn.h"

namespace tyer::files_sim {
namespace {

using store::Durability;
using store::Txn;

constexpr std::size_t journal_max = 5'000;  // Folds in the middle of the script.
constexpr std::size_t script_length = 9;

core::Lease lease_of(const std::string& key, std::uint64_t token, Time now) {
  core::Lease lease;
  lease.key = key;
  lease.token = token;
  lease.holder = {{"here", "boot", "1"}, 42, 7, "run-1"};
  lease.granted_at = lease.heard_at = now;
  lease.silence_max = 180s;
  lease.hold_max = 30min;
  lease.command = "/wf:build";
  return lease;
}

void happen(Txn& txn, const std::string& key, const std::string& type) {
  const std::uint64_t seq = txn.append(event_of(key, type));
  txn.put(core::Subject{key, "", type, std::nullopt, seq, fmt::format(R"({{"seq":{}}})", seq)});
}

Result<> do_step(std::size_t step, Txn& txn) {
  switch (step) {
    case 0:
      happen(txn, "pair/a", "made");
      happen(txn, "pair/b", "made");
      break;
    case 1: {
      const std::uint64_t token = txn.append(event_of("lock/x", "lease.granted"));
      txn.put(lease_of("lock/x", token, txn.now()));
      txn.put(core::Cursor{"rule", token});
      break;
    }
    case 2: {
      TYER_TRY(auto lease, txn.lease("lock/x"));
      lease->heard_at = txn.now();
      txn.put(*lease);
      break;
    }
    case 3:
      happen(txn, "task/fix/1", "ready");
      happen(txn, "task/fix/2", "ready");
      txn.put(core::Cursor{"rule", 5});
      break;
    case 4:
      txn.append(event_of("lock/x", "lease.released"));
      txn.drop_lease("lock/x");
      break;
    case 5:
      happen(txn, "pair/a", "changed");
      txn.trim(4);
      break;
    case 6:
      txn.append(
          event_of("pair/b", "noted", fmt::format(R"({{"text":"{}"}})", std::string(2'500, 'x'))));
      break;
    case 7: {
      const std::uint64_t token = txn.append(event_of("lock/x", "lease.granted"));
      txn.put(lease_of("lock/x", token, txn.now()));
      happen(txn, "pair/b", "changed");
      break;
    }
    default: happen(txn, "pair/a", "done"); break;
  }
  return {};
}

class Script {
 public:
  explicit Script(Durability durability) : durability_(durability) {
    sim::Disk disk;
    Process process(disk, clock_, "boot-0");
    EXPECT_TRUE(process.open(durability_, journal_max));
    pictures_.push_back(*picture(*process.store));
    for (std::size_t step = 0; step < script_length; ++step) {
      EXPECT_TRUE(run(process, step));
      pictures_.push_back(*picture(*process.store));
    }
  }

  Result<> run(Process& process, std::size_t step) {
    clock_.time = from_micros(1'750'000'000'000'000) + std::chrono::seconds(step);
    return store::write(*process.store, [&](Txn& txn) { return do_step(step, txn); });
  }

  // Runs from `step` until something fails or the end. Returns how many steps are done.
  std::size_t run_from(Process& process, std::size_t step) {
    while (step < script_length && run(process, step)) ++step;
    return step;
  }

  // The step that a store stands at, given that `done` were answered yes.
  std::size_t standing(Process& process, std::size_t done, const std::string& when) {
    const auto now = picture(*process.store);
    if (!now) {
      ADD_FAILURE() << when << ": " << now.error().what;
      return done;
    }
    if (*now == pictures_[done]) return done;
    if (done < script_length && *now == pictures_[done + 1]) return done + 1;
    ADD_FAILURE() << when << ": after " << done << " steps it is neither before nor after:\n"
                  << *now << "---\n"
                  << pictures_[done];
    return done;
  }

  // Goes on to the end and looks that all is well.
  void finish(Process& process, std::size_t done, const std::string& when) {
    done = standing(process, done, when);
    ASSERT_EQ(run_from(process, done), script_length) << when;
    EXPECT_EQ(*picture(*process.store), pictures_.back()) << when;
    const auto damage = process.store->check();
    ASSERT_TRUE(damage) << when;
    EXPECT_TRUE(damage->empty()) << when << ": " << damage->front();
  }

  SetClock& clock() { return clock_; }
  [[nodiscard]] Durability durability() const { return durability_; }

 private:
  const Durability durability_;
  SetClock clock_;
  std::vector<std::string> pictures_;
};

void die_at(Process& process, std::uint64_t call, std::size_t torn_bytes = 0) {
  process.files.before_call = [&process, call, torn_bytes] {
    if (process.files.calls() + 1 == call) process.files.kill(torn_bytes);
  };
}

// Runs the script on `disk` in a process that dies at `call`. Nothing if it
// came to the end before; else how many steps were answered yes.
std::optional<std::size_t> run_and_die(Script& script, sim::Disk& disk, std::uint64_t call,
                                       std::size_t torn_bytes = 0) {
  Process process(disk, script.clock(), "boot-0");
  die_at(process, call, torn_bytes);
  if (!process.open(script.durability(), journal_max)) return 0;
  const std::size_t done = script.run_from(process, 0);
  if (!process.files.is_dead()) return std::nullopt;
  return done;
}

TEST(FilesCrash, LeavesBeforeOrAfterAtEverySystemCall) {
  for (const Durability durability : {Durability::full, Durability::normal}) {
    Script script(durability);
    std::uint64_t calls = 0;
    for (const std::size_t torn_bytes : {0U, 1U, 100U, 400U}) {
      for (std::uint64_t call = 1;; ++call) {
        sim::Disk disk;
        const auto done = run_and_die(script, disk, call, torn_bytes);
        if (!done) break;
        Process next(disk, script.clock(), "boot-0");
        ASSERT_TRUE(next.open(durability, journal_max));
        script.finish(next, *done, fmt::format("call {} torn {}", call, torn_bytes));
        if (HasFailure()) return;
        calls = call;
      }
    }
    EXPECT_GT(calls, 100U);
  }
}

TEST(FilesCrash, LosesNothingAcknowledgedWithThePower) {
  Script script(Durability::full);
  for (std::uint64_t call = 1;; ++call) {
    bool died = false;
    for (std::uint64_t outcome = 0; outcome < 8; ++outcome) {
      sim::Disk disk;
      const auto done = run_and_die(script, disk, call);
      if (!done) break;
      died = true;
      SeededRandom random(call * 1'000 + outcome);
      disk.power_loss(random);
      Process next(disk, script.clock(), "boot-1");
      ASSERT_TRUE(next.open(Durability::full, journal_max));
      script.finish(next, *done, fmt::format("call {} outcome {}", call, outcome));
      if (HasFailure()) return;
    }
    if (!died) return;
  }
}

// Dies again while the next process finishes what the first one began.
void die_twice(Script& script, std::uint64_t call, std::uint64_t second, bool power,
               bool& reached) {
  const std::string when = fmt::format("calls {} and {} power {}", call, second, power);
  sim::Disk disk;
  const auto done = run_and_die(script, disk, call);
  ASSERT_TRUE(done);
  SeededRandom random(call * 1'000 + second);
  if (power) disk.power_loss(random);
  {
    Process next(disk, script.clock(), power ? "boot-1" : "boot-0");
    die_at(next, second);
    if (next.open(script.durability(), journal_max) && next.store->begin({}))
      next.store->rollback();
    reached = next.files.is_dead();
  }
  if (power) disk.power_loss(random);
  Process last(disk, script.clock(), power ? "boot-2" : "boot-0");
  ASSERT_TRUE(last.open(script.durability(), journal_max));
  script.finish(last, *done, when);
}

TEST(FilesCrash, MayHappenAgainInTheMiddleOfTheRepair) {
  Script script(Durability::full);
  std::uint64_t last = 1;
  for (sim::Disk disk; run_and_die(script, disk, last); disk = sim::Disk()) ++last;
  for (const bool power : {false, true}) {
    for (std::uint64_t call = power ? 2 : 1; call < last; call += power ? 7 : 3) {
      bool reached = true;
      for (std::uint64_t second = 1; reached; ++second) {
        die_twice(script, call, second, power, reached);
        if (HasFatalFailure() || HasFailure()) return;
      }
    }
  }
}

// From call `call` on the disk has `room` bytes left; then there is room again.
// Returns false if the script ended before.
bool fill_up(Script& script, std::uint64_t call, std::uint64_t room) {
  const std::string when = fmt::format("full from call {} with {} left", call, room);
  sim::Disk disk;
  Process process(disk, script.clock(), "boot-0");
  bool filled = false;
  process.files.before_call = [&] {
    if (process.files.calls() + 1 != call) return;
    disk.space_left = room;
    filled = true;
  };
  EXPECT_TRUE(process.open(script.durability(), journal_max)) << when;
  std::size_t done = 0;
  for (int failures = 0; done < script_length;) {
    const Result<> result = script.run(process, done);
    if (result) {
      ++done;
      continue;
    }
    EXPECT_EQ(result.error().fault, Fault::limit) << when << ": " << result.error().what;
    if (++failures < 3) continue;  // Trying again does not help, nor harm.
    disk.space_left.reset();
    EXPECT_EQ(script.standing(process, done, when), done) << when;
    if (::testing::Test::HasFailure()) return false;
  }
  disk.space_left.reset();
  script.finish(process, done, when);
  return filled;
}

TEST(FilesCrash, AFullDiskIsToldAndNeedsNoRestart) {
  for (const Durability durability : {Durability::full, Durability::normal}) {
    Script script(durability);
    for (const std::uint64_t room : {0U, 150U, 600U}) {
      for (std::uint64_t call = 1; fill_up(script, call, room); ++call) {
      }
      if (HasFailure()) return;
    }
  }
}

TEST(FilesCrash, NormalDurabilityOpensAfterPowerLossWhateverIsLeft) {
  Script script(Durability::normal);
  for (std::uint64_t call = 1; call < 400; call += 3) {
    for (std::uint64_t outcome = 0; outcome < 4; ++outcome) {
      sim::Disk disk;
      if (!run_and_die(script, disk, call)) return;
      SeededRandom random(call * 1'000 + outcome);
      disk.power_loss(random);
      Process next(disk, script.clock(), "boot-1");

      ASSERT_TRUE(next.open(Durability::normal, journal_max));
      const Result<> written = store::write(*next.store, [](Txn& txn) -> Result<> {
        happen(txn, "pair/c", "made");
        return {};
      });
      ASSERT_TRUE(written) << call << ": " << written.error().what;
      const auto events = [&] {
        std::vector<core::Event> rows;
        EXPECT_TRUE(next.store->read([&](const core::View& view) -> Result<> {
          TYER_TRY(rows, view.events({}));
          return {};
        })) << call;
        return rows;
      }();
      ASSERT_FALSE(events.empty());
      EXPECT_EQ(events.back().key, "pair/c");
    }
  }
}

}  // namespace
}  // namespace tyer::files_sim
