// tyer run: a command under a lock. That nothing of it is left behind is in
// run_tree_test.cc.

#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "program/run_command.h"

namespace tyer::testing {
namespace {

// What is about a store and nothing else.
class RunOnAStore : public LockProgramTest {};

class RunSignals : public RunAnywhere {};

INSTANTIATE_TEST_SUITE_P(Desks, RunCommand, ::testing::Values("store", "hub"),
                         [](const auto& desk) { return desk.param; });

// L13
TEST_P(RunCommand, EndsWithTheCodeOfItsCommand) {
  EXPECT_EQ(tyer("run K -- true").code, 0);
  EXPECT_EQ(run_program(run("", "exit 3")).code, 3);
  EXPECT_EQ(run_program(run("", "exit 255")).code, 255);
  EXPECT_EQ(run_program(run("", "kill -TERM $$")).code, 128 + SIGTERM);
  EXPECT_EQ(run_program(run("", "kill -KILL $$")).code, 128 + SIGKILL);
  EXPECT_EQ(tyer("lock list --json").out, "[]\n");
}

// L13
TEST_P(RunCommand, LeavesInputOutputAndErrorsAlone) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7 % 256);
  write_file("bytes", bytes);

  const ProgramResult out = run_program(shell("$TYER run K -- cat <bytes"));
  EXPECT_EQ(out.out, bytes);
  EXPECT_EQ(out.err, "");
  const ProgramResult piped = run_program(shell("cat bytes | $TYER run K -- sh -c 'cat >&2'"));
  EXPECT_EQ(piped.out, "");
  EXPECT_EQ(piped.err, bytes);
}

// Its reader's end is the command's business.
TEST_P(RunCommand, LetsTheWriterOfItsInputSeeThatNobodyReads) {
  const ProgramResult result = run_program(shell("yes | $TYER run K -- head -n 1; echo $?"));

  EXPECT_EQ(result.out, "y\n0\n");
}

TEST_P(RunCommand, PassesArgumentsAsTheyAre) {
  const ProgramResult result =
      tyer({"run", "K", "--", "printf", "[%s]", "a b", "", "--json", "--", "*", "\xff"});

  EXPECT_EQ(result.out, "[a b][][--json][--][*][\xff]");
}

INSTANTIATE_TEST_SUITE_P(Places, RunSignals, anywhere,
                         [](const auto& place) { return place.param; });

// L13
TEST_P(RunSignals, ArePassedOn) {
  for (const auto& [number, name] :
       {std::pair(SIGTERM, "TERM"), {SIGINT, "INT"}, {SIGHUP, "HUP"}, {SIGUSR1, "USR1"}}) {
    Program running(run("", std::string("trap 'echo got ") + name + "; exit 7' " + name +
                                "; echo ready; while :; do read x <go; done"));
    ASSERT_TRUE(running.wait_for("ready"));

    signal_front(number);
    const ProgramResult result = running.finish();

    EXPECT_EQ(result.code, 7) << result.err;
    EXPECT_TRUE(result.out.contains(std::string("got ") + name)) << result.out;
  }
  EXPECT_EQ(lease("key"), "");
}

// L13
TEST_P(RunCommand, SaysThatAnotherHasTheLockWithTheCodeThatIsWanted) {
  Program agent(idle());
  (void)acquire("K --command /wf:build --pid " + std::to_string(agent.pid()));

  const ProgramResult plain = tyer("run K -- echo ran");
  EXPECT_EQ(plain.code, 1);
  EXPECT_EQ(plain.out, "");
  EXPECT_TRUE(plain.err.starts_with("tyer: K: /wf:build is running (pid ")) << plain.err;
  EXPECT_EQ(tyer("run K --conflict-exit 0 -- echo ran").code, 0);
  EXPECT_EQ(tyer("run K --conflict-exit 75 -- echo ran").code, 75);
  for (const std::string wrong : {"256", "-1", "x", ""}) {
    EXPECT_EQ(tyer({"run", "K", "--conflict-exit", wrong, "--", "true"}).code, 2) << wrong;
  }
}

