#include "run/record.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "run/claim.h"
#include "run/prune.h"
#include "run/settle.h"
#include "support/engine_world.h"
#include "support/temp_dir.h"

namespace tyer::run {
namespace {

class RunRecord : public ::testing::Test {
 protected:
  // The world has kinds of its own and takes runs for a mistake.
  RunRecord() { world.lawful = false; }

  // A run as a keeper on the laptop creates it.
  Job create(const std::string& id, std::int64_t pid) {
    Job job{.id = id,
            .backend = "demo",
            .task = {.prompt = "do\nit\x1b", .extra = {"--key=hunter2"}},
            .directory = "/d",
            .folder = "/f"};
    apply({.events = {draft_created(job, {.first = id}, {holder(pid), holder(pid + 1)}, now())}});
    return job;
  }

  std::uint64_t start(const Job& job, std::int64_t pid) {
    core::Grant grant{.key = key_of(job.id), .holder = holder(pid), .mono = seat->clock.mono()};
    grant.silence_max = 3min;
    grant.hold_max = 30min;
    return apply(decide_start(job, grant, now())).grants.front().token;
  }

  engine::Applied apply(const core::Change& change) {
    const auto applied = seat->engine.apply(
        {"tester"}, [&](const core::View&, Time) -> Result<core::Change> { return change; });
    EXPECT_TRUE(applied) << applied.error().what;
    return applied.value_or(engine::Applied{});
  }

  Result<engine::Applied> end(const std::string& id, std::uint64_t token,
                              const Conclusion& conclusion,
                              const std::optional<core::Draft>& next = {}) {
    return seat->engine.apply({"tester"}, [&](const core::View& view, Time at) {
      return decide_end(view, id, token, conclusion, next, at);
    });
  }

  [[nodiscard]] core::Holder holder(std::int64_t pid) const {
    return seat->processes.holder(pid, "run")
        .value_or(core::Holder{seat->processes.here(), pid, 1, "run"});
  }
  [[nodiscard]] Time now() const { return seat->clock.now(); }
  [[nodiscard]] Record look(const std::string& id) { return *look_at_run(seat->engine, id); }

