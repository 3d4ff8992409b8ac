// Claude Code, `claude -p`. Recorded with 2.1.325; 2.1.50 differs where it is said.

#include <algorithm>
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

constexpr std::array<std::string_view, 1> claude_version{"--version"};
constexpr std::array<std::string_view, 1> claude_help{"--help"};

// Bypassing permissions is refused to root; granting every tool is not.
constexpr std::array<std::string_view, 8> claude_every_tool{
    "Bash", "Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch", "Task", "Skill"};

constexpr std::string_view claude_stale_words = "No conversation found with session ID";

std::string claude_servers(const Task& task) {
  Json servers = Json::object();
  for (const ToolServer& server : task.servers) {
    Json& entry = servers[server.name];
    // Without it the model sees only the names of the tools at first.
    entry["alwaysLoad"] = true;
    if (!server.url.empty()) {
      entry["type"] = "http";
      entry["url"] = server.url;
      if (!server.token_variable.empty()) {
        entry["headers"]["Authorization"] = fmt::format("Bearer ${{{}}}", server.token_variable);
      }
      continue;
    }
    entry["command"] = server.argv.front();
    entry["args"] = std::vector<std::string>(server.argv.begin() + 1, server.argv.end());
    for (const std::string& name : server.variables) {
      entry["env"][name] = fmt::format("${{{}}}", name);
    }
  }
  return dump_json({{"mcpServers", servers}});
}

// Tools take every word that follows, so something that takes none must come after.
void add_claude_permissions(Call& call, const Task& task, const Features& features) {
  const char* asked_of_nobody = features.lists("dontAsk") ? "dontAsk" : "default";
  call.argv.emplace_back("--permission-mode");
  call.argv.emplace_back(task.permission == Permission::read ? asked_of_nobody : "acceptEdits");
  std::vector<std::string> granted = task.tools;
  for (const ToolServer& server : task.servers) granted.push_back("mcp__" + server.name);
  if (task.permission == Permission::all) {
    granted.insert(granted.end(), claude_every_tool.begin(), claude_every_tool.end());
  }
  if (granted.empty()) return;
  call.argv.emplace_back("--allowedTools");
  call.argv.insert(call.argv.end(), granted.begin(), granted.end());
}

