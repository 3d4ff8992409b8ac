// Locks in plain files, shared with other tools and with people's own hands.

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/time.h"
#include "env/linux_clock.h"
#include "support/locks.h"

namespace tyer::testing {
namespace {

class LockFiles : public LockProgramTest {
 protected:
  LockFiles() { environment["TYER_STORE"] = "files:.orchay"; }

  // What a tool that knows only the seven fields writes.
  void write_seven(const std::string& name, int pid, Span heard_ago, Span started_ago) const {
    const Time now = env::LinuxClock().now();
    write_file(path(name), dump_json({{"taskId", name},
                                      {"command", "/wf:build"},
                                      {"pid", pid},
                                      {"sessionId", "550e8400-e29b-41d4-a716-446655440000"},
                                      {"startedAt", format_time(now - started_ago, 3)},
                                      {"heartbeatAt", format_time(now - heard_ago, 3)},
                                      {"timeout", 1'800'000}}));
  }

  [[nodiscard]] static std::string path(const std::string& name) {
    return ".orchay/locks/" + name + ".lock.json";
  }

  [[nodiscard]] static int gone_pid(Program& program) {
    const int pid = program.pid();
    program.signal(SIGKILL);
    (void)program.finish();
    return pid;
  }
};

// L1, L2: what other tools read.
TEST_F(LockFiles, HaveTheSevenFieldsOfOtherToolsAndOurs) {
  const Acquired got = acquire("TSK-01-01 --command /wf:build --owner alice");

  const Json file = parse_json(read_file(path("TSK-01-01"))).value_or(Json());
  EXPECT_EQ(file["taskId"], "TSK-01-01");
  EXPECT_EQ(file["command"], "/wf:build");
  EXPECT_EQ(file["pid"], ::getpid());
  EXPECT_EQ(file["sessionId"], got.session);
  EXPECT_EQ(file["timeout"], 3'600'000);
  const std::regex time("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
  EXPECT_TRUE(std::regex_match(text_or(file, "startedAt"), time)) << file;
  EXPECT_TRUE(std::regex_match(text_or(file, "heartbeatAt"), time)) << file;
  for (const char* const ours :
       {"host", "bootId", "pidStart", "pidNamespace", "heartbeatMonotonic", "token", "owner"}) {
    EXPECT_TRUE(file.contains(ours)) << ours;
  }
}

// L2
TEST_F(LockFiles, CanBeRemovedByHand) {
  const Acquired first = acquire("K");
  EXPECT_TRUE(has_file(path("K")));

  std::filesystem::remove(dir / path("K"));

  EXPECT_EQ(tyer("lock check K").code, 1);
  EXPECT_EQ(tyer("lock renew K --session " + first.session).code, 1);
  const Acquired second = acquire("K");
  EXPECT_GT(std::stoll(second.token), std::stoll(first.token));  // L5
  EXPECT_EQ(tyer("lock release K --session " + second.session).code, 0);
  EXPECT_FALSE(has_file(path("K")));
}

// L2: names that are not plain file names.
TEST_F(LockFiles, AreNamedReversiblyWhateverTheKey) {
  const std::vector<std::string> names{"a/b",     "a b",    "%2F",    "리팩토링",
                                       ".hidden", "x.lock", "a%b:c*?"};
  for (const std::string& name : names) {
    EXPECT_EQ(tyer({"lock", "acquire", name, "--no-keeper"}).code, 0) << name;
  }
  EXPECT_TRUE(has_file(".orchay/locks/a%2Fb.lock.json"));

  std::vector<std::string> listed;
  const Json locks = parse_json(tyer("lock list --json").out).value_or(Json());
  for (const Json& lock : locks) listed.push_back(lock["key"]);
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  std::ranges::sort(listed);
  EXPECT_EQ(listed, sorted);
}

// L1, L10: a record with only the seven fields is valid.
TEST_F(LockFiles, OfOtherToolsAreRespectedWhileTheirProcessLives) {
  write_seven("TSK-01-01", ::getpid(), 12s, 4min);

  const ProgramResult refused = tyer("lock acquire TSK-01-01 --command /wf:build --no-keeper");

  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(refused.err.contains(
      fmt::format("TSK-01-01: /wf:build is running (pid {}, started 4 min ago, heartbeat 12 s ago)",
                  ::getpid())))
      << refused.err;  // L17
  EXPECT_EQ(tyer("run TSK-01-01 -- true").code, 1);
  EXPECT_EQ(tyer("lock check TSK-01-01").code, 0);
}

// L10 steps 2 to 4
TEST_F(LockFiles, OfOtherToolsAreJudgedByProcessHeartbeatAndTimeout) {
  Program dead(idle());
  write_seven("gone", gone_pid(dead), 1s, 1min);
  write_seven("silent", ::getpid(), 181s, 5min);
  write_seven("overdue", ::getpid(), 1s, 31min);

  const ProgramResult gone = tyer("lock acquire gone --no-keeper");
  EXPECT_EQ(gone.code, 0);
  EXPECT_TRUE(gone.err.contains("no process ")) << gone.err;
  const ProgramResult silent = tyer("lock acquire silent --no-keeper");
  EXPECT_EQ(silent.code, 0);
  EXPECT_TRUE(silent.err.contains("no heartbeat for 3 min")) << silent.err;
  const ProgramResult overdue = tyer("lock acquire overdue --no-keeper");
  EXPECT_EQ(overdue.code, 0);
  EXPECT_TRUE(overdue.err.contains("held for 31 min, the limit is 30 min")) << overdue.err;
  EXPECT_EQ(story("lock"),
            "lapsed:orphaned granted lapsed:silent granted lapsed:overdue granted");  // L18
}

// L6, L10: one's own is found again, perhaps too late.
TEST_F(LockFiles, AreRenewedAfterASilenceAndNotWhenTheirTimeIsOver) {
  Program dead(idle());
  write_seven("gone", gone_pid(dead), 1s, 1min);
  write_seven("silent", ::getpid(), 181s, 5min);
  write_seven("overdue", ::getpid(), 1s, 31min);
  const std::string session = " --session 550e8400-e29b-41d4-a716-446655440000";

  EXPECT_EQ(tyer("lock renew silent" + session).code, 0);
  EXPECT_EQ(tyer("lock check silent").code, 0);
  EXPECT_EQ(tyer("lock renew gone" + session).code, 4);
  const ProgramResult overdue = tyer("lock renew overdue" + session);
  EXPECT_EQ(overdue.code, 4);
  EXPECT_TRUE(overdue.err.contains("held for 31 min, the limit is 30 min")) << overdue.err;
  EXPECT_EQ(tyer("lock keep overdue" + session).code, 4);
}

// L10 steps 1, 2 and 5: who is elsewhere is judged by the clock alone.
TEST_F(LockFiles, OfOtherBootsAndOtherHostsAreJudgedByWhatCanBeSeen) {
  Program agent(idle());
  const std::string pid = std::to_string(agent.pid());
  ASSERT_EQ(tyer("lock acquire boot host start --no-keeper --pid " + pid).code, 0);
  const auto edit = [&](const std::string& name, const std::string& member, const Json& value) {
    Json file = parse_json(read_file(path(name))).value_or(Json());
    file[member] = value;
    write_file(path(name), dump_json(file));
  };
  edit("boot", "bootId", "another");
  edit("host", "host", "elsewhere");
  edit("host", "pid", 1'999'999'999);
  edit("start", "pidStart", 1);

  EXPECT_EQ(tyer("lock acquire host").code, 1) << "its pid is never probed";
  EXPECT_TRUE(tyer("lock acquire boot --no-keeper").err.contains("the machine was restarted"));
  EXPECT_TRUE(tyer("lock acquire start --no-keeper").err.contains("belongs to another process"));
}

// L3
TEST_F(LockFiles, ThatAreBrokenAreReportedAndNeverTouched) {
  (void)acquire("good");
  const std::string whole = read_file(path("good"));
  const std::vector<std::pair<std::string, std::string>> broken{
      {"empty", ""},
      {"truncated", whole.substr(0, whole.size() / 2)},
      {"binary", std::string("\x7f"
                             "ELF\0\0\xff\xfe\x1b[2J",
                             12)},
      {"list", "[]"},
      {"timeless", R"({"taskId":"timeless","pid":1})"},
      {"huge", whole.substr(0, whole.size() - 1) + std::string(70'000, ' ') + "}"}};
  for (const auto& [name, content] : broken) write_file(path(name), content);

  for (const auto& [name, content] : broken) {
    for (const std::string& line :
         {"lock acquire " + name, "run " + name + " -- true", "lock check " + name,
          "lock break --yes " + name, "lock release --session x " + name}) {
      const ProgramResult result = tyer(line);
      EXPECT_GE(result.code, 2) << line << ": " << result.err;
      EXPECT_TRUE(result.err.contains(name + ".lock.json")) << line << ": " << result.err;
      EXPECT_FALSE(result.err.contains('\x1b')) << result.err;
    }
    EXPECT_EQ(read_file(path(name)), content) << name;
  }
  EXPECT_EQ(tyer("lock check good").code, 0);
  EXPECT_EQ(tyer("lock acquire other --no-keeper").code, 0);
  EXPECT_EQ(tyer("lock list").code, 0);
  EXPECT_EQ(tyer("store check").code, 1);
}

// L3
TEST_F(LockFiles, ThatMayNotBeReadAreReportedAndNeverTouched) {
  const Acquired got = acquire("K");
  ::chmod((dir / path("K")).c_str(), 0);

  const ProgramResult result = tyer_as_others("lock acquire K --pid 1");

  EXPECT_GE(result.code, 2);
  EXPECT_TRUE(result.err.contains("K.lock.json")) << result.err;
  ::chmod((dir / path("K")).c_str(), 0600);
  EXPECT_EQ(tyer("lock check K --token " + got.token).code, 0);
}

}  // namespace
}  // namespace tyer::testing
