#include "backend/line_reader.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "backend/event.h"
#include "backend/excerpt.h"
#include "backend/limits.h"
#include "base/json.h"

namespace tyer::backend {
namespace {

// A short text can stand for very many values, each of which costs memory.
bool has_too_many_values(std::string_view json) {
  std::size_t values = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (quoted && json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (json[i] == ',' || json[i] == '{' || json[i] == '[')) {
      ++values;
    }
  }
  return values > limits::agent_line_values_max;
}

std::string describe_end(const Ending& ending, bool has_result) {
  if (ending.signal != 0) return fmt::format("signal {} ended it", ending.signal);
  return fmt::format("it ended with exit code {} and no {}", ending.code,
                     has_result ? "reason" : "result");
}

bool is_done(Verdict verdict) {
  return verdict == Verdict::done || verdict == Verdict::hindered;
}

}  // namespace

LineReader::LineReader(Sink sink)
    : sink_(std::move(sink)),
      lines_(limits::agent_line_bytes_max,
             [this](std::string_view line, bool whole) { take(line, whole); }) {}

Report LineReader::finish(const Ending& ending) {
  lines_.finish();
  report.skipped_bytes = lines_.skipped();
  Ending heard = ending;
  if (heard.errors.size() > limits::agent_errors_bytes_max) {
    heard.errors.erase(0, heard.errors.size() - limits::agent_errors_bytes_max);
  }
  judge(heard);
  if (report.verdict != Verdict::done && report.why.empty()) {
    const std::string said = telling_line(heard.errors);
    report.why = describe_end(ending, has_result) + (said.empty() ? "" : ": " + said);
  }
  apply_cut(ending);
  report.why = sentence(report.why);
  report.text = cut_start(clean_text(report.text), limits::answer_bytes_max);
  report.conversation = is_done(report.verdict) ? conversation : "";
  if (report.verdict != Verdict::later) report.wait.reset();
  return std::move(report);
}

// What it said last counts for more than that we ended it, if it had come to its end.
void LineReader::apply_cut(const Ending& ending) {
  const bool came_to_end =
      is_done(report.verdict) && has_result && ending.code == 0 && ending.signal == 0;
  if (came_to_end) return;
  if (ending.cut == Ending::Cut::asked) {
    conclude(Verdict::stopped, "it was stopped");
  } else if (ending.cut == Ending::Cut::time_limit) {
    conclude(Verdict::timed_out, "it was ended at its time limit");
  } else if (hopeless_ && (ending.cut == Ending::Cut::hopeless || !has_result)) {
    conclude(hopeless_->first, hopeless_->second);
  }
}

void LineReader::note(Note note) {
  note.text = cut_end(clean_text(note.text), limits::note_bytes_max);
  note.tool = cut_end(clean_text(note.tool), limits::agent_word_bytes_max);
  sink_(note);
}

void LineReader::skip(std::string_view line) {
  if (is_blank(line)) return;
  ++report.skipped_lines;
  warn(line.substr(0, limits::why_bytes_max));
}

void LineReader::add_to_answer(std::string_view text) {
  report.text += text;
  // Not each time: an answer in many small pieces would be moved with each of them.
  if (report.text.size() > 2 * limits::answer_bytes_max) {
    report.text = cut_start(std::move(report.text), limits::answer_bytes_max);
  }
}

void LineReader::set_conversation(const std::string& id) {
  if (id.empty() || id == conversation) return;
  // It will be an argument of the next run.
  if (!is_word(id)) return warn("the conversation has an id that cannot be used: " + sentence(id));
  conversation = id;
  note({.kind = Note::Kind::conversation, .text = id});
}

void LineReader::deny(const std::string& tool) {
  const std::string name = cut_end(clean_text(tool), limits::agent_word_bytes_max);
  if (std::ranges::find(report.denied, name) != report.denied.end()) return;
  if (report.denied.size() < limits::denied_tools_max) report.denied.push_back(name);
  note({.kind = Note::Kind::denied, .tool = name});
}

void LineReader::give_up_hope(Verdict verdict, const std::string& why) {
  if (hopeless_) return;
  hopeless_.emplace(verdict, sentence(why));
  note({.kind = Note::Kind::hopeless, .text = hopeless_->second});
}

void LineReader::conclude(Verdict verdict, std::string_view why) {
  report.verdict = verdict;
  report.why = sentence(why);
}

void LineReader::conclude_done(std::string_view hindrance) {
  if (report.denied.empty()) {
    return conclude(hindrance.empty() ? Verdict::done : Verdict::hindered, hindrance);
  }
  conclude(Verdict::hindered,
           fmt::format("it was not allowed to use {}", fmt::join(report.denied, ", ")));
}

void LineReader::conclude_answer(const Answer& answer) {
  has_result = true;
  if (answer.result) report.text = *answer.result;
  set_conversation(answer.conversation);
  for (const std::string& tool : answer.denied) deny(tool);
  report.usage = answer.usage;
  report.turns = answer.turns;
  report.wait = answer.wait;
  conclude(answer.verdict, answer.error);
}

void LineReader::open_tool(const std::string& id, const std::string& tool) {
  if (open_tools_.size() == limits::open_tools_max) open_tools_.pop_front();
  open_tools_.emplace_back(id.substr(0, limits::agent_word_bytes_max),
                           tool.substr(0, limits::agent_word_bytes_max));
}

std::string LineReader::close_tool(const std::string& id) {
  const auto found =
      std::ranges::find(open_tools_, std::string_view(id).substr(0, limits::agent_word_bytes_max),
                        [](const auto& open) { return std::string_view(open.first); });
  if (found == open_tools_.end()) return "";
  std::string tool = std::move(found->second);
  open_tools_.erase(found);
  return tool;
}

void JsonReader::take(std::string_view line, bool whole) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  const bool is_object = start != std::string_view::npos && line[start] == '{';
  if (!whole || !is_object || has_too_many_values(line)) return skip(line);
  const std::string text = clean_text(line);
  const auto json = parse_json_object(text, text.size());
  json ? event(text_of(*json, "type"), *json) : skip(line);
}

}  // namespace tyer::backend
