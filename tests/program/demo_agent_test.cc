// tyer demo-agent, by itself and as a back end reads it.

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "base/json.h"
#include "env/linux_clock.h"
#include "support/demo.h"
#include "support/forked.h"
#include "support/recordings.h"

namespace tyer::testing {
namespace {

class DemoAgent : public ProgramTest {
 protected:
  // The agent itself, not a shell around it: signals reach it.
  [[nodiscard]] ProgramCall agent(const std::string& prompt, const std::string& options = "",
                                  const std::string& redirection = "") const {
    write_file("prompt", prompt);
    ProgramCall shell = call({"-c", fmt::format("exec {} demo-agent {} <prompt {}", TYER_PROGRAM,
                                                options, redirection)});
    shell.program = "/bin/sh";
    return shell;
  }

  [[nodiscard]] ProgramResult ask(const std::string& prompt,
                                  const std::string& options = "") const {
    return run_program(agent(prompt, options));
  }

  // As a worker would: prepared and read by the back end.
  [[nodiscard]] Reading run_task(backend::Task task) const {
    const backend::Backend& demo = *backend::find_backend("demo");
    task.program = TYER_PROGRAM;
    task.folder = dir.path();
    const Result<backend::Call> prepared = demo.prepare(task, {});
    EXPECT_TRUE(prepared);
    write_file("prompt", prepared->input);
    std::vector<std::string> words{"-c", "exec \"$@\" <prompt", "sh"};
    words.insert(words.end(), prepared->argv.begin(), prepared->argv.end());
    ProgramCall shell = call(std::move(words));
    shell.program = "/bin/sh";
    const ProgramResult result = run_program(shell);
    const bool by_signal = result.code > 128;
    return read_pieces(demo, task, {result.out},
                       {.code = by_signal ? 0 : result.code,
                        .signal = by_signal ? result.code - 128 : 0,
                        .errors = result.err});
  }

