// Any program: the prompt on standard input, text on standard output, and perhaps
// an Answer as the last line. docs/formats/agents.md is written for its author.

#include <array>
#include <utility>

#include <fmt/format.h>

#include "backend/agents.h"
#include "backend/answer.h"
#include "backend/call.h"
#include "backend/excerpt.h"
#include "backend/limits.h"
#include "backend/line_reader.h"

namespace tyer::backend {
namespace {

// As in sysexits.h and in shells.
constexpr int exit_try_later = 75;
constexpr int exit_cannot_run = 126;
constexpr int exit_no_command = 127;

Result<Call> prepare_command(const Task& task, const Features&) {
  TYER_TRY_OK(check_task(task));
  if (task.argv.empty() || task.argv.front().empty() || task.argv.front().starts_with('-')) {
    return fail(Fault::invalid, "the agent has no command to run");
  }
  Call call{.argv = task.argv};
  call.argv.insert(call.argv.end(), task.extra.begin(), task.extra.end());
  constexpr std::array<const char*, 3> permissions{"read", "edit", "all"};
  call.environment = {{"TYER_CONVERSATION", task.conversation},
                      {"TYER_NEW_CONVERSATION", task.new_conversation},
                      {"TYER_MODEL", task.model},
                      {"TYER_PERMISSION", permissions[static_cast<std::size_t>(task.permission)]}};
  if (!task.system.empty()) {
    call.environment["TYER_SYSTEM_FILE"] = add_file(call, task, system_file, task.system);
  }
  call.input = task.prompt;
  // A script does not pass signals on.
  call.signals_group = true;
  return call;
}

class CommandReader final : public LineReader {
 public:
  using LineReader::LineReader;

 private:
  // A line that could be the answer waits until it is known to be the last.
  void take(std::string_view line, bool whole) override {
    if (is_blank(line) && !held_.empty()) return;
    if (!held_.empty()) say(std::exchange(held_, {}));
    if (whole && line.starts_with('{') && line.ends_with('}')) {
      held_ = clean_text(line);
    } else {
      // Of one that is too long the start is enough: copies of it would be as long.
      say(clean_text(whole ? line : line.substr(0, limits::answer_bytes_max)));
    }
  }

  void say(std::string_view line) {
    const std::string_view start = line.substr(0, 2 * limits::note_bytes_max);
    if (!line.empty()) note({.kind = Note::Kind::text, .text = std::string(start)});
    add_to_answer(line);
    add_to_answer("\n");
  }

  // Who follows the run has seen what was printed, but not what it says instead.
  void tell(std::string_view result) {
    while (!result.empty()) {
      const std::size_t end = std::min(result.find('\n'), result.size());
      const std::string_view line = result.substr(0, std::min(end, 2 * limits::note_bytes_max));
      if (!is_blank(line)) note({.kind = Note::Kind::text, .text = std::string(line)});
      result.remove_prefix(std::min(end + 1, result.size()));
    }
  }

  void judge(const Ending& ending) override {
    const auto answer = parse_answer(held_);
    if (!answer && !held_.empty()) say(held_);
    while (report.text.ends_with('\n')) report.text.pop_back();
    if (answer) conclude_answer(*answer);
    if (answer && answer->result) tell(*answer->result);
    // Other programs cannot be trusted to say done only if they are.
    const bool says_done = !has_result || report.verdict == Verdict::done;
    if (!says_done) return;
    const std::string said = telling_line(ending.errors);
    if (ending.signal != 0) {
      report.verdict = Verdict::interrupted;
    } else if (ending.code == 0) {
      conclude(Verdict::done, "");
    } else if (ending.code == exit_try_later) {
      conclude(Verdict::later, said.empty() ? "it asks to be called later" : said);
    } else if (ending.code == exit_cannot_run || ending.code == exit_no_command) {
      conclude(Verdict::mistake, said.empty() ? "its command cannot be run" : said);
    } else {
      conclude(Verdict::failed, fmt::format("it ended with exit code {}{}{}", ending.code,
                                            said.empty() ? "" : ": ", said));
    }
  }

  std::string held_;
};

std::unique_ptr<Reader> read_command(const Task&, Sink sink) {
  return std::make_unique<CommandReader>(std::move(sink));
}

}  // namespace

const Backend command{"command", "", {}, {}, prepare_command, read_command};

}  // namespace tyer::backend
