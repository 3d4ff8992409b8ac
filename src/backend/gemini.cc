// Gemini CLI, `gemini` with its prompt on standard input. Recorded with 0.61.0.

#include <array>

#include <fmt/format.h>

#include "backend/agents.h"
#include "backend/call.h"
#include "backend/event.h"
#include "backend/excerpt.h"
#include "backend/line_reader.h"
#include "base/json.h"

namespace tyer::backend {
namespace {

constexpr std::array<std::string_view, 1> gemini_version{"--version"};
constexpr std::array<std::string_view, 1> gemini_help{"--help"};

// What there is no flag for. Merged over the user's own settings.
std::string gemini_settings(const Task& task) {
  Json settings = Json::object();
  if (task.turns_max > 0) settings["model"]["maxSessionTurns"] = task.turns_max;
  for (const ToolServer& server : task.servers) {
    Json& entry = settings["mcpServers"][server.name];
    // Otherwise its tools are hidden.
    entry["trust"] = true;
    if (!server.url.empty()) {
      entry["httpUrl"] = server.url;
      if (!server.token_variable.empty()) {
        entry["headers"]["Authorization"] = fmt::format("Bearer ${}", server.token_variable);
      }
      continue;
    }
    entry["command"] = server.argv.front();
    entry["args"] = std::vector<std::string>(server.argv.begin() + 1, server.argv.end());
    // It would not see variables that look like secrets.
    for (const std::string& name : server.variables) entry["env"][name] = "$" + name;
  }
  return settings.empty() ? "" : dump_json(settings);
}

Result<Call> prepare_gemini(const Task& task, const Features&) {
  TYER_TRY_OK(check_task(task));
  TYER_TRY_OK(
      check_extra(task, {"-p", "--prompt", "-i", "--prompt-interactive", "-o", "--output-format",
                         "--resume", "-r", "--session-id", "-y", "--yolo", "--approval-mode"}));
  if (task.conversation.empty() && task.new_conversation.empty()) {
    return fail(Fault::invalid, "gemini needs an id for a new conversation");
  }
  // "latest" and numbers mean something else to it.
  if (!task.conversation.empty() && !is_uuid(task.conversation)) {
    return fail(Fault::not_found, "the conversation is not one of gemini: its ids are UUIDs");
  }
  constexpr std::array<const char*, 3> modes{"default", "auto_edit", "yolo"};
  Call call;
  begin_call(call, task, "gemini",
             {"--skip-trust", "-o", "stream-json", "--approval-mode",
              modes[static_cast<std::size_t>(task.permission)],
              task.conversation.empty() ? "--session-id" : "--resume",
              task.conversation.empty() ? task.new_conversation : task.conversation});
  if (!task.model.empty()) call.argv.insert(call.argv.end(), {"-m", task.model});
  // One process instead of two, of which the first swallows signals.
  call.environment = {{"GEMINI_CLI_NO_RELAUNCH", "true"}};
  if (!task.system.empty()) {
    if (task.folder.contains(',')) {
      return fail(Fault::invalid, "gemini splits the path of a folder at its commas");
    }
    // Its variable for instructions replaces all of its own; a file of this name adds.
    (void)add_file(call, task, "GEMINI.md", task.system);
    call.argv.insert(call.argv.end(), {"--include-directories", task.folder});
  }
  if (std::string settings = gemini_settings(task); !settings.empty()) {
    call.environment["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] =
        add_file(call, task, "settings.json", std::move(settings));
  }
  call.argv.insert(call.argv.end(), task.extra.begin(), task.extra.end());
  call.input = guarded_prompt(task.prompt);
  return call;
}

class GeminiReader final : public JsonReader {
 public:
  using JsonReader::JsonReader;

 private:
  void event(const std::string& type, const Json& event) override {
    if (type == "init") take_init(event);
    if (type == "message") take_message(event);
    if (type == "tool_use") take_tool(event);
    if (type == "tool_result") take_tool_result(event);
    if (type == "error") warn(text_of(event, "message"));
    if (type == "result") take_result(event);
  }

  void take_init(const Json& event) {
    set_conversation(text_of(event, "session_id"));
    note({.kind = Note::Kind::model, .text = text_of(event, "model")});
  }

  // Pieces of one answer come one after the other; a tool ends it.
  void take_message(const Json& event) {
    if (text_of(event, "role") != "assistant") return;
    const std::string text = text_of(event, "content");
    if (!is_true(event, "delta") || answer_ended_) report.text.clear();
    answer_ended_ = false;
    add_to_answer(text);
    note({.kind = Note::Kind::text, .text = text});
  }

  void take_tool(const Json& event) {
    answer_ended_ = true;
    const std::string tool = text_of(event, "tool_name");
    open_tool(text_of(event, "tool_id"), tool);
    note({.kind = Note::Kind::tool_use, .text = shown(member(event, "parameters")), .tool = tool});
  }

  void take_tool_result(const Json& event) {
    const std::string tool = close_tool(text_of(event, "tool_id"));
    const std::string error = shown(member(event, "error"));
    const std::string text = text_of(event, "output");
    const bool failed = text_of(event, "status") == "error";
    if (failed && says(error + text, {"tool_not_registered", "policy_violation"})) deny(tool);
    note({.kind = Note::Kind::tool_result,
          .text = text.empty() ? error : text,
          .tool = tool,
          .failed = failed});
  }

  void take_result(const Json& event) {
    has_result = true;
    succeeded_ = text_of(event, "status") == "success";
    said_ = text_of(member(event, "error"), "message");
    kind_ = text_of(member(event, "error"), "type");
    const Json& stats = member(event, "stats");
    report.usage.cached = count_of(stats, "cached");
    report.usage.input =
        std::max<std::int64_t>(0, count_of(stats, "input_tokens") - report.usage.cached);
    report.usage.output = count_of(stats, "output_tokens");
    add_count(report.turns, 1);
  }

  void judge(const Ending& ending) override {
    const std::string& errors = ending.errors;
    if (has_result && succeeded_) {
      const bool lacks_server = errors.contains("MCP issues detected");
      return conclude_done(lacks_server ? "a tool server is not there" : "");
    }
    const std::string said = said_.empty() ? telling_line(errors) : said_;
    report.wait = said_wait(said_.empty() ? errors : said_);
    if (ending.code == 41) return conclude(Verdict::credentials, said);
    if (ending.code == 42) {
      return conclude(errors.contains("Error resuming session") ? Verdict::stale : Verdict::mistake,
                      said);
    }
    if (ending.code == 53 || kind_ == "FatalTurnLimitedError")
      return conclude(Verdict::limit, said);
    if (ending.code == 55) return conclude(Verdict::mistake, said);
    // The HTTP status, of which an exit code holds eight bits.
    const bool is_status = ending.code >= 400 - 256 && ending.code <= 504 - 256;
    const int said_status = status_in(said_);
    const int status = said_status == 0 && is_status ? ending.code + 256 : said_status;
    if (const auto verdict = judge_status(status)) return conclude(*verdict, said);
    if (has_result) return conclude(Verdict::failed, said);
    if (ending.code == 1 && says(errors, {"Unknown argument", "Usage: gemini"})) {
      conclude(Verdict::mistake, said);
    }
  }

  bool answer_ended_ = false;
  bool succeeded_ = false;
  std::string said_;
  std::string kind_;
};

std::unique_ptr<Reader> read_gemini(const Task&, Sink sink) {
  return std::make_unique<GeminiReader>(std::move(sink));
}

}  // namespace

const Backend gemini{"gemini", "gemini", gemini_version, gemini_help, prepare_gemini, read_gemini};

}  // namespace tyer::backend
