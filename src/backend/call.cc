#include "backend/call.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "backend/excerpt.h"
#include "backend/limits.h"
#include "base/text.h"

namespace tyer::backend {
namespace {

// What agents set for the commands that they run. A run that was started from
// within one must not pass for a part of it.
constexpr std::array<std::string_view, 8> left_names{
    "CLAUDECODE", "CLAUDE_PID",         "CLAUDE_EFFORT", "AI_AGENT",
    "GEMINI_CLI", "CLAUDE_PROJECT_DIR", "CODEX_CI",      "CODEX_THREAD_ID"};
constexpr std::string_view left_prefix = "CLAUDE_CODE_";
// Settings under that prefix that people need in order to reach a model at all.
constexpr std::array<std::string_view, 9> wanted_names{
    "CLAUDE_CODE_OAUTH_TOKEN",          "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",           "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_MAX_RETRIES",          "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "CLAUDE_CODE_API_KEY_HELPER_TTL_MS"};

constexpr std::string_view own_line = "The task:\n\n";

// As a tool is written in a grant: "Bash(git log *)".
bool is_grant(std::string_view text) {
  return !text.empty() && text.size() <= limits::agent_word_bytes_max && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7F; });
}

bool is_name(std::string_view text) {
  return is_word(text) && std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
         });
}

Result<> check_words(const std::vector<std::string>& words, std::string_view what) {
  if (words.size() > limits::agent_words_max) {
    return fail(Fault::limit,
                fmt::format("{} {}; at most {}", words.size(), what, limits::agent_words_max));
  }
  for (const std::string& word : words) {
    if (word.contains('\0')) return fail(Fault::invalid, fmt::format("a zero byte in {}", what));
  }
  return {};
}

Result<> check_server(const ToolServer& server) {
  if (!is_name(server.name)) {
    return fail(Fault::invalid, fmt::format("'{}' is no name for a tool server: letters, digits, "
                                            "'_' and '-'",
                                            printable(server.name, 80)));
  }
  const bool has_url = server.url.starts_with("http://") || server.url.starts_with("https://");
  const bool has_program = !server.argv.empty() && !server.argv.front().empty();
  if (has_url == has_program || (has_url && !is_word(server.url))) {
    return fail(Fault::invalid,
                fmt::format("the tool server {} needs a command or an http URL", server.name));
  }
  for (const std::string& variable : server.variables) {
    if (!is_name(variable)) return fail(Fault::invalid, "a variable's name is wrong");
  }
  if (!server.token_variable.empty() && !is_name(server.token_variable)) {
    return fail(Fault::invalid, "the name of the token's variable is wrong");
  }
  return check_words(server.argv, "arguments of a tool server");
}

Result<> check_texts(const Task& task) {
  if (is_blank(task.prompt)) return fail(Fault::invalid, "the prompt is empty");
  if (task.prompt.size() > limits::prompt_bytes_max) {
    return fail(Fault::limit, fmt::format("a prompt of {} bytes is over the limit of {}",
                                          task.prompt.size(), limits::prompt_bytes_max));
  }
  if (task.system.size() > limits::system_bytes_max) {
    return fail(Fault::limit, fmt::format("instructions of {} bytes are over the limit of {}",
                                          task.system.size(), limits::system_bytes_max));
  }
  return {};
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

}  // namespace

bool Features::lists(std::string_view word) const {
  for (std::size_t at = help.find(word); at != std::string::npos; at = help.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(help[at - 1]);
    const std::size_t end = at + word.size();
    if (begins && (end == help.size() || !is_word_character(help[end]))) return true;
  }
  return false;
}

Features read_features(std::string_view version, std::string_view help) {
  Features features{.help = std::string(help.substr(0, limits::agent_help_bytes_max))};
  version = version.substr(0, limits::agent_help_bytes_max);
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  while (!version.empty() && features.version.empty()) {
    const auto start = std::ranges::find_if(version, is_part);
    version.remove_prefix(static_cast<std::size_t>(start - version.begin()));
    const auto end = std::ranges::find_if_not(version, is_part);
    const std::string_view number =
        version.substr(0, static_cast<std::size_t>(end - version.begin()));
    version.remove_prefix(number.size());
    const bool is_version = std::ranges::count(number, '.') >= 1 && number.front() != '.' &&
                            number.back() != '.' && number.size() <= 40;
    if (is_version) features.version = number;
  }
  return features;
}

Environment call_environment(const Environment& outer, const Call& call) {
  Environment inner;
  for (const auto& [name, value] : outer) {
    const bool is_left = std::ranges::find(left_names, name) != left_names.end() ||
                         (name.starts_with(left_prefix) &&
                          std::ranges::find(wanted_names, name) == wanted_names.end());
    if (!is_left) inner.emplace(name, value);
  }
  for (const auto& [name, value] : call.environment) inner.insert_or_assign(name, value);
  return inner;
}

Result<> check_task(const Task& task) {
  TYER_TRY_OK(check_texts(task));
  if (!task.conversation.empty() && !is_word(task.conversation)) {
    return fail(Fault::not_found, fmt::format("'{}' is not the id of a conversation",
                                              printable(task.conversation, 80)));
  }
  if (!task.new_conversation.empty() && !is_uuid(task.new_conversation)) {
    return fail(Fault::invalid, fmt::format("'{}' is not a UUID for a new conversation",
                                            printable(task.new_conversation, 80)));
  }
  if (!task.model.empty() && !is_word(task.model)) {
    return fail(Fault::invalid,
                fmt::format("'{}' is not the name of a model", printable(task.model, 80)));
  }
  if (task.program.starts_with('-') || task.program.contains('\0')) {
    return fail(Fault::invalid, fmt::format("'{}' is not a program", printable(task.program, 80)));
  }
  if (!task.folder.starts_with('/') || task.folder.contains('\0')) {
    return fail(Fault::invalid, "the folder of a run must be an absolute path");
  }
  for (const std::string& tool : task.tools) {
    if (!is_grant(tool)) {
      return fail(Fault::invalid, fmt::format("'{}' is not a tool", printable(tool, 80)));
    }
  }
  for (const ToolServer& server : task.servers) TYER_TRY_OK(check_server(server));
  TYER_TRY_OK(check_words(task.tools, "tools"));
  TYER_TRY_OK(check_words(task.argv, "words of the command"));
  return check_words(task.extra, "extra arguments");
}

Result<> check_extra(const Task& task, std::initializer_list<std::string_view> owned) {
  for (const std::string& word : task.extra) {
    const std::string_view flag = std::string_view(word).substr(0, word.find('='));
    if (std::ranges::find(owned, flag) != owned.end()) {
      return fail(Fault::invalid, fmt::format("tyer passes {} itself; it cannot be an extra "
                                              "argument",
                                              printable(flag, 80)));
    }
  }
  return {};
}

std::string guarded_prompt(const std::string& prompt) {
  const std::size_t first = prompt.find_first_not_of(" \t\r\n");
  const auto c = first == std::string::npos ? '/' : prompt[first];
  const bool is_plain =
      std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  return is_plain ? prompt : std::string(own_line) + prompt;
}

void begin_call(Call& call, const Task& task, std::string_view program,
                std::initializer_list<std::string_view> arguments) {
  call.argv.emplace_back(task.program.empty() ? program : std::string_view(task.program));
  call.argv.insert(call.argv.end(), arguments.begin(), arguments.end());
}

std::string add_file(Call& call, const Task& task, std::string name, std::string content) {
  std::string path = task.folder + "/" + name;
  call.files.push_back({std::move(name), std::move(content)});
  return path;
}

}  // namespace tyer::backend
