// How each program is called.

#include "backend/call.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "backend/backend.h"
#include "backend/limits.h"
#include "base/json.h"

namespace tyer::backend {
namespace {

using Words = std::vector<std::string>;

constexpr const char* old_id = "00000001-0000-4000-8000-000000000001";
constexpr const char* new_id = "00000002-0000-4000-8000-000000000002";

Task plain_task() {
  return {.prompt = "say hello", .new_conversation = new_id, .folder = "/run/r1"};
}

// Everything that a task can have.
Task full_task() {
  Task task = plain_task();
  task.conversation = old_id;
  task.system = "be kind";
  task.model = "best-1";
  task.permission = Permission::all;
  task.tools = {"Bash(git log *)"};
  task.servers = {{.name = "tyer", .argv = {"tyer", "mcp"}, .variables = {"TYER_RUN_TOKEN"}},
                  {.name = "far", .url = "https://x.example/mcp", .token_variable = "FAR_TOKEN"}};
  task.turns_max = 9;
  task.extra = {"--add-dir", "/data"};
  task.argv = {"./agent", "-v"};
  return task;
}

Call prepare(const char* agent, const Task& task, const Features& features = {}) {
  const Result<Call> call = find_backend(agent)->prepare(task, features);
  EXPECT_TRUE(call) << agent << ": " << (call ? "" : call.error().what);
  return call.value_or(Call{});
}

std::string file_of(const Call& call, const std::string& name) {
  const auto found = std::ranges::find(call.files, name, &CallFile::name);
  return found == call.files.end() ? "none" : found->content;
}

TEST(Call, OfClaudeIsPlainForAPlainTask) {
  const Call call = prepare("claude", plain_task());

  EXPECT_EQ(call.argv,
            (Words{"claude", "-p", "--permission-mode", "default", "--strict-mcp-config",
                   "--session-id", new_id, "--output-format", "stream-json", "--verbose"}));
  EXPECT_EQ(call.input, "say hello");
  EXPECT_EQ(call.gentle_signal, SIGTERM);
  EXPECT_FALSE(call.signals_group);
  EXPECT_TRUE(call.files.empty());
}

TEST(Call, OfClaudePassesAllThatATaskHas) {
  const Features features =
      read_features("2.1.325 (Claude Code)", "  --system-prompt-snapshot <mode>  dontAsk");
  const Call call = prepare("claude", full_task(), features);

  EXPECT_EQ(call.argv, (Words{"claude",
                              "-p",
                              "--permission-mode",
                              "acceptEdits",
                              "--allowedTools",
                              "Bash(git log *)",
                              "mcp__tyer",
                              "mcp__far",
                              "Bash",
                              "Edit",
                              "Write",
                              "NotebookEdit",
                              "WebFetch",
                              "WebSearch",
                              "Task",
                              "Skill",
                              "--mcp-config",
                              "/run/r1/mcp.json",
                              "--strict-mcp-config",
                              "--resume",
                              old_id,
                              "--append-system-prompt-file",
                              "/run/r1/system.md",
                              "--system-prompt-snapshot",
                              "off",
                              "--model",
                              "best-1",
                              "--max-turns",
                              "9",
                              "--output-format",
                              "stream-json",
                              "--verbose",
                              "--add-dir",
                              "/data"}));
  EXPECT_EQ(file_of(call, "system.md"), "be kind");
  const Json servers = parse_json(file_of(call, "mcp.json")).value_or(Json());
  EXPECT_EQ(servers, Json::parse(R"({"mcpServers":{
      "tyer":{"command":"tyer","args":["mcp"],"env":{"TYER_RUN_TOKEN":"${TYER_RUN_TOKEN}"},
              "alwaysLoad":true},
      "far":{"type":"http","url":"https://x.example/mcp","alwaysLoad":true,
             "headers":{"Authorization":"Bearer ${FAR_TOKEN}"}}}})"));
}

// An unknown flag ends the run; 2.1.50 does not know this one.
TEST(Call, OfClaudePassesANewFlagOnlyIfTheHelpListsIt) {
  const auto passes = [](const char* help) {
    const Call call = prepare("claude", full_task(), read_features("2.1.50", help));
    return std::ranges::find(call.argv, "--system-prompt-snapshot") != call.argv.end();
  };
  EXPECT_TRUE(passes("--system-prompt-snapshot <on|off>"));
  EXPECT_FALSE(passes(""));
  EXPECT_FALSE(passes("--system-prompt <text> --system-prompt-snapshots"));
}

TEST(Call, OfCodexSaysTheSandboxEachTime) {
  const Call call = prepare("codex", plain_task());
  EXPECT_EQ(call.argv,
            (Words{"codex", "exec", "-s", "read-only", "-c", "check_for_update_on_startup=false",
                   "--json", "--skip-git-repo-check", "-"}));
  EXPECT_EQ(call.input, "say hello");
  EXPECT_EQ(call.gentle_signal, SIGINT);

  const Call resumed = prepare("codex", full_task());
  EXPECT_EQ(resumed.argv, (Words{"codex",
                                 "exec",
                                 "-s",
                                 "danger-full-access",
                                 "-c",
                                 R"(model="best-1")",
                                 "-c",
                                 "check_for_update_on_startup=false",
                                 "-c",
                                 R"(mcp_servers.tyer.command="tyer")",
                                 "-c",
                                 R"(mcp_servers.tyer.args=["mcp"])",
                                 "-c",
                                 R"(mcp_servers.tyer.env_vars=["TYER_RUN_TOKEN"])",
                                 "-c",
                                 "mcp_servers.tyer.required=true",
                                 "-c",
                                 R"(mcp_servers.tyer.default_tools_approval_mode="approve")",
                                 "-c",
                                 R"(mcp_servers.far.url="https://x.example/mcp")",
                                 "-c",
                                 R"(mcp_servers.far.bearer_token_env_var="FAR_TOKEN")",
                                 "-c",
                                 "mcp_servers.far.required=true",
                                 "-c",
                                 R"(mcp_servers.far.default_tools_approval_mode="approve")",
                                 "--add-dir",
                                 "/data",
                                 "resume",
                                 "--json",
                                 "--skip-git-repo-check",
                                 old_id,
                                 "-"}));
  // Its own place for them keeps those of the first run.
  EXPECT_EQ(resumed.input,
            "Instructions that hold for this task:\n\nbe kind\n\nThe task:\n\nsay hello");
}

TEST(Call, OfGeminiIsOneProcess) {
  const Call call = prepare("gemini", plain_task());
  EXPECT_EQ(call.argv, (Words{"gemini", "--skip-trust", "-o", "stream-json", "--approval-mode",
                              "default", "--session-id", new_id}));
  EXPECT_EQ(call.environment.at("GEMINI_CLI_NO_RELAUNCH"), "true");
  EXPECT_EQ(call.environment.size(), 1U);

  const Call resumed = prepare("gemini", full_task());
  EXPECT_EQ(resumed.argv, (Words{"gemini", "--skip-trust", "-o", "stream-json", "--approval-mode",
                                 "yolo", "--resume", old_id, "-m", "best-1",
                                 "--include-directories", "/run/r1", "--add-dir", "/data"}));
  EXPECT_EQ(file_of(resumed, "GEMINI.md"), "be kind");
  EXPECT_EQ(resumed.environment.at("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), "/run/r1/settings.json");
  EXPECT_EQ(parse_json(file_of(resumed, "settings.json")).value_or(Json()), Json::parse(R"({
      "model":{"maxSessionTurns":9},
      "mcpServers":{
        "tyer":{"command":"tyer","args":["mcp"],"env":{"TYER_RUN_TOKEN":"$TYER_RUN_TOKEN"},
                "trust":true},
        "far":{"httpUrl":"https://x.example/mcp","trust":true,
               "headers":{"Authorization":"Bearer $FAR_TOKEN"}}}})"));
}

TEST(Call, OfACommandIsTheCommand) {
  const Call call = prepare("command", full_task());

  EXPECT_EQ(call.argv, (Words{"./agent", "-v", "--add-dir", "/data"}));
  EXPECT_EQ(call.input, "say hello");
  EXPECT_EQ(call.environment.at("TYER_CONVERSATION"), old_id);
  EXPECT_EQ(call.environment.at("TYER_MODEL"), "best-1");
  EXPECT_EQ(call.environment.at("TYER_PERMISSION"), "all");
  EXPECT_EQ(call.environment.at("TYER_SYSTEM_FILE"), "/run/r1/system.md");
  EXPECT_TRUE(call.signals_group);
  EXPECT_FALSE(find_backend("command")->prepare(plain_task(), {}));
}

TEST(Call, OfTheDemoIsOurOwnProgram) {
  EXPECT_EQ(prepare("demo", plain_task()).argv,
            (Words{"tyer", "demo-agent", "--conversation", new_id, "--read-only"}));
  Task task = full_task();
  task.program = "/opt/tyer";
  EXPECT_EQ(prepare("demo", task).argv,
            (Words{"/opt/tyer", "demo-agent", "--resume", old_id, "--add-dir", "/data"}));
}

// W6: argv is seen by every user of the machine, and has a limit.
TEST(Call, HasThePromptAndTheInstructionsNowhereInItsArguments) {
  for (const Backend& backend : backends()) {
    SCOPED_TRACE(backend.name);
    Task task = full_task();
    task.prompt = "PROMPT " + std::string(300'000, 'x');
    task.system = "SYSTEM " + std::string(300'000, 'y');
    const Call call = prepare(std::string(backend.name).c_str(), task);

    EXPECT_TRUE(call.input.contains("PROMPT"));
    for (const std::string& word : call.argv) {
      EXPECT_FALSE(word.contains("PROMPT") || word.contains("SYSTEM"));
      EXPECT_LT(word.size(), 1'000U);
    }
    for (const auto& [name, value] : call.environment) EXPECT_LT(value.size(), 1'000U) << name;
  }
}

// claude would run "/clear" as its own command and ask no model.
TEST(Call, NeverBeginsAPromptWithWhatAProgramTakesForACommand) {
  for (const char* const agent : {"claude", "codex", "gemini"}) {
    for (const char* const prompt : {"/clear", " \n/compact", "-p x", "!ls", "@file", "#note"}) {
      Task task = plain_task();
      task.prompt = prompt;
      EXPECT_EQ(prepare(agent, task).input, std::string("The task:\n\n") + prompt) << agent;
    }
  }
  EXPECT_EQ(guarded_prompt("hello /clear"), "hello /clear");
  EXPECT_EQ(guarded_prompt("리팩토링"), "리팩토링");
}

TEST(Call, LetsNoTextOfATaskBecomeAFlag) {
  const auto wrong = [](const char* what, const auto& change, Fault fault) {
    for (const Backend& backend : backends()) {
      Task task = full_task();
      change(task);
      const Result<Call> call = backend.prepare(task, {});
      ASSERT_FALSE(call) << backend.name << " " << what;
      EXPECT_EQ(call.error().fault, fault) << backend.name << " " << what;
    }
  };
  for (const std::string word : {"--dangerously-skip-permissions", "-x", "a b", "a\nb", "ü"}) {
    wrong("model", [&](Task& task) { task.model = word; }, Fault::invalid);
    wrong("conversation", [&](Task& task) { task.conversation = word; }, Fault::not_found);
    wrong("new", [&](Task& task) { task.new_conversation = word; }, Fault::invalid);
    wrong("server", [&](Task& task) { task.servers[0].name = word; }, Fault::invalid);
    wrong("variable", [&](Task& task) { task.servers[0].variables[0] = word; }, Fault::invalid);
    wrong("token", [&](Task& task) { task.servers[1].token_variable = word; }, Fault::invalid);
    wrong("url", [&](Task& task) { task.servers[1].url = word; }, Fault::invalid);
  }
  for (const std::string word : {"--mcp-config", "-x", "a\nb", ""}) {
    wrong("tool", [&](Task& task) { task.tools = {word}; }, Fault::invalid);
  }
  const std::string zero("a\0b", 3);
  wrong("extra", [&](Task& task) { task.extra = {zero}; }, Fault::invalid);
  wrong("argv", [&](Task& task) { task.argv = {"a", zero}; }, Fault::invalid);
  wrong("program", [](Task& task) { task.program = "--x"; }, Fault::invalid);
  wrong("folder", [](Task& task) { task.folder = "here"; }, Fault::invalid);
  wrong("prompt", [](Task& task) { task.prompt = " \n"; }, Fault::invalid);
  wrong(
      "long prompt", [](Task& task) { task.prompt.assign(limits::prompt_bytes_max + 1, 'x'); },
      Fault::limit);
  wrong(
      "many tools", [](Task& task) { task.tools.assign(limits::agent_words_max + 1, "x"); },
      Fault::limit);
}

// Anything but a UUID would silently become a new conversation, or another one.
TEST(Call, KnowsAConversationThatCannotBeTheProgramsOwn) {
  Task task = plain_task();
  task.conversation = "latest";
  for (const char* const agent : {"codex", "gemini"}) {
    EXPECT_EQ(find_backend(agent)->prepare(task, {}).error().fault, Fault::not_found);
  }
}

TEST(Call, LetsNoExtraArgumentTakeOverWhatTheBackEndDecides) {
  for (const auto& [agent, word] : {std::pair("claude", "--output-format=text"),
                                    {"claude", "--continue"},
                                    {"codex", "--yolo"},
                                    {"codex", "resume"},
                                    {"gemini", "-y"}}) {
    Task task = plain_task();
    task.extra = {word};
    EXPECT_EQ(find_backend(agent)->prepare(task, {}).error().fault, Fault::invalid) << word;
  }
}

TEST(CallEnvironment, IsWithoutWhatAnAgentAroundUsLeft) {
  const Environment outer{{"PATH", "/bin"},
                          {"CLAUDECODE", "1"},
                          {"CLAUDE_CODE_SESSION_ID", "x"},
                          {"CLAUDE_CODE_OAUTH_TOKEN", "secret"},
                          {"CODEX_THREAD_ID", "x"},
                          {"ANTHROPIC_API_KEY", "secret"},
                          {"DISABLE_AUTOUPDATER", "0"}};
  const Environment inner = call_environment(outer, prepare("claude", plain_task()));

  EXPECT_EQ(inner, (Environment{{"PATH", "/bin"},
                                {"CLAUDE_CODE_OAUTH_TOKEN", "secret"},
                                {"ANTHROPIC_API_KEY", "secret"},
                                {"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"},
                                {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
                                {"DISABLE_AUTOUPDATER", "1"}}));
}

TEST(Features, AreReadFromWhateverAProgramPrints) {
  EXPECT_EQ(read_features("2.1.325 (Claude Code)\n", "").version, "2.1.325");
  EXPECT_EQ(read_features("codex-cli 0.166.0\n", "").version, "0.166.0");
  EXPECT_EQ(read_features("warning 3 of 4.\nv0.61.0-nightly", "").version, "0.61.0");
  for (const std::string text : {"", "none", "7", ".", "1.", "\xff\0 "}) {
    EXPECT_EQ(read_features(text, text).version, "") << text;
  }
  EXPECT_EQ(read_features("", std::string(10 << 20, 'x')).help.size(),
            limits::agent_help_bytes_max);
}

TEST(Backend, IsFoundByItsName) {
  for (const char* const known : {"claude", "codex", "gemini", "command", "demo"}) {
    ASSERT_NE(find_backend(known), nullptr);
    EXPECT_EQ(find_backend(known)->name, known);
  }
  EXPECT_EQ(find_backend("Claude"), nullptr);
}

}  // namespace
}  // namespace tyer::backend
