// Every recorded output, and what it must be read as.

#include <map>

#include <gtest/gtest.h>

#include "support/recordings.h"

namespace tyer::backend {
namespace {

using testing::read_pieces;
using testing::Reading;
using testing::Recording;

constexpr const char* first_id = "00000001-0000-4000-8000-000000000001";
constexpr const char* unknown_id = "00000000-0000-4000-8000-000000000000";

struct Expected {
  Verdict verdict = Verdict::done;
  std::string why = "";  // Is in it.
  std::string text = "";
  Usage usage = {};
  std::int64_t turns = 0;
  std::vector<std::string> denied = {};
  std::string resumed = "";
};

Usage claude_usage(std::int64_t input, std::int64_t output, std::int64_t cost) {
  return {.input = input, .output = output, .cost = cost, .cost_is_total = true};
}

Usage codex_usage(std::int64_t input, std::int64_t output) {
  return {.input = input, .output = output, .tokens_are_totals = true};
}

Usage gemini_usage(std::int64_t input, std::int64_t output) {
  return {.input = input, .output = output};
}

// Long because it is a table.
std::map<std::string, Expected> expected_reports() {
  using enum Verdict;
  const std::string hook =
      "PreToolUse:Bash hook error: [echo \"task 7 is leased by worker-2\" >&2; "
      "exit 2]: task 7 is leased by worker-2\n";
  return {
      {"claude-success", {done, "", "hello", claude_usage(100, 2, 440), 1}},
      {"claude-success-json", {done, "", "hello", claude_usage(100, 2, 440), 1}},
      {"claude-tool-bash", {done, "", "done: hi", claude_usage(200, 13, 1060), 2}},
      {"claude-permission-denied",
       {hindered,
        "Write",
        "I could not write the file.",
        claude_usage(200, 21, 1220),
        2,
        {"Write"}}},
      {"claude-api-error-500", {later, "API Error: 500 boom", "", claude_usage(0, 0, 0), 1}},
      {"claude-api-error-401", {credentials, "Invalid API key", "", claude_usage(0, 0, 0), 1}},
      {"claude-not-logged-in", {credentials, "Not logged in", "", claude_usage(0, 0, 0), 1}},
      {"claude-max-turns", {limit, "maximum number of turns", "", claude_usage(100, 9, 580), 2}},
      {"claude-max-budget", {limit, "maximum budget", "", claude_usage(0, 0, 4'000'180), 1}},
      {"claude-resume-stale",
       {stale, "No conversation found", "", claude_usage(0, 0, 0), 0, {}, unknown_id}},
      // Two turns, each with a result of its own.
      {"claude-background-two-results", {done, "", "reply", claude_usage(300, 33, 1860), 3}},
      {"claude-sigint-in-tool", {interrupted, "interrupted", "", claude_usage(100, 13, 660), 3}},
      {"claude-sigint-in-model",
       {interrupted, "exit code 0 and no result", "", claude_usage(0, 0, 0)}},
      {"claude-sigterm-in-tool", {interrupted, "exit code 143", "", claude_usage(0, 0, 0)}},
      {"claude-mcp-call",
       {done, "", "done: mini result {\"id\":\"7\"}", claude_usage(200, 10, 1000), 2}},
      {"claude-mcp-failed",
       {hindered, "the tool server tyer is not there: failed", "carried on without it",
        claude_usage(100, 6, 520), 1}},
      {"claude-hook-blocks-tool",
       {hindered, "Bash", "done: " + hook, claude_usage(200, 40, 1600), 2, {"Bash"}}},
      {"claude-hook-blocks-prompt",
       {mistake, "blocked by hook",
        "UserPromptSubmit operation blocked by hook:\n[echo \"no lease\" >&2; exit 2]: no "
        "lease\n\n\nOriginal prompt: go",
        claude_usage(0, 0, 0)}},
      {"codex-success", {done, "", "hello", codex_usage(100, 38), 1}},
      {"codex-command", {done, "", "done", codex_usage(200, 80), 1}},
      {"codex-error-401", {credentials, "401 Unauthorized", "", codex_usage(0, 0)}},
      {"codex-error-429", {later, "429 Too Many Requests", "", codex_usage(0, 0)}},
      {"codex-resume-stale", {stale, "no rollout found", "", codex_usage(0, 0), 0, {}, unknown_id}},
      {"codex-resume-unknown-name",
       {stale,
        "began a new conversation",
        "hello from a NEW thread",
        codex_usage(100, 43),
        1,
        {},
        "not-a-uuid"}},
      {"codex-mcp-needs-approval",
       {hindered, "tyer.claim_task", "done", codex_usage(200, 82), 1, {"tyer.claim_task"}}},
      {"codex-mcp-call", {done, "", "done", codex_usage(200, 82), 1}},
      {"gemini-success", {done, "", "hello", gemini_usage(100, 5), 1}},
      {"gemini-tool", {done, "", "done", gemini_usage(200, 35), 1}},
      {"gemini-error-401", {credentials, "API key not valid", "", gemini_usage(0, 0), 1}},
      {"gemini-resume-stale",
       {stale, "Invalid session identifier", "", gemini_usage(0, 0), 0, {}, unknown_id}},
      {"gemini-untrusted", {mistake, "not running in a trusted directory", "", gemini_usage(0, 0)}},
      {"gemini-sigterm", {interrupted, "exit code 0 and no result", "", gemini_usage(0, 0)}},
  };
}

std::vector<Note> of_kind(const Reading& reading, Note::Kind kind) {
  std::vector<Note> some;
  for (const Note& note : reading.notes) {
    if (note.kind == kind) some.push_back(note);
  }
  return some;
}

const Recording& recorded(const std::string& name) {
  static const std::vector<Recording> all = testing::recordings();
  for (const Recording& one : all) {
    if (one.name == name) return one;
  }
  ADD_FAILURE() << name;
  return all.front();
}

Reading read_recorded(const std::string& name, const Task& task = {}) {
  const Recording& one = recorded(name);
  return read_pieces(one.backend(), task, {one.output}, one.ending);
}

// One that never was recorded, from what is known of it.
Report read_lines(const char* agent, const std::string& output, const Ending& ending,
                  const Task& task = {}) {
  return read_pieces(*find_backend(agent), task, {output}, ending).report;
}

TEST(Reader, ReadsEveryRecordingAsItWasMeant) {
  const std::map<std::string, Expected> table = expected_reports();
  std::size_t seen = 0;
  for (const Recording& one : testing::recordings()) {
    SCOPED_TRACE(one.name);
    ASSERT_TRUE(table.contains(one.name));
    const Expected& expected = table.at(one.name);
    const Task task{.conversation = expected.resumed};
    const Report report = read_pieces(one.backend(), task, {one.output}, one.ending).report;
    const bool is_done = expected.verdict == Verdict::done || expected.verdict == Verdict::hindered;

    EXPECT_EQ(name(report.verdict), name(expected.verdict)) << report.why;
    EXPECT_TRUE(report.why.contains(expected.why)) << report.why;
    EXPECT_EQ(report.why.empty(), expected.verdict == Verdict::done) << report.why;
    EXPECT_EQ(report.text, expected.text);
    EXPECT_EQ(report.usage, expected.usage);
    EXPECT_EQ(report.turns, expected.turns);
    EXPECT_EQ(report.denied, expected.denied);
    // W5
    EXPECT_EQ(report.conversation, is_done ? first_id : "");
    EXPECT_EQ(report.skipped_lines, 0U);
    ++seen;
  }
  EXPECT_EQ(seen, table.size());
}

TEST(Reader, TellsWhatHappensWhileItHappens) {
  const Reading bash = read_recorded("claude-tool-bash");
  ASSERT_EQ(of_kind(bash, Note::Kind::tool_use).size(), 1U);
  EXPECT_EQ(of_kind(bash, Note::Kind::tool_use)[0].tool, "Bash");
  EXPECT_EQ(of_kind(bash, Note::Kind::tool_result)[0],
            (Note{.kind = Note::Kind::tool_result, .text = "hi", .tool = "Bash"}));
  EXPECT_EQ(bash.notes.front(), (Note{.kind = Note::Kind::conversation, .text = first_id}));
  EXPECT_EQ(of_kind(bash, Note::Kind::model)[0].text, "claude-opus-5-5");

  const Reading failed = read_recorded("codex-command");
  EXPECT_EQ(of_kind(failed, Note::Kind::tool_result)[0], (Note{.kind = Note::Kind::tool_result,
                                                               .text = "hi\n",
                                                               .tool = "command_execution",
                                                               .failed = true}));
  EXPECT_EQ(of_kind(read_recorded("codex-error-401"), Note::Kind::retry).size(), 6U);
  EXPECT_EQ(of_kind(read_recorded("gemini-tool"), Note::Kind::tool_result)[0].tool,
            "run_shell_command");
}

// The second init of a run says nothing new.
TEST(Reader, NamesTheConversationOnce) {
  const Reading reading = read_recorded("claude-background-two-results");

  EXPECT_EQ(of_kind(reading, Note::Kind::conversation).size(), 1U);
  EXPECT_EQ(of_kind(reading, Note::Kind::model).size(), 1U);
}

TEST(Reader, SaysAtTheFirstRefusalOfAKeyThatGoingOnIsOfNoUse) {
  const Reading reading = read_recorded("claude-api-error-401");
  ASSERT_EQ(of_kind(reading, Note::Kind::retry).size(), 1U);
  EXPECT_EQ(of_kind(reading, Note::Kind::retry)[0].wait, Span(603ms));
  EXPECT_EQ(of_kind(reading, Note::Kind::hopeless).size(), 1U);
  EXPECT_TRUE(of_kind(read_recorded("claude-api-error-500"), Note::Kind::hopeless).empty());

  // The caller ends it there, so there is no result.
  const std::string& output = recorded("claude-api-error-401").output;
  const std::size_t second = output.find('\n', output.find("api_retry"));
  const Report report =
      read_lines("claude", output.substr(0, second), {.code = 143, .cut = Ending::Cut::hopeless});
  EXPECT_EQ(name(report.verdict), "credentials");
}

// A run without the tools that the task needs would do something else.
TEST(Reader, GivesUpHopeIfAToolServerOfTheTaskIsMissing) {
  const Task task{.servers = {{.name = "tyer", .argv = {"tyer", "mcp"}}}};
  const auto failed = of_kind(read_recorded("claude-mcp-failed", task), Note::Kind::hopeless);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.front().text, "the tool server tyer is not there: failed");
  EXPECT_EQ(of_kind(read_recorded("claude-success", task), Note::Kind::hopeless).size(), 1U);
  EXPECT_TRUE(of_kind(read_recorded("claude-mcp-call", task), Note::Kind::hopeless).empty());
  EXPECT_EQ(name(read_recorded("claude-success", task).report.verdict), "hindered");
}

// W4
TEST(Reader, TellsARunThatWasEndedFromOneThatEnded) {
  const Recording& cut = recorded("claude-sigterm-in-tool");
  for (const auto& [why, verdict] : {std::pair(Ending::Cut::asked, "stopped"),
                                     {Ending::Cut::time_limit, "timed_out"},
                                     {Ending::Cut::no, "interrupted"}}) {
    EXPECT_EQ(name(read_lines("claude", cut.output, {.code = 143, .cut = why}).verdict), verdict);
  }
  // It came to its end by itself, just before it would have been ended.
  const Recording& whole = recorded("claude-success");
  const Ending late{.code = 0, .cut = Ending::Cut::time_limit};
  EXPECT_EQ(name(read_lines("claude", whole.output, late).verdict), "done");
  // A result, and then a turn that somebody had to end.
  const Ending killed{.signal = SIGKILL, .cut = Ending::Cut::time_limit};
  const Report report = read_lines("claude", whole.output, killed);
  EXPECT_EQ(name(report.verdict), "timed_out");
  EXPECT_EQ(report.text, "hello");
  EXPECT_EQ(report.conversation, "");
}

struct Said {
  const char* agent;
  const char* output;
  Ending ending;
  const char* verdict;
  std::optional<Span> wait = {};
};

// Long because it is a table.
TEST(Reader, UnderstandsFailuresThatWereNotRecorded) {
  const Said table[] = {
      // 2.1.50 invents a session id and says nothing on standard error.
      {"claude",
       R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"x","errors":["No conversation found with session ID: y"]})",
       {.code = 1},
       "stale"},
      {"claude", "", {.code = 1, .errors = "No conversation found with session ID: y\n"}, "stale"},
      {"claude",
       "",
       {.code = 1, .errors = "Error: --resume requires a valid session ID or …"},
       "stale"},
      {"claude",
       "",
       {.code = 1, .errors = "error: unknown option '--system-prompt-snapshot'\n"},
       "mistake"},
      {"claude",
       "",
       {.code = 1, .errors = "Error: Session ID x is already in use.\n"},
       "interrupted"},
      {"claude",
       "",
       {.code = 1,
        .errors = "--dangerously-skip-permissions cannot be used with root/sudo "
                  "privileges for security reasons\n"},
       "mistake"},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: 429 slow down, try again in 2 minutes"})",
       {.code = 1},
       "later",
       2min},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":true,"api_error_status":529,"result":"Overloaded"})",
       {.code = 1},
       "later"},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":true,"result":"API Error: 403 no"})",
       {.code = 1},
       "credentials"},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":true,"result":"Credit balance is too low"})",
       {.code = 1},
       "credentials"},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":true,"terminal_reason":"prompt_too_long","result":"Prompt is too long"})",
       {.code = 1},
       "too_long"},
      {"claude",
       R"({"type":"result","subtype":"success","is_error":false,"num_turns":1,"terminal_reason":"hook_stopped","result":"x"})",
       {},
       "hindered"},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"You've hit your usage limit. Try again in 3 days 4 hours."}})",
       {.code = 1},
       "later",
       76h},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"Selected model is at capacity."}})",
       {.code = 1},
       "later"},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"Codex ran out of room in the model's context window."}})",
       {.code = 1},
       "too_long"},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"Missing environment variable: `K`."}})",
       {.code = 1},
       "credentials"},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"unexpected status 500 x"}})",
       {.code = 1},
       "later"},
      {"codex",
       R"({"type":"turn.failed","error":{"message":"nobody knows"}})",
       {.code = 1},
       "failed"},
      {"codex", R"({"type":"turn.failed"})", {.code = 1}, "failed"},
      {"codex", "", {.code = 2, .errors = "error: unexpected argument '--x'"}, "mistake"},
      {"codex", "", {.code = 1, .errors = "thread ID already has an active writer"}, "later"},
      {"codex", "", {.signal = SIGTERM}, "interrupted"},
      {"gemini", "", {.code = 41}, "credentials"},
      {"gemini", "", {.code = 42, .errors = "No input provided"}, "mistake"},
      {"gemini", "", {.code = 53}, "limit"},
      {"gemini", "", {.code = 147}, "credentials"},
      {"gemini", "", {.code = 144}, "mistake"},
      {"gemini", "", {.code = 173, .errors = R"("retryDelay": "12s")"}, "later", 12s},
      {"gemini", "", {.code = 244}, "later"},
      {"gemini", "", {.code = 1, .errors = "Unknown argument: x"}, "mistake"},
      {"gemini", "", {.code = 1, .errors = "out of memory"}, "interrupted"},
      {"gemini", "", {.signal = SIGKILL}, "interrupted"},
  };
  for (const Said& row : table) {
    const Report report = read_lines(row.agent, row.output, row.ending);
    EXPECT_EQ(name(report.verdict), row.verdict) << row.output << row.ending.errors;
    EXPECT_EQ(report.wait, row.wait) << row.output;
    EXPECT_NE(report.why, "") << row.output;
    EXPECT_EQ(report.conversation, "");
  }
}