// L13, L16: output is the command's, so the answer stands on standard error.
TEST_P(RunCommand, AnswersInJsonOnStandardError) {
  Program agent(idle());
  (void)acquire("K --pid " + std::to_string(agent.pid()));

  const ProgramResult result = tyer("run K --json -- echo ran");

  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(parse_json(result.err).value_or(Json())["held"][0]["key"], "K") << result.err;
  EXPECT_EQ(tyer("run other --json -- echo ran").out, "ran\n");
}

// L13: an outage is not a duplicate, neither of a hub nor of a store.
TEST_P(RunCommand, TellsAHubOutOfReachFromADuplicate) {
  const ProgramResult refused =
      tyer("run K --url http://127.0.0.1:1 --conflict-exit 75 --wait 1h -- echo ran");

  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(refused.err.contains("the hub http://127.0.0.1:1")) << refused.err;
}

TEST_F(RunOnAStore, TellsAStoreOutOfReachFromADuplicate) {
  environment["TYER_STORE"] = "postgres://me@127.0.0.1:1/none?connect_timeout=2";
  const ProgramResult refused = tyer("run K --conflict-exit 75 -- echo ran");
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err, "");

  write_file("file", "");
  environment["TYER_STORE"] = "sqlite:" + (dir / "file/tyer.db");
  EXPECT_EQ(tyer("run K -- echo ran").code, 3);
  environment["TYER_STORE"] = "files:" + (dir / "file");
  EXPECT_EQ(tyer("run K -- echo ran").code, 3);
  write_file("noise", std::string(8'192, 'x'));
  environment["TYER_STORE"] = "sqlite:" + (dir / "noise");
  EXPECT_EQ(tyer("run K -- echo ran").code, 3);
}

TEST_F(RunOnAStore, TellsADirectoryThatMayNotBeReadFromADuplicate) {
  std::filesystem::create_directory(dir / "closed");
  std::filesystem::permissions(dir / "closed", std::filesystem::perms::none);
  environment["TYER_STORE"] = "sqlite:" + (dir / "closed/tyer.db");

  EXPECT_EQ(tyer_as_others("run K -- echo ran").code, 3);
}

// L6, L13
TEST_P(RunCommand, EndsTheCommandWhenTheLockIsLost) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(run("", "echo ready; exec tail -f /dev/null"));
  ASSERT_TRUE(running.wait_for("ready"));

  EXPECT_EQ(tyer("lock break K --yes").code, 0);
  const ProgramResult result = running.finish();

  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.starts_with("tyer: the lock K was lost: ")) << result.err;
}

// Both are on this machine, and the victim's next heartbeat is a minute away.
TEST_P(RunCommand, IsGoneBeforeTheNextHolderStartsWhenItsLockIsBroken) {
  Program victim(
      run("",
          "trap 'while [ $((i += 1)) -lt 50000 ]; do :; done; echo victim >>story; exit' "
          "TERM\necho $$ >pid; tail -f /dev/null & echo ready; wait"));
  ASSERT_TRUE(victim.wait_for("ready"));
  Program follower(follow());
  Program next(call({"run", "K", "--wait", "1m", "--owner", "next", "--", "sh", "-c",
                     "kill -0 $(cat pid) 2>/dev/null && echo beside; echo next >>story"}));
  ASSERT_TRUE(is_queued(follower, "next"));

  const ProgramResult broken = tyer("lock break K --yes --json");

  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_EQ(parse_json(broken.out).value_or(Json())["holder"], "ended") << broken.out;
  EXPECT_EQ(next.finish().out, "");
  EXPECT_EQ(victim.finish().code, 4);
  EXPECT_EQ(read_file("story"), "victim\nnext\n");
  // Who waits may see that the victim is gone before who broke the lock does.
  const std::string told = story("lock/K");
  EXPECT_TRUE(told == "granted broken granted released granted released" ||
              told == "granted broken granted lapsed:orphaned granted released")
      << told;
}

