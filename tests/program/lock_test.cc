// The lock commands one by one: what they do and print. What they refuse is in
// lock_refusals_test.cc.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "program/lock_commands.h"
#include "support/forked.h"

namespace tyer::testing {
namespace {

Json json_of(const std::string& text) {
  const auto json = parse_json(text);
  EXPECT_TRUE(json) << text;
  return json.value_or(Json());
}

// The members of an object by their names, in the order of the alphabet.
std::string members(const Json& object) {
  std::string names;
  for (const auto& [name, value] : object.items()) names += (names.empty() ? "" : " ") + name;
  return names;
}

constexpr const char* lease_members =
    "command heartbeatAt host key owner pid sessionId silence startedAt timeout token";
constexpr const char* seen_members =
    "command heartbeatAt heldFor host key owner pid sessionId silence silentFor startedAt timeout "
    "token verdict waiting why";

// A terminal with a person who types `answer`.
class Person {
 public:
  explicit Person(const std::string& answer)
      : hand_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_TRUE(::grantpt(hand_.get()) == 0 && ::unlockpt(hand_.get()) == 0);
    terminal = ::ptsname(hand_.get());
    screen_ = env::Fd(::open(terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    EXPECT_EQ(::write(hand_.get(), answer.data(), answer.size()),
              static_cast<ssize_t>(answer.size()));
  }

  std::string terminal;  // Its path.

 private:
  env::Fd hand_;
  env::Fd screen_;
};

INSTANTIATE_TEST_SUITE_P(Desks, LockCommands, ::testing::Values("store", "hub"),
                         [](const auto& desk) { return desk.param; });

// L1, L16
TEST_P(LockCommands, PrintKeySessionAndTokenOfWhatWasAcquired) {
  const ProgramResult result = tyer("lock acquire TSK-01-01 리팩토링/1 --no-keeper");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::string uuid = "([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})";
  EXPECT_TRUE(
      std::regex_match(result.out, std::regex(fmt::format("TSK-01-01 {} {}\n리팩토링/1 \\1 {}\n",
                                                          uuid, first_token(), first_token() + 1))))
      << result.out;
}

// L1: a session is new for every run, or the one that is given.
TEST_P(LockCommands, MakeANewSessionUnlessOneIsGiven) {
  EXPECT_NE(acquire("a").session, acquire("b").session);
  EXPECT_EQ(acquire("c --session mine").session, "mine");
  EXPECT_EQ(tyer({"lock", "acquire", "d", "--session", ""}).code, 2);
}

// L16: every command has --json.
TEST_P(LockCommands, AnswerInJsonWithTheDocumentedMembers) {
  const Json got = json_of(tyer("lock acquire K --json --no-keeper").out);
  EXPECT_EQ(members(got), "acquired takenOver");
  EXPECT_EQ(members(got["acquired"][0]), lease_members);
  const std::string session = got["acquired"][0]["sessionId"];

  const Json again = json_of(tyer("lock acquire K --json --no-keeper").out);
  EXPECT_EQ(members(again["takenOver"][0]), seen_members);
  const std::string newer = again["acquired"][0]["sessionId"];
  EXPECT_NE(newer, session);

  const Json refused =
      json_of(tyer("lock acquire K --json --pid " + std::to_string(agent.pid())).out);
  EXPECT_EQ(members(refused), "acquired free held promised");
  EXPECT_EQ(members(refused["held"][0]), seen_members);

  const Json check = json_of(tyer("lock check K --json").out);
  EXPECT_EQ(members(check), "held key lease valid");
  EXPECT_EQ(members(check["lease"]), seen_members);
  EXPECT_EQ(members(json_of(tyer("lock list --json").out)[0]), seen_members);
  EXPECT_EQ(members(json_of(tyer("lock renew K --json --session " + newer).out)), lease_members);
  EXPECT_EQ(members(json_of(tyer("lock release K --json --session " + newer).out)), lease_members);
  EXPECT_EQ(json_of(tyer("lock check K --json").out)["lease"], Json());

  (void)held_by_agent("K");
  Json broken = json_of(tyer("lock break K --json --yes").out);
  EXPECT_EQ(broken["holder"], "running");
  broken.erase("holder");
  EXPECT_EQ(members(broken), lease_members);
  EXPECT_EQ(members(json_of(tyer("lock renew K --json --session x").err)["error"]), "code message");
}

// L16
TEST_P(LockCommands, ListKeyCommandWhoHostAgeHeartbeatTimeLeftAndVerdict) {
  Program dead(idle());
  (void)acquire("b --pid " + std::to_string(dead.pid()));
  (void)held_by_agent("a --command /wf:build --owner alice");
  dead.signal(SIGKILL);
  (void)dead.finish();

  const ProgramResult result = tyer("lock list");

  EXPECT_EQ(result.code, 0);
  const auto lines = split_lines(result.out);
  ASSERT_EQ(lines.size(), 3U) << result.out;
  EXPECT_EQ(split_words(lines[0]), split_words("KEY COMMAND WHO HOST AGE HEARTBEAT LEFT WAITING "
                                               "VERDICT"));
  const std::string span = "[0-9]+ m?s";
  EXPECT_TRUE(std::regex_match(
      lines[1], std::regex("a +/wf:build +alice \\(pid " + std::to_string(agent.pid()) +
                           "\\) +\\S+ +" + span + " +" + span + " ago +59 min +- +live")))
      << lines[1];
  EXPECT_TRUE(lines[2].starts_with("b")) << lines[2];
  EXPECT_TRUE(lines[2].contains("orphaned: no process ")) << lines[2];
  EXPECT_TRUE(is_trimmed(result.out));
}

TEST_P(LockCommands, SayThatThereAreNoLocks) {
  const Acquired got = acquire("K");
  EXPECT_EQ(tyer("lock release K --session " + got.session).out,
            fmt::format("K released (token {})\n", first_token()));

  EXPECT_EQ(tyer("lock list").out, "No locks.\n");
}

// L12, L16
TEST_P(LockCommands, CheckSaysYesOnlyForALiveLockWithThatToken) {
  const Acquired got = held_by_agent("K");

  EXPECT_EQ(tyer("lock check K").code, 0);
  EXPECT_EQ(tyer("lock check K --token " + got.token).code, 0);
  EXPECT_EQ(tyer("lock check K --token 99").code, 1);
  EXPECT_TRUE(tyer("lock check K --token 99").out.contains("token 99 is stale"));
  EXPECT_EQ(tyer("lock check other").code, 1);
  EXPECT_EQ(tyer("lock check other").out, "other: free\n");
  for (const char* const wrong : {"0", "-1", "x", "99999999999999999999"}) {
    EXPECT_EQ(tyer({"lock", "check", "K", "--token", wrong}).code, 2) << wrong;
  }
  agent.signal(SIGKILL);
  (void)agent.finish();
  EXPECT_EQ(tyer("lock check K").code, 1);
  EXPECT_TRUE(tyer("lock check K").out.contains("orphaned: no process ")) << "L10: the reason";
}

// L6
TEST_P(LockCommands, RenewAndReleaseActOnlyOnOnesOwn) {
  const Acquired got = held_by_agent("K");

  for (const std::string verb : {"renew", "release"}) {
    const ProgramResult other = tyer("lock " + verb + " K --session other");
    EXPECT_EQ(other.code, 4);
    EXPECT_EQ(other.err, "tyer: K: session other does not hold it; session " + got.session +
                             " does (pid " + std::to_string(agent.pid()) + " on " +
                             other.err.substr(other.err.find(" on ") + 4));
    EXPECT_EQ(tyer("lock " + verb + " free --session other").code, 1);
    EXPECT_EQ(tyer("lock " + verb + " K").code, 2) << "without a session";
  }
  EXPECT_EQ(tyer("lock renew K --session " + got.session).out,
            "K renewed (token " + got.token + ")\n");
}

// L16, L18
TEST_P(LockCommands, BreakShowsWhomItHitsAndRecordsWhoAndWhy) {
  (void)held_by_agent("K --command /wf:build");
  environment["USER"] = "alice";

  EXPECT_EQ(tyer("lock break K").code, 2) << "nobody can be asked";
  EXPECT_TRUE(tyer("lock break K").err.contains("K: /wf:build is running (pid "));
  EXPECT_EQ(tyer("lock check K").code, 0);
  const ProgramResult broken = tyer({"lock", "break", "K", "--yes", "--why", "it hangs"});

  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_TRUE(broken.out.starts_with(
      fmt::format("K broken (token {})\n  its holder, pid {} on ", first_token(), agent.pid())))
      << broken.out;
  EXPECT_TRUE(broken.out.ends_with(" still runs: nobody but you ends it\n")) << broken.out;
  const Json event = json_of(split_lines(tyer("log lock/K --json").out).back());
  EXPECT_EQ(event["type"], "lease.broken");
  // A hub knows who it is by itself, and is told whom the person takes itself for.
  const std::string why = event["body"]["why"];
  const std::string actor = event["actor"];
  if (has_hub()) {
    EXPECT_EQ(actor, "human/admin");
    EXPECT_TRUE(why.starts_with("it hangs (by alice@")) << why;
  } else {
    EXPECT_TRUE(actor.starts_with("alice@")) << actor;
    EXPECT_EQ(why, "it hangs");
  }
  EXPECT_EQ(tyer("lock break K --yes").code, 1) << "nobody holds it";
}

// L16
TEST_P(LockCommands, BreakAsksAPersonAtATerminal) {
  (void)held_by_agent("K");
  const std::string script = "exec $TYER lock break K <";

  const Person careful("n\n");
  const ProgramResult kept = run_program(shell(script + careful.terminal));
  EXPECT_EQ(kept.code, 1);
  EXPECT_TRUE(kept.err.contains("Break it?")) << kept.err;
  EXPECT_EQ(tyer("lock check K").code, 0);

  const Person sure("y\n");
  EXPECT_EQ(run_program(shell(script + sure.terminal)).code, 0);
  EXPECT_EQ(tyer("lock check K").code, 1);
}

// The line is read with `read -r key session token`.
TEST_P(LockCommands, PrintAKeyAsOneWord) {
  const ProgramResult result = tyer({"lock", "acquire", "a b%c", "--session", "s1", "--no-keeper"});

  EXPECT_EQ(result.out, fmt::format("a%20b%25c s1 {}\n", first_token()));
  EXPECT_EQ(tyer({"lock", "release", "a b%c", "--session", "s1"}).code, 0);
}

TEST_P(LockCommands, SayThatThereIsNothingToKeep) {
  const ProgramResult nobody = tyer("lock keep nobody --session s1");
  EXPECT_EQ(nobody.code, 1);
  EXPECT_EQ(nobody.err, "tyer: nobody: nobody holds it; the lease of session s1 has ended\n");

  (void)held_by_agent("K");
  EXPECT_EQ(tyer("lock keep K --session other").code, 4);
}

// L8
TEST_P(LockCommands, TakeTheFirstFreeOneOfAny) {
  (void)held_by_agent("a");
  (void)held_by_agent("b");

  EXPECT_EQ(acquire("b d c a --any").key, "d");
  EXPECT_EQ(acquire("a c --any").key, "c");
  const ProgramResult none = tyer("lock acquire a b --any");

  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(none.err.contains("tyer: a: it is held (pid ")) << none.err;
  EXPECT_TRUE(none.err.contains("tyer: b: it is held (pid ")) << none.err;
}

// L17: what else there is to do.
TEST_P(LockCommands, TakeAllOrNoneAndNameWhatIsFree) {
  (void)held_by_agent("b");

  const ProgramResult refused = tyer("lock acquire a b c");

  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_TRUE(refused.err.contains("free: a, c")) << refused.err;
  EXPECT_EQ(tyer("lock check a").code, 1);
  EXPECT_EQ(tyer("lock check c").code, 1);
  EXPECT_EQ(tyer("lock acquire a a").code, 2);
}

// L16, L18
TEST_P(LockCommands, WatchPrintsWhatHappensAsItHappens) {
  const Acquired before = acquire("before");
  for (const char* const option : {"", "--json"}) {
    Program watch(call(split_words(std::string("lock watch ") + option)));
    ASSERT_TRUE(watch.wait_for("lock/before")) << "what was last comes first";

    const std::string name = std::string("during") + option;
    const Acquired during = acquire(name);
    ASSERT_TRUE(watch.wait_for("lock/" + name));
    EXPECT_EQ(tyer({"lock", "release", name, "--session", during.session}).code, 0);
    ASSERT_TRUE(watch.wait_for("lease.released"));

    watch.signal(SIGINT);
    const ProgramResult result = watch.finish();
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_FALSE(result.out.contains('\x1b')) << result.out;
    if (*option == '\0') continue;
    for (const std::string& line : split_lines(result.out)) {
      EXPECT_EQ(members(json_of(line)), "actor at body key rev seq type");
    }
  }
}

// L9: what `acquire` leaves behind ends with the process or with the lock.
TEST_P(LockCommands, AcquireLeavesOneKeeperThatEndsWithTheProcessOrTheLock) {
  in_a_copy([&] {
    // The keeper's parent has ended, so it becomes a child of this copy.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (const bool dies : {true, false}) {
      Program holder(idle());
      const ProgramResult got =
          tyer("lock acquire K --session mine --pid " + std::to_string(holder.pid()));
      ASSERT_EQ(got.code, 0) << got.err;
      if (dies) {
        holder.signal(SIGKILL);
        (void)holder.finish();
      } else {
        EXPECT_EQ(tyer("lock release K --session mine").code, 0);
      }
      int status = -1;
      const pid_t keeper = ::waitpid(-1, &status, 0);
      EXPECT_GT(keeper, 0);
      EXPECT_NE(keeper, holder.pid());
      // One that comes when the lock was given back has nothing to keep.
      EXPECT_TRUE(status == 0 || (!dies && WEXITSTATUS(status) == 1)) << status;
    }
  });
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned granted released");
}

// L9: nobody renews without it.
TEST_P(LockCommands, AcquireLeavesNothingBehindIfToldSo) {
  in_a_copy([&] {
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    EXPECT_EQ(tyer("lock acquire K --no-keeper").code, 0);
    EXPECT_EQ(::waitpid(-1, nullptr, 0), -1);
  });
}

// L11
TEST_P(LockCommands, HaveTheTimeLimitOfTheirCommand) {
  const auto minutes = [&](const std::string& options) {
    const Json got = json_of(tyer("lock acquire K --no-keeper --json " + options).out);
    return got["acquired"][0]["timeout"].get<int>() / 60'000;
  };
  EXPECT_EQ(minutes(""), 30);
  EXPECT_EQ(minutes("--command /wf:start"), 5);
  EXPECT_EQ(minutes("--command /wf:draft"), 30);
  EXPECT_EQ(minutes("--command /wf:build"), 60);
  EXPECT_EQ(minutes("--command /wf:review"), 20);
  EXPECT_EQ(minutes("--command /wf:verify"), 30);
  EXPECT_EQ(minutes("--command /wf:done"), 5);
  EXPECT_EQ(minutes("--command /wf:done --timeout 7m"), 7);

  write_file(".tyer/config.toml",
             "[lease]\nhold = '10m'\n[lease.hold_by_command]\ndeploy = '2h'\n");
  EXPECT_EQ(minutes(""), 10);
  EXPECT_EQ(minutes("--command deploy"), 120);
}

// L18: the whole story of a key.
TEST_P(LockCommands, TellTheStoryOfAKeyInTheLog) {
  const Acquired first = acquire("K");
  const Acquired second = acquire("K");
  EXPECT_EQ(tyer("lock release K --session " + second.session).code, 0);
  (void)held_by_agent("K");
  EXPECT_EQ(tyer("lock break K --yes").code, 0);
  (void)held_by_agent("K");
  agent.signal(SIGKILL);
  (void)agent.finish();
  (void)acquire("K");

  EXPECT_EQ(story("lock/K"),
            "granted superseded granted released granted broken granted lapsed:orphaned granted");
}

}  // namespace
}  // namespace tyer::testing