Result<Call> prepare_claude(const Task& task, const Features& features) {
  TYER_TRY_OK(check_task(task));
  TYER_TRY_OK(check_extra(task, {"-p", "--print", "--output-format", "--input-format", "--resume",
                                 "-r", "--continue", "-c", "--session-id", "--fork-session",
                                 "--no-session-persistence", "--include-partial-messages"}));
  if (task.conversation.empty() && task.new_conversation.empty()) {
    return fail(Fault::invalid, "claude needs an id for a new conversation");
  }
  Call call;
  begin_call(call, task, "claude", {"-p"});
  const auto add = [&](std::string_view flag, std::string value) {
    call.argv.emplace_back(flag);
    call.argv.push_back(std::move(value));
  };
  add_claude_permissions(call, task, features);
  if (!task.servers.empty()) {
    add("--mcp-config", add_file(call, task, "mcp.json", claude_servers(task)));
  }
  // Otherwise the servers that the project names are started, trusted or not.
  call.argv.emplace_back("--strict-mcp-config");
  if (!task.conversation.empty()) {
    add("--resume", task.conversation);
  } else {
    add("--session-id", task.new_conversation);
  }
  if (!task.system.empty()) {
    add("--append-system-prompt-file", add_file(call, task, system_file, task.system));
  }
  // Otherwise a resumed conversation keeps the instructions of its first run.
  if (features.lists("--system-prompt-snapshot")) add("--system-prompt-snapshot", "off");
  if (!task.model.empty()) add("--model", task.model);
  if (task.turns_max > 0) add("--max-turns", std::to_string(task.turns_max));
  add("--output-format", "stream-json");
  call.argv.emplace_back("--verbose");
  call.argv.insert(call.argv.end(), task.extra.begin(), task.extra.end());
  // A background command would keep the process for as long as it runs.
  call.environment = {{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"},
                      {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
                      {"DISABLE_AUTOUPDATER", "1"}};
  call.input = guarded_prompt(task.prompt);
  return call;
}

class ClaudeReader final : public JsonReader {
 public:
  ClaudeReader(const Task& task, Sink sink) : JsonReader(std::move(sink)) {
    for (const ToolServer& server : task.servers) servers_.push_back(server.name);
    report.usage.cost_is_total = true;
  }

 private:
  void event(const std::string& type, const Json& event) override {
    if (type == "system") take_system(event);
    if (type == "assistant") take_assistant(event);
    if (type == "user") take_user(event);
    if (type == "result") take_result(event);
  }

  void take_system(const Json& event) {
    const std::string subtype = text_of(event, "subtype");
    if (subtype == "init") {
      take_init(event);
    } else if (subtype == "api_retry") {
      take_retry(event);
    } else if (subtype == "permission_denied") {
      deny(text_of(event, "tool_name"));
    } else if (subtype == "informational" || subtype == "notification") {
      warn(text_of(event, "content"));
    }
  }

  // Comes again with each turn.
  void take_init(const Json& event) {
    set_conversation(text_of(event, "session_id"));
    const std::string model = text_of(event, "model");
    if (model != model_) note({.kind = Note::Kind::model, .text = model});
    model_ = model;
    // 2.1.50 gave the cost of the run alone.
    const std::string version = text_of(event, "claude_code_version");
    report.usage.cost_is_total = version != "2.1.50";
    missing_.clear();
    std::vector<std::string> up;
    for (const Json& server : member(event, "mcp_servers")) {
      const std::string name = text_of(server, "name");
      const std::string status = text_of(server, "status");
      if (status == "connected" || status == "pending") {
        up.push_back(name);
      } else {
        missing_ = fmt::format("the tool server {} is not there: {}", name, status);
      }
    }
    // One whose entry it did not like is left out without a word.
    for (const std::string& name : servers_) {
      if (std::ranges::find(up, name) != up.end()) continue;
      if (missing_.empty()) missing_ = fmt::format("the tool server {} is not there", name);
      give_up_hope(Verdict::failed, missing_);
    }
  }

  void take_retry(const Json& event) {
    const std::string error = text_of(event, "error");
    const auto wait = std::chrono::milliseconds(
        static_cast<std::int64_t>(number_of(event, "retry_delay_ms", 1e9)));
    note({.kind = Note::Kind::retry, .text = error, .wait = wait});
    // It would ask ten times with the key that was refused, which takes minutes.
    if (error == "authentication_failed" || error == "billing_error") {
      give_up_hope(Verdict::credentials, "the model service refuses the login: " + error);
    }
  }

  void take_assistant(const Json& event) {
    if (const std::string error = text_of(event, "error"); !error.empty()) error_ = error;
    const Json& message = member(event, "message");
    const bool is_own =
        member(event, "parent_tool_use_id").is_null() && text_of(message, "model") != "<synthetic>";
    for (const Json& block : member(message, "content")) {
      const std::string type = text_of(block, "type");
      if (type == "text") {
        if (is_own) report.text = cut_start(text_of(block, "text"), limits::answer_bytes_max);
        note({.kind = Note::Kind::text, .text = text_of(block, "text")});
      } else if (type == "thinking") {
        note({.kind = Note::Kind::thinking, .text = text_of(block, "thinking")});
      } else if (type == "tool_use") {
        const std::string tool = text_of(block, "name");
        open_tool(text_of(block, "id"), tool);
        note({.kind = Note::Kind::tool_use, .text = shown(member(block, "input")), .tool = tool});
      }
    }
  }

  void take_user(const Json& event) {
    for (const Json& block : member(member(event, "message"), "content")) {
      if (text_of(block, "type") != "tool_result") continue;
      const Json& content = member(block, "content");
      std::string text;
      for (const Json& part : content) {
        if (content.is_array()) text += text_of(part, "text");
      }
      note({.kind = Note::Kind::tool_result,
            .text = content.is_string() ? content.get<std::string>() : text,
            .tool = close_tool(text_of(block, "tool_use_id")),
            .failed = is_true(block, "is_error")});
    }
  }

  // There can be several, one for each turn that a background command caused. The
  // last one counts; turns and tokens are each one's own.
  void take_result(const Json& event) {
    has_result = true;
    subtype_ = text_of(event, "subtype");
    is_error_ = is_true(event, "is_error");
    reason_ = text_of(event, "terminal_reason");
    refused_ = text_of(event, "stop_reason") == "refusal";
    status_ = static_cast<int>(number_of(event, "api_error_status", 999));
    said_ = text_of(event, "result");
    if (said_.empty()) {
      for (const Json& error : member(event, "errors"))
        said_ += (said_.empty() ? "" : "; ") + shown(error);
    }
    if (!is_error_) report.text = text_of(event, "result");
    set_conversation(text_of(event, "session_id"));
    for (const Json& denial : member(event, "permission_denials")) {
      deny(text_of(denial, "tool_name"));
    }
    add_count(report.turns, count_of(event, "num_turns"));
    const Json& usage = member(event, "usage");
    add_count(report.usage.input, count_of(usage, "input_tokens"));
    add_count(report.usage.input, count_of(usage, "cache_creation_input_tokens"));
    add_count(report.usage.cached, count_of(usage, "cache_read_input_tokens"));
    add_count(report.usage.output, count_of(usage, "output_tokens"));
    report.usage.cost = cost_of(event, "total_cost_usd");
  }

  void judge(const Ending& ending) override {
    if (!has_result) return judge_silence(ending);
    if (!is_error_) return judge_success();
    if (said_.contains(claude_stale_words)) return conclude(Verdict::stale, said_);
    if (subtype_ == "error_max_turns" || subtype_ == "error_max_budget_usd") {
      return conclude(Verdict::limit, said_);
    }
    if (reason_ == "prompt_too_long" || said_.starts_with("Prompt is too long")) {
      return conclude(Verdict::too_long, said_);
    }
    if (reason_.starts_with("aborted")) return conclude(Verdict::interrupted, "it was interrupted");
    if (error_ == "authentication_failed" || error_ == "billing_error" ||
        says(said_, {"Not logged in", "Credit balance is too low", "Failed to authenticate"})) {
      return conclude(Verdict::credentials, said_);
    }
    if (error_ == "model_not_found") return conclude(Verdict::mistake, said_);
    const auto verdict = judge_status(status_ != 0 ? status_ : status_in(said_));
    const bool is_down = error_ == "rate_limit" || error_ == "server_error" ||
                         error_ == "overloaded" || error_ == "connection_failed" ||
                         says(said_, {"Request timed out", "Connection error", "Overloaded"});
    report.wait = said_wait(said_);
    conclude(verdict.value_or(is_down ? Verdict::later : Verdict::failed), said_);
  }

  void judge_success() {
    if (report.turns == 0) {
      return conclude(Verdict::mistake, "the prompt did not reach the model: " + said_);
    }
    if (!missing_.empty()) return conclude_done(missing_);
    if (refused_) return conclude_done("the model refused");
    conclude_done(reason_ == "hook_stopped" ? "a hook ended the turn" : "");
  }

  void judge_silence(const Ending& ending) {
    const std::string& errors = ending.errors;
    if (says(errors, {claude_stale_words, "--resume requires a valid session"})) {
      conclude(Verdict::stale, telling_line(errors));
    } else if (says(errors, {"unknown option", "root/sudo privileges", "Input must be provided"})) {
      conclude(Verdict::mistake, telling_line(errors));
    }
  }

  std::vector<std::string> servers_;
  std::string missing_;  // Of servers, in words.
  std::string model_;
  std::string error_;  // The kind that the last error message had.
  // Of the last result.
  std::string subtype_;
  std::string reason_;
  std::string said_;
  bool is_error_ = false;
  bool refused_ = false;
  int status_ = 0;
};

std::unique_ptr<Reader> read_claude(const Task& task, Sink sink) {
  return std::make_unique<ClaudeReader>(task, std::move(sink));
}

}  // namespace

const Backend claude{"claude", "claude", claude_version, claude_help, prepare_claude, read_claude};

}  // namespace tyer::backend