TEST_P(RunCommand, IsToldAtOnceThatItsLockWasBrokenAlsoIfItGoesOn) {
  Program victim(shell(
      "exec $TYER run K --on-lost warn -- sh -c 'echo ready; read x <go; echo went on' 2>&1"));
  ASSERT_TRUE(victim.wait_for("ready"));

  const ProgramResult broken = tyer("lock break K --yes");

  EXPECT_TRUE(broken.out.contains(" still runs: nobody but you ends it\n")) << broken.out;
  ASSERT_TRUE(victim.wait_for("the lock K was lost: "));
  tell_go();
  EXPECT_TRUE(victim.finish().out.contains("went on"));
}

TEST_P(RunCommand, IsToldAtOnceThatSomebodyElseGaveItsLockBack) {
  Program victim(run("", "echo ready; exec tail -f /dev/null"));
  ASSERT_TRUE(victim.wait_for("ready"));

  EXPECT_EQ(tyer("lock release K --session " + lease("sessionId")).code, 0);

  EXPECT_EQ(victim.finish().code, 4);
}

// L13
TEST_P(RunCommand, OnlyWarnsOfALossIfToldSo) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(
      shell("exec $TYER run K --on-lost warn -- "
            "sh -c 'echo ready; read x <go; echo went on; exit 6' 2>&1"));
  ASSERT_TRUE(running.wait_for("ready"));

  EXPECT_EQ(tyer("lock break K --yes").code, 0);
  ASSERT_TRUE(running.wait_for("the lock K was lost: "));
  tell_go();
  const ProgramResult result = running.finish();

  EXPECT_TRUE(result.out.contains("went on")) << result.out;
  EXPECT_EQ(result.code, 6);
  EXPECT_EQ(tyer("run K --on-lost maybe -- true").code, 2);
}

// L6: it does not release what another took meanwhile.
TEST_P(RunCommand, LeavesTheLockOfItsSuccessorAlone) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(shell("exec $TYER run K --on-lost warn -- sh -c 'echo ready; read x <go' 2>&1"));
  ASSERT_TRUE(running.wait_for("ready"));
  EXPECT_EQ(tyer("lock break K --yes").code, 0);
  const Acquired successor = acquire("K --session successor");
  // Perhaps before there was a successor: who that is, is shown in src/engine/keeper_test.cc.
  ASSERT_TRUE(running.wait_for("was lost"));

  tell_go();
  EXPECT_EQ(running.finish().code, 0);

  EXPECT_EQ(tyer("lock check K --token " + successor.token).code, 0);
}

TEST_P(RunCommand, RefusesATimeToLiveThatItWouldRenewAllTheTime) {
  const ProgramResult result = run_program(run("--ttl 999ms", "echo ran"));

  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.contains("the least is 1s")) << result.err;
}

// L14
TEST_P(RunCommand, EndsTheCommandAtItsHardLimit) {
  const ProgramResult result = run_program(run("--max 200ms", "exec tail -f /dev/null"));

  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(result.err, "tyer: K was ended after 200 ms, its time limit\n");
  EXPECT_EQ(story("lock/K"), "granted released");
}

// Its standard output is the command's, so what tyer says of it is on standard error.
TEST_P(RunCommand, SaysInJsonWhyTheCommandDidNotEndByItself) {
  const auto code_of = [](const ProgramResult& result) -> std::string {
    return parse_json(result.err).value_or(Json())["error"]["code"];
  };
  EXPECT_EQ(code_of(tyer("run K --json -- there-is-no-such-program")), "not_found");
  EXPECT_EQ(code_of(run_program(run("--json --max 200ms", "exec tail -f /dev/null"))), "timeout");
  EXPECT_EQ(code_of(tyer("run K --json --on-lost never -- true")), "invalid");

  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(run("--json", "echo ready; exec tail -f /dev/null"));
  ASSERT_TRUE(running.wait_for("ready"));
  EXPECT_EQ(tyer("lock break K --yes").code, 0);
  const ProgramResult lost = running.finish();
  const std::vector<std::string> lines = split_lines(lost.err);
  ASSERT_EQ(lines.size(), 2U) << lost.err;
  EXPECT_TRUE(parse_json(lines[0]).value_or(Json()).contains("note")) << lost.err;
  EXPECT_EQ(parse_json(lines[1]).value_or(Json())["error"]["code"], "fenced") << lost.err;
}