  const core::Catalog catalog{{core::run_kind()}, {}};
  testing::EngineWorld world;
  const std::unique_ptr<testing::Seat> seat = world.seat(world.laptop, catalog);
};

TEST_F(RunRecord, SaysHowItWasMadeWithoutItsArguments) {
  create("1", seat->pid);
  const Record record = look("1");

  EXPECT_EQ(record.status, "created");
  EXPECT_EQ(record.prompt, "do it\\x1b");
  EXPECT_EQ(record.folder, "/f/1");
  EXPECT_EQ(record.keeper->pid, seat->pid);
  EXPECT_FALSE(world.events("run/1").front().body.contains("hunter2"));
}

TEST_F(RunRecord, HasOneOutcomeAndNoLeaseAfterIt) {
  const Job job = create("1", seat->pid);
  const std::uint64_t token = start(job, seat->pid);
  Conclusion done{.outcome = core::Outcome::succeeded};
  done.report.verdict = backend::Verdict::done;
  done.report.denied = {"Bash"};
  ASSERT_TRUE(end("1", token, done));
  ASSERT_TRUE(end("1", token, {.outcome = core::Outcome::lost}));

  EXPECT_EQ(look("1").verdict, "done");
  EXPECT_FALSE(world.lease("run/1"));
  EXPECT_EQ(world.types("run/1"),
            (std::vector<std::string>{"run.created", "lease.granted", "run.started",
                                      "lease.released", "run.ended"}));
}

// Its keeper was not told that it has a lease.
TEST_F(RunRecord, HasNoLeaseAfterItsEndIfTheAnswerToItsStartWasLost) {
  start(create("1", seat->pid), seat->pid);
  ASSERT_TRUE(end("1", 0, {.outcome = core::Outcome::failed}));

  EXPECT_EQ(look("1").outcome, "failed");
  EXPECT_FALSE(world.lease("run/1"));
}

// W12b
TEST_F(RunRecord, RefusesAStopOnceItHasEnded) {
  const Job job = create("1", seat->pid);
  const std::uint64_t token = start(job, seat->pid);
  Job next = job;
  next.id = "2";
  ASSERT_TRUE(end("1", token, {.outcome = core::Outcome::failed},
                  draft_created(next, {.number = 2, .first = "1", .earlier = "1"},
                                {holder(seat->pid), holder(seat->pid)}, now())));

  const Result<> late = ask_stop(seat->engine, "1", "me");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().fault, Fault::conflict);
  EXPECT_TRUE(late.error().what.contains("the next attempt is 2")) << late.error().what;
  EXPECT_FALSE(look("2").stop_asked);
  EXPECT_TRUE(ask_stop(seat->engine, "2", "me"));
  EXPECT_TRUE(ask_stop(seat->engine, "2", "me"));
  EXPECT_TRUE(look("2").stop_asked);
  EXPECT_EQ(ask_stop(seat->engine, "3", "me").error().fault, Fault::not_found);
}

// The keeper had decided to try again before it saw the stop.
TEST_F(RunRecord, IsNotTriedAgainAfterAStop) {
  const Job job = create("1", seat->pid);
  const std::uint64_t token = start(job, seat->pid);
  ASSERT_TRUE(ask_stop(seat->engine, "1", "me"));
  Job next = job;
  next.id = "2";
  ASSERT_TRUE(end("1", token, {.outcome = core::Outcome::failed},
                  draft_created(next, {.number = 2}, {holder(1), holder(1)}, now())));

  EXPECT_EQ(look("1").next, "");
  EXPECT_FALSE(world.subject("run/2"));
}

TEST_F(RunRecord, IsLostOnceItsKeeperIsGone) {
  const Job waiting = create("1", seat->pid);
  const Job dead = create("2", 99'999);
  start(create("3", seat->pid), seat->pid);
  start(create("4", 99'998), 99'998);
  apply({.events = {{.key = "run/5", .type = "run.created"}}});

  EXPECT_EQ(*settle(seat->engine), (std::vector<std::string>{"2", "4"}));
  EXPECT_EQ(look("2").outcome, "lost");
  EXPECT_EQ(look("4").outcome, "lost");
  EXPECT_FALSE(world.lease("run/4"));
  EXPECT_TRUE(world.lease("run/3"));
  EXPECT_TRUE(settle(seat->engine)->empty());
}

TEST_F(RunRecord, IsLostIfNobodyStartsItWhereItCannotBeSeen) {
  const core::Holder far{{"far", "boot", "namespace"}, 7, 70, "run"};
  const Job job{.id = "1", .backend = "demo", .directory = "/d", .folder = "/f"};
  apply({.events = {draft_created(job, {.first = "1"}, {far, far}, now())}});
  apply(
      {.events = {draft_created({.id = "2", .backend = "demo"},
                                {.first = "2", .not_before = now() + 30min}, {far, far}, now())}});

  world.time.now += limits::start_wait_max - 1s;
  EXPECT_TRUE(settle(seat->engine)->empty());
  world.time.now += 2s;
  EXPECT_EQ(*settle(seat->engine), (std::vector<std::string>{"1"}));
  world.time.now += 30min;
  EXPECT_EQ(*settle(seat->engine), (std::vector<std::string>{"2"}));
}

TEST_F(RunRecord, IsLostWithoutItsLease) {
  const Job job = create("1", seat->pid);
  const std::uint64_t token = start(job, seat->pid);
  apply({.endings = {{.key = "run/1", .token = token, .how = core::End::broken}}});

  EXPECT_TRUE(*settle_one(seat->engine, "1"));
  EXPECT_EQ(look("1").why, "its lease was lost");
}

TEST_F(RunRecord, HasItsWorktreeAloneUntilItHasEnded) {
  Job second{.id = "2", .backend = "demo", .directory = "/d", .worktree = "w", .folder = "/f"};
  const auto try_create = [&] {
    return seat->engine.apply({"me"}, [&](const core::View& view, Time at) {
      return decide_create(view, second, {.first = "2"}, {holder(seat->pid), holder(1)}, at);
    });
  };
  create("1", seat->pid);

  const auto refused = try_create();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::conflict);
  EXPECT_TRUE(refused.error().what.contains("run 1 works in the worktree w"));
  second.directory = "/d/e";
  EXPECT_TRUE(try_create());
  second.id = "3";
  second.directory = "/d";
  ASSERT_TRUE(end("1", 0, {.outcome = core::Outcome::failed}));
  // The second works below it.
  EXPECT_FALSE(try_create());
  ASSERT_TRUE(end("2", 0, {.outcome = core::Outcome::failed}));
  EXPECT_TRUE(try_create());
  EXPECT_EQ(look("3").worktree, "w");
}

TEST_F(RunRecord, OutlivesItsFolder) {
  env::LinuxEnv real;
  env::Files& files = real.env().files;
  const testing::TempDir dir;
  for (const char* const id : {"1", "2", "3", "4", "foreign"}) {
    ASSERT_TRUE(files.make_directory(dir / id));
    ASSERT_TRUE(files.replace(dir / (std::string(id) + "/transcript.jsonl"), "x"));
  }
  for (const char* const id : {"1", "2", "3", "4"}) create(id, seat->pid);
  for (const char* const id : {"1", "3", "4"}) {
    ASSERT_TRUE(end(id, 0, {.outcome = core::Outcome::failed}));
  }
  ASSERT_TRUE(prune(seat->engine, files, dir.path(), 2));

  std::vector<std::string> left;
  const std::vector<env::Entry> entries = *files.list(dir.path());
  for (const env::Entry& entry : entries) left.push_back(entry.name);
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"2", "4", "foreign"}));
  EXPECT_EQ(look("1").outcome, "failed");
}

}  // namespace
}  // namespace tyer::run