TEST(Reader, SaysThatAToolWasNotOfferedByGemini) {
  const std::string output =
      R"({"type":"tool_use","tool_name":"write_file","tool_id":"1","parameters":{}})"
      "\n"
      R"({"type":"tool_result","tool_id":"1","status":"error","error":{"type":"tool_not_registered"}})"
      "\n"
      R"({"type":"message","role":"assistant","content":"no ","delta":true})"
      "\n"
      R"({"type":"message","role":"assistant","content":"luck","delta":true})"
      "\n"
      R"({"type":"result","status":"success","stats":{"input_tokens":10,"cached":4}})";
  const Report report = read_lines("gemini", output, {});

  EXPECT_EQ(name(report.verdict), "hindered");
  EXPECT_EQ(report.denied, std::vector<std::string>{"write_file"});
  EXPECT_EQ(report.text, "no luck");
  EXPECT_EQ(report.usage, (Usage{.input = 6, .cached = 4}));
}

TEST(Reader, TakesWhatGeminiSaysAfterItsLastToolForTheAnswer) {
  const auto says = [](const std::string& text) {
    return R"({"type":"message","role":"assistant","delta":true,"content":")" + text + "\"}\n";
  };
  const std::string tool = R"({"type":"tool_use","tool_name":"x","tool_id":"1"})"
                           "\n";
  const std::string end = R"({"type":"result","status":"success"})";

  EXPECT_EQ(read_lines("gemini", says("first ") + tool + says("an") + says("swer") + end, {}).text,
            "answer");
  EXPECT_EQ(read_lines("gemini", says("only") + tool + end, {}).text, "only");
}

// It would be an argument of the next run.
TEST(Reader, StoresNoIdThatCouldBeAFlag) {
  for (const std::string id : {"--dangerously-skip-permissions", "a b", "", "x\\n", "ü"}) {
    const std::string output = R"({"type":"init","session_id":")" + id +
                               "\"}\n"
                               R"({"type":"result","status":"success"})";
    const Report report = read_lines("gemini", output, {});
    EXPECT_EQ(name(report.verdict), "done");
    EXPECT_EQ(report.conversation, "") << id;
  }
}

}  // namespace
}  // namespace tyer::backend