// L9, L14: renewed while the command lives, however long that is.
TEST_P(RunCommand, RenewsTheLockWhileTheCommandLives) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(run("--ttl 30s", "echo ready; read x <go"));
  ASSERT_TRUE(running.wait_for("ready"));
  const std::string before = lease("heartbeatAt");

  // Somebody else who waits longer than a heartbeat.
  EXPECT_EQ(tyer("lock acquire K --wait 200ms").code, 1);

  EXPECT_GT(lease("heartbeatAt"), before);
  tell_go();
  EXPECT_EQ(running.finish().code, 0);
}

TEST_P(RunCommand, SaysThatTheCommandIsMissingOrCannotBeRunAndReleasesTheLock) {
  write_file("text", "echo hello\n");

  const ProgramResult missing = tyer("run K -- no-such-command");
  EXPECT_EQ(missing.code, 127);
  EXPECT_TRUE(missing.err.contains("no-such-command")) << missing.err;
  EXPECT_EQ(tyer("run K -- ./text").code, 126);
  EXPECT_EQ(tyer("run K -- .").code, 126);
  EXPECT_EQ(tyer("run K").code, 2);
  EXPECT_EQ(tyer("run K --").code, 2);
  EXPECT_EQ(story("lock/K"), "granted released granted released granted released");
}

// As cron calls it.
TEST_P(RunCommand, WorksWithoutEnvironmentAndWithoutInput) {
  write_file(".tyer/config.toml",
             "durability = 'normal'\n" + (has_hub() ? "[hub]\nurl = '" + url() + "'\n" : ""));
  ASSERT_EQ(tyer("trust").code, 0);
  ProgramCall bare = call({"-c", std::string("exec env -i HOME=$HOME PATH=$PATH ") + TYER_PROGRAM +
                                     " run K -- sh -c 'read x; echo $?' <&-"});
  bare.program = "sh";
  const ProgramResult closed = run_program(bare);
  EXPECT_EQ(closed.code, 0) << closed.err;
  EXPECT_EQ(closed.out, "1\n");
  EXPECT_EQ(closed.err, "");

  bare.words[1] =
      std::string("exec env -i HOME=$HOME ") + TYER_PROGRAM + " run K -- true <&- >&- 2>&-";
  EXPECT_EQ(run_program(bare).code, 0);
}

// L12: what the command needs to ask `tyer lock check` with.
TEST_P(RunCommand, TellsTheCommandItsLockSessionAndToken) {
  const ProgramResult result = run_program(
      run("",
          "$TYER lock check $TYER_LOCK --token $TYER_TOKEN >&2 && echo $TYER_LOCK $TYER_TOKEN\n"
          "$TYER lock renew $TYER_LOCK --session $TYER_SESSION"));

  EXPECT_EQ(result.out, fmt::format("K {0}\nK renewed (token {0})\n", first_token())) << result.err;
}

// L16
TEST_P(RunCommand, ShowsTheCommandLineInLists) {
  Program running(
      call({"run", "K", "--owner", "cron", "--", "sh", "-c", "echo ready; read x <go"}));
  ASSERT_TRUE(running.wait_for("ready"));
  EXPECT_EQ(lease("command"), "sh -c echo ready; read x <go");
  EXPECT_EQ(lease("owner"), "cron");

  Program named(
      call({"run", "L", "--command", "nightly", "--", "sh", "-c", "echo ready; read x <go"}));
  ASSERT_TRUE(named.wait_for("ready"));
  EXPECT_TRUE(tyer("lock list").out.contains("nightly"));
  tell_go();
  tell_go();
  EXPECT_EQ(running.finish().code + named.finish().code, 0);
}

TEST_F(RunOnAStore, MakesAStoreWhereThereIsNone) {
  environment.erase("TYER_STORE");

  EXPECT_EQ(tyer("run K -- true").code, 0);

  EXPECT_TRUE(has_file(".tyer/tyer.db"));
}

}  // namespace
}  // namespace tyer::testing
