// A small world for tests of the engine: two machines, a store in memory on a
// third, and kinds made up for the purpose. Nothing moves but by the test.
//
// When the world goes, the laws are checked against all that was committed.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/engine.h"
#include "sim/disk.h"
#include "sim/machine.h"
#include "sim/rng.h"

namespace tyer::testing {

// The way to a store: it counts, and it can be broken.
class WatchedStore final : public store::Store {
 public:
  explicit WatchedStore(store::Store& real) : real_(real) {}

  std::atomic<bool> cut = false;              // Nothing gets through.
  std::atomic<bool> refuses_commits = false;  // Nothing is committed: the disk is full.
  std::atomic<bool> loses_answers = false;    // Commits go through, and nobody is told.
  std::atomic<int> commits = 0;               // That went through.
  std::function<void()> before_commit = [] {};

  Result<store::Begun> begin(std::span<const std::string> keys) override;
  Result<> commit(const store::Writes& writes) override;
  void rollback() override { real_.rollback(); }
  Result<Time> now() override;
  Result<> read(const std::function<Result<>(const core::View&)>& reader) override;
  Result<std::unique_ptr<store::Watch>> watch() override { return real_.watch(); }
  Result<std::vector<std::string>> check() override { return real_.check(); }
  std::string name() const override { return real_.name(); }

 private:
  store::Store& real_;
};

// One process of a machine, with its own way to the store.
struct Seat {
  Seat(sim::Machine& its_machine, env::Files& files, env::Random& random, store::Store& real,
       const core::Catalog& catalog);

  sim::Machine& machine;
  const std::int64_t pid;
  sim::MachineClock clock;
  sim::MachineProcesses processes;
  env::Env env;
  WatchedStore store;
  engine::Engine engine;
};

class EngineWorld {
 public:
  // `on_due` is what happens to items whose time has come.
  explicit EngineWorld(std::vector<core::Rule> rules = {}, core::OnDue on_due = {});
  ~EngineWorld();
  EngineWorld(const EngineWorld&) = delete;
  EngineWorld& operator=(const EngineWorld&) = delete;

  void pass(Span span) { time.now += span; }
  void set_store_clock_error(Span error) { database_.set_clock_error(error); }

  // A process with a catalog of its own.
  [[nodiscard]] std::unique_ptr<Seat> seat(sim::Machine& machine, const core::Catalog& its_catalog);
  [[nodiscard]] std::unique_ptr<Seat> seat(sim::Machine& machine) { return seat(machine, catalog); }

  [[nodiscard]] Result<engine::Applied> apply(const core::Change& change,
                                              const engine::Origin& origin = {"tester"});
  // These must succeed.
  engine::Applied write(const std::string& key, const std::string& type,
                        const std::string& body = "{}");
  core::Lease give(const core::Grant& grant);

  [[nodiscard]] std::optional<core::Subject> subject(const std::string& key);
  // Of a subject that need not be there: its status, and a member of its state.
  [[nodiscard]] std::string status(const std::string& key);
  [[nodiscard]] std::string state(const std::string& key, const std::string& name);
  [[nodiscard]] std::optional<core::Lease> lease(const std::string& key);
  [[nodiscard]] core::Head head();
  [[nodiscard]] std::uint64_t cursor(const std::string& reader);
  [[nodiscard]] std::vector<core::Event> events(const std::string& root = "");
  [[nodiscard]] std::vector<std::string> types(const std::string& root = "");
  void trim(std::uint64_t before);

  bool lawful = true;  // False: this test leaves what the laws cannot explain.

  sim::TrueTime time{from_micros(1'767'323'045'000'000)};
  sim::Machine laptop{"laptop", time, false};
  sim::Machine tower{"tower", time, false};
  const core::Catalog catalog;

 private:
  void read(const std::function<Result<>(const core::View&)>& reader);

  sim::Machine database_{"database", time, false};
  sim::Disk disk_;
  sim::SimFiles files_{disk_};
  sim::Rng random_{1};
  sim::MachineClock database_clock_{database_};
  sim::MachineProcesses database_processes_{database_, 1};
  env::Env database_env_{database_clock_, files_, database_processes_, random_};

 public:
  const std::unique_ptr<store::Store> store;
  Seat here;  // A process on the laptop.
};

// The kinds of the world: item (made, noted, closed; open items may have
// timers), echo for what rules say, plain without timers, and aside.
[[nodiscard]] std::vector<core::Kind> world_kinds(core::OnDue on_due);

[[nodiscard]] core::Change change_of(const std::string& key, const std::string& type,
                                     const std::string& body = "{}");
[[nodiscard]] std::string due_body(std::optional<Time> due_at);

// A lease for `seat` as it would ask for one now.
[[nodiscard]] core::Grant grant_for(const Seat& seat, const std::string& key);
[[nodiscard]] core::Ending ending_of(const core::Lease& lease, core::End how = core::End::released);

// A member of a JSON object as text.
[[nodiscard]] std::string member(const std::string& object, const std::string& name);

// The value, or a failed test and an empty one.
template <class T>
T must(Result<T> result) {
  EXPECT_TRUE(result) << (result ? "" : result.error().what);
  if constexpr (!std::is_void_v<T>) return result ? *std::move(result) : T{};
}

// Steps `part` until it has nothing to do at `now`.
template <class Part>
void run(Part& part, Time now) {
  constexpr int steps_max = 100;
  for (int i = 0; i < steps_max; ++i) {
    const Result<Time> next = part.step(now);
    ASSERT_TRUE(next) << next.error().what;
    if (*next > now) return;
  }
  FAIL() << "there is always more to do";
}

// The name of the fault, or "none".
template <class T>
std::string_view fault_of(const Result<T>& result) {
  return result ? "none" : info(result.error().fault).name;
}

}  // namespace tyer::testing
