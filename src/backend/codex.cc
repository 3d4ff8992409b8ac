// Codex CLI, `codex exec`. Recorded with 0.166.0.

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

constexpr std::array<std::string_view, 1> codex_version{"--version"};
constexpr std::array<std::string_view, 2> codex_help{"exec", "--help"};

// A value of its configuration for this run alone. JSON strings and lists of them
// are TOML as well.
void add_codex_setting(Call& call, const std::string& name, const Json& value) {
  call.argv.emplace_back("-c");
  call.argv.push_back(fmt::format("{}={}", name, dump_json(value)));
}

void add_codex_servers(Call& call, const Task& task) {
  for (const ToolServer& server : task.servers) {
    const std::string prefix = "mcp_servers." + server.name;
    if (!server.url.empty()) {
      add_codex_setting(call, prefix + ".url", server.url);
      if (!server.token_variable.empty()) {
        add_codex_setting(call, prefix + ".bearer_token_env_var", server.token_variable);
      }
    } else {
      add_codex_setting(call, prefix + ".command", server.argv.front());
      add_codex_setting(call, prefix + ".args",
                        std::vector<std::string>(server.argv.begin() + 1, server.argv.end()));
      // It starts with a clean environment.
      add_codex_setting(call, prefix + ".env_vars", server.variables);
    }
    // Otherwise one that is slow to start is left out, and each call is denied.
    add_codex_setting(call, prefix + ".required", true);
    add_codex_setting(call, prefix + ".default_tools_approval_mode", "approve");
  }
}

// Its own place for instructions keeps those of the conversation's first run, so
// they stand before the prompt, each time as they are now.
std::string codex_input(const Task& task) {
  if (task.system.empty()) return guarded_prompt(task.prompt);
  return fmt::format("Instructions that hold for this task:\n\n{}\n\nThe task:\n\n{}", task.system,
                     task.prompt);
}

Result<Call> prepare_codex(const Task& task, const Features&) {
  TYER_TRY_OK(check_task(task));
  TYER_TRY_OK(
      check_extra(task, {"--json", "-s", "--sandbox", "resume", "--last", "-", "--ephemeral",
                         "--dangerously-bypass-approvals-and-sandbox", "--yolo"}));
  // Anything else would silently become a new conversation.
  if (!task.conversation.empty() && !is_uuid(task.conversation)) {
    return fail(Fault::not_found, "the conversation is not one of codex: its ids are UUIDs");
  }
  constexpr std::array<const char*, 3> sandboxes{"read-only", "workspace-write",
                                                 "danger-full-access"};
  Call call;
  // On every run: what an earlier one had is not kept.
  begin_call(call, task, "codex",
             {"exec", "-s", sandboxes[static_cast<std::size_t>(task.permission)]});
  if (!task.model.empty()) add_codex_setting(call, "model", task.model);
  add_codex_setting(call, "check_for_update_on_startup", false);
  add_codex_servers(call, task);
  call.argv.insert(call.argv.end(), task.extra.begin(), task.extra.end());
  if (!task.conversation.empty()) call.argv.emplace_back("resume");
  call.argv.insert(call.argv.end(), {"--json", "--skip-git-repo-check"});
  if (!task.conversation.empty()) call.argv.push_back(task.conversation);
  call.argv.emplace_back("-");
  call.input = codex_input(task);
  // SIGTERM would leave its commands behind.
  call.gentle_signal = SIGINT;
  return call;
}

class CodexReader final : public JsonReader {
 public:
  CodexReader(const Task& task, Sink sink)
      : JsonReader(std::move(sink)), asked_(task.conversation) {
    report.usage.tokens_are_totals = true;
  }

 private:
  void event(const std::string& type, const Json& event) override {
    const Json& item = member(event, "item");
    if (type == "thread.started") set_conversation(text_of(event, "thread_id"));
    if (type == "item.started") take_start(item);
    if (type == "item.completed") take_item(item);
    if (type == "turn.completed") take_end(event);
    if (type == "turn.failed") take_failure(text_of(member(event, "error"), "message"));
    // The last of these repeats the failure, which then comes by itself.
    if (type == "error") {
      note({.kind = Note::Kind::retry, .text = text_of(event, "message"), .wait = {}});
    }
  }