  [[nodiscard]] std::string read_file(const std::string& name) const {
    std::ifstream file(dir / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

std::vector<Json> events_of(const std::string& output) {
  std::vector<Json> events;
  for (const std::string& line : split_lines(output)) {
    events.push_back(parse_json_object(line).value_or(Json()));
  }
  return events;
}

TEST_F(DemoAgent, AnswersWithTheStartOfItsPrompt) {
  const ProgramResult result = ask("\nTidy up, please.\nThank you.\n");
  const std::vector<Json> events = events_of(result.out);

  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(text_or(events[0], "type"), "init");
  EXPECT_TRUE(text_or(events[1], "text").contains("`Tidy up, please.`"));
  EXPECT_EQ(text_or(events[2], "status"), "done");
}

TEST_F(DemoAgent, DoesWhatItsPromptSaysInOrder) {
  const ProgramResult result = ask(
      "Somebody wrote:\n> demo: say one\n  demo: edit a/b.txt first line\ndemo: tool Bash ls -l\r\n"
      "demo: edit a/b.txt second\nnot a demo: say three\ndemo: busy 0.01\ndemo: sleep 0\n"
      "demo: say two");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_file("a/b.txt"), "first line\nsecond\n");
  std::string story;
  for (const Json& event : events_of(result.out)) {
    story += text_or(event, "type") + " " + text_or(event, "text") + "\n";
  }
  EXPECT_EQ(story, "init \ntext one\ntool a/b.txt\ntool ls -l\ntool a/b.txt\ntext two\nresult \n");
}

TEST_F(DemoAgent, RemembersConversations) {
  EXPECT_EQ(ask("hello", "--conversation c1").code, 0);
  const ProgramResult second = ask("hello", "--resume c1");
  EXPECT_TRUE(second.out.contains("turn 2")) << second.out;
  EXPECT_TRUE(ask("hello", "--resume c1").out.contains("turn 3"));

  const ProgramResult taken = ask("hello", "--conversation c1");
  EXPECT_EQ(taken.code, 1);
  const ProgramResult unknown = ask("hello", "--resume c2");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(text_or(events_of(unknown.out)[0], "status"), "stale");
  // Asking for it did not make it.
  EXPECT_EQ(ask("hello", "--resume c2").code, 1);
}

TEST_F(DemoAgent, KeepsConversationsWhereItIsTold) {
  EXPECT_EQ(ask("hello", "--conversation ../up").code, 0);
  EXPECT_TRUE(::access((home / ".local/state/tyer/demo/%2E.%2Fup.json").c_str(), F_OK) == 0);
  environment["XDG_STATE_HOME"] = dir / "state";
  EXPECT_EQ(ask("hello", "--conversation c").code, 0);
  EXPECT_TRUE(has_file("state/tyer/demo/c.json"));
  environment["TYER_DEMO_DIR"] = dir / "own";
  EXPECT_EQ(ask("hello", "--conversation c").code, 0);
  EXPECT_TRUE(has_file("own/c.json"));
}

TEST_F(DemoAgent, RefusesAScriptThatIsWrongBeforeItDoesAnything) {
  for (const char* const line :
       {"fly",       "",         "edit",     "edit /etc/x y", "edit ../x y", "edit a/../../x y",
        "edit a/ y", "edit . y", "fail",     "fail 256",      "fail -1",     "fail x",
        "busy",      "busy -1",  "busy x",   "busy nan",      "flood",       "flood -1",
        "flood 1.5", "hang 5",   "crash now"}) {
    const ProgramResult result = ask(std::string("demo: edit made.txt x\ndemo: ") + line);
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_TRUE(result.err.starts_with("tyer: 'demo: ")) << result.err;
  }
  for (const char* const line :
       {"sleep 601", "busy 1e9", "flood 4294967297", "garbage 99999999999"}) {
    EXPECT_EQ(ask(std::string("demo: ") + line).code, 5) << line;
  }
  EXPECT_FALSE(has_file("made.txt"));
  EXPECT_EQ(ask(" \n").code, 2);
  EXPECT_EQ(ask("hello", "--resume a --conversation b").code, 2);
  EXPECT_EQ(ask("hello", "--resume ''").code, 2);
  EXPECT_EQ(ask("hello", "--linger 11m").code, 5);
}

TEST_F(DemoAgent, HangsUntilItIsEnded) {
  Program running(agent("demo: say here\ndemo: hang"));
  ASSERT_TRUE(running.wait_for("here"));

  running.signal(SIGTERM);
  EXPECT_EQ(running.finish().code, 128 + SIGTERM);
}

TEST_F(DemoAgent, CanBeDeafToSigterm) {
  Program running(agent("demo: ignore-term\ndemo: say deaf\ndemo: hang"));
  ASSERT_TRUE(running.wait_for("deaf"));

  running.signal(SIGTERM);
  running.signal(SIGKILL);
  // The first one would have ended it as 143.
  EXPECT_EQ(running.finish().code, 128 + SIGKILL);
}

TEST_F(DemoAgent, CanCloseItsOutputAndLiveOn) {
  const std::string script = "demo: say here\ndemo: close-output\ndemo: say gone\ndemo: hang";
  const env::LinuxClock clock;
  const Span start = clock.mono();
  Program running(agent(script, "", "2>/dev/null"));

  // Both pipes are closed: otherwise it would wait for all of its time.
  EXPECT_FALSE(running.wait_for("gone"));
  EXPECT_LT(clock.mono() - start, give_up_after);
  running.signal(SIGTERM);
  const ProgramResult result = running.finish();
  EXPECT_EQ(result.code, 128 + SIGTERM);
  EXPECT_TRUE(result.out.contains("here"));
}

TEST_F(DemoAgent, CanLeaveADaemonBehind) {
  const ProgramResult result = run_program(agent("demo: daemonise", "", ">out"));
  EXPECT_EQ(result.code, 0) << result.err;
  const std::vector<Json> events = events_of(read_file("out"));
  ASSERT_EQ(events.size(), 3U);
  const std::string told = text_or(events[1], "text");
  ASSERT_TRUE(told.starts_with("pid ")) << told;
  const pid_t pid = std::stoi(told.substr(4));

  std::ifstream status(fmt::format("/proc/{}/status", pid));
  std::string ignored;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigIgn:")) ignored = line.substr(8);
  }
  const int session = ::getsid(pid);
  ::kill(pid, SIGKILL);
  EXPECT_TRUE(has_ended(pid));
  EXPECT_EQ(session, pid);
  ASSERT_NE(ignored, "");
  EXPECT_NE(std::stoull(ignored, nullptr, 16) & (1ULL << (SIGTERM - 1)), 0U) << ignored;
}

TEST_F(DemoAgent, FloodsAndStopsWhenNobodyReads) {
  const ProgramResult flood = ask("demo: flood 3000000");
  EXPECT_EQ(flood.code, 0);
  EXPECT_GE(flood.out.size(), 3'000'000U);
  EXPECT_LT(flood.out.size(), 3'010'000U);

  Program running(agent("demo: flood 4000000000"));
  ASSERT_TRUE(running.wait_for("...."));
  running.close_output();
  EXPECT_EQ(running.finish().code, 0);
}

struct Scripted {
  const char* prompt;
  const char* verdict;
  const char* text = "";
};

TEST_F(DemoAgent, IsReadByItsBackEndAsItMeantIt) {
  for (const Scripted& row : {Scripted{"demo: say hi\ndemo: say there", "done", "hi\nthere"},
                              {"demo: say hi\ndemo: fail 3 no luck", "failed", "hi"},
                              {"demo: fail 0", "failed"},
                              {"demo: say hi\ndemo: crash", "interrupted", "hi"},
                              {"demo: rate-limit 90", "later"},
                              {"demo: close-output\ndemo: say hi", "interrupted"},
                              {"demo: garbage 5000\ndemo: say hi\ndemo: garbage 10", "done", "hi"},
                              {"demo: fly", "mistake"},
                              {"demo: edit a.txt x", "done"}}) {
    const Reading reading =
        run_task({.prompt = row.prompt, .permission = backend::Permission::edit});
    EXPECT_EQ(name(reading.report.verdict), row.verdict) << row.prompt << reading.report.why;
    EXPECT_EQ(reading.report.text, row.text) << row.prompt;
    EXPECT_EQ(reading.report.conversation.empty(), row.verdict != std::string_view("done"));
  }
  EXPECT_EQ(run_task({.prompt = "demo: rate-limit 90"}).report.wait, Span(90s));
  EXPECT_EQ(run_task({.prompt = "demo: fail 3 no luck"}).report.why, "no luck");
}

TEST_F(DemoAgent, IsDeniedWhatATaskDoesNotGrant) {
  const Reading reading = run_task({.prompt = "demo: edit made.txt x"});

  EXPECT_EQ(name(reading.report.verdict), "hindered");
  EXPECT_EQ(reading.report.denied, std::vector<std::string>{"edit"});
  EXPECT_FALSE(has_file("made.txt"));
}

// W5
TEST_F(DemoAgent, GoesOnWithTheConversationThatAReportNamed) {
  const std::string first = run_task({.prompt = "hello"}).report.conversation;
  ASSERT_NE(first, "");
  const backend::Report second = run_task({.prompt = "hello", .conversation = first}).report;

  EXPECT_TRUE(second.text.contains("turn 2")) << second.text;
  EXPECT_EQ(second.conversation, first);
  const backend::Report stale = run_task({.prompt = "hello", .conversation = "gone"}).report;
  EXPECT_EQ(name(stale.verdict), "stale");
  EXPECT_EQ(decide_next(stale, {}).act, backend::Next::Act::anew);
}

}  // namespace
}  // namespace tyer::testing