  static std::string tool_of(const Json& item) {
    const std::string type = text_of(item, "type");
    return type == "mcp_tool_call" ? text_of(item, "server") + "." + text_of(item, "tool") : type;
  }

  void take_start(const Json& item) {
    const std::string type = text_of(item, "type");
    if (type == "command_execution") {
      note({.kind = Note::Kind::tool_use, .text = text_of(item, "command"), .tool = type});
    } else if (type == "mcp_tool_call") {
      note({.kind = Note::Kind::tool_use,
            .text = shown(member(item, "arguments")),
            .tool = tool_of(item)});
    }
  }

  void take_item(const Json& item) {
    const std::string type = text_of(item, "type");
    if (type == "agent_message") {
      report.text = text_of(item, "text");
      note({.kind = Note::Kind::text, .text = report.text});
    } else if (type == "reasoning") {
      note({.kind = Note::Kind::thinking, .text = text_of(item, "text")});
    } else if (type == "error") {
      warn(text_of(item, "message"));
    } else if (type == "command_execution" || type == "mcp_tool_call") {
      const std::string error = text_of(member(item, "error"), "message");
      const Json& result = member(item, "result");
      if (error.contains("requires approval")) deny(tool_of(item));
      note({.kind = Note::Kind::tool_result,
            .text = !error.empty()     ? error
                    : result.is_null() ? text_of(item, "aggregated_output")
                                       : shown(member(result, "content")),
            .tool = tool_of(item),
            .failed = text_of(item, "status") == "failed"});
    }
  }

  void take_end(const Json& event) {
    has_result = true;
    failure_.clear();
    add_count(report.turns, 1);
    const Json& usage = member(event, "usage");
    report.usage.cached = count_of(usage, "cached_input_tokens");
    report.usage.input =
        std::max<std::int64_t>(0, count_of(usage, "input_tokens") - report.usage.cached);
    report.usage.output = count_of(usage, "output_tokens");
  }

  void take_failure(const std::string& message) {
    has_result = true;
    failure_ = message.empty() ? "the turn failed" : message;
  }

  void judge(const Ending& ending) override {
    if (!asked_.empty() && !conversation.empty() && conversation != asked_) {
      return conclude(Verdict::stale,
                      "codex began a new conversation instead of going on with " + asked_);
    }
    if (!has_result) return judge_silence(ending);
    if (!failure_.empty()) return judge_failure(failure_);
    conclude_done("");
  }

  void judge_failure(const std::string& said) {
    report.wait = said_wait(said);
    if (says(said, {"ran out of room", "context_length_exceeded"})) {
      return conclude(Verdict::too_long, said);
    }
    if (says(said, {"Missing environment variable", "insufficient_quota", "invalid_api_key"})) {
      return conclude(Verdict::credentials, said);
    }
    if (says(said, {"usage limit", "usage_limit_reached", "high demand", "at capacity",
                    "stream disconnected", "error sending request"})) {
      return conclude(Verdict::later, said);
    }
    if (says(said, {"invalid_request_error"})) return conclude(Verdict::mistake, said);
    conclude(judge_status(status_in(said)).value_or(Verdict::failed), said);
  }

  void judge_silence(const Ending& ending) {
    const std::string& errors = ending.errors;
    if (errors.contains("no rollout found for thread id")) {
      conclude(Verdict::stale, telling_line(errors));
    } else if (errors.contains("already has an active writer")) {
      conclude(Verdict::later, telling_line(errors));
    } else if (ending.code == 2 || errors.contains("Not inside a trusted directory")) {
      conclude(Verdict::mistake, telling_line(errors));
    } else if (errors.contains("Missing environment variable")) {
      conclude(Verdict::credentials, telling_line(errors));
    }
  }

  const std::string asked_;
  std::string failure_;
};

std::unique_ptr<Reader> read_codex(const Task& task, Sink sink) {
  return std::make_unique<CodexReader>(task, std::move(sink));
}

}  // namespace

const Backend codex{"codex", "codex", codex_version, codex_help, prepare_codex, read_codex};

}  // namespace tyer::backend
