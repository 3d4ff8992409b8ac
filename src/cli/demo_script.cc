#include "cli/demo_script.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/limits.h"

namespace tyer::cli {
namespace {

using Verb = DemoStep::Verb;

enum class Wants : std::uint8_t { nothing, text, name_and_text, path_and_text, code, span, bytes };

struct VerbRow {
  std::string_view name;
  Verb verb;
  Wants wants;
};

constexpr std::array verbs{
    VerbRow{"say", Verb::say, Wants::text},
    VerbRow{"tool", Verb::tool, Wants::name_and_text},
    VerbRow{"edit", Verb::edit, Wants::path_and_text},
    VerbRow{"fail", Verb::fail, Wants::code},
    VerbRow{"rate-limit", Verb::rate_limit, Wants::span},
    VerbRow{"crash", Verb::crash, Wants::nothing},
    VerbRow{"hang", Verb::hang, Wants::nothing},
    VerbRow{"sleep", Verb::sleep, Wants::span},
    VerbRow{"busy", Verb::busy, Wants::span},
    VerbRow{"flood", Verb::flood, Wants::bytes},
    VerbRow{"garbage", Verb::garbage, Wants::bytes},
    VerbRow{"daemonise", Verb::daemonise, Wants::nothing},
    VerbRow{"ignore-term", Verb::ignore_term, Wants::nothing},
    VerbRow{"close-output", Verb::close_output, Wants::nothing},
};

// The first word of `text`, which is taken off with the spaces behind it.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return word;
}

template <class Number>
bool read_whole(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

// Relative, and nowhere above where it starts.
bool stays_inside(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.size() > limits::demo_path_bytes_max) {
    return false;
  }
  if (path.contains('\0') || path.ends_with('/')) return false;
  const std::string fenced = fmt::format("/{}/", path);
  return !fenced.contains("/../") && !fenced.contains("/./") && !fenced.contains("//");
}

std::unexpected<Error> misunderstood(std::string_view line, std::string_view why) {
  return tyer::fail(Fault::invalid, fmt::format("'demo: {}': {}", printable(line, 80), why));
}

Result<> read_amount(std::string_view line, std::string_view text, Wants wants, DemoStep& step) {
  if (wants == Wants::bytes) {
    if (!read_whole(text, step.bytes)) return misunderstood(line, "how many bytes?");
    if (step.bytes > limits::demo_bytes_max) {
      return tyer::fail(Fault::limit, fmt::format("'demo: {}': at most {} bytes",
                                                  printable(line, 80), limits::demo_bytes_max));
    }
    return {};
  }
  double seconds = -1;
  if (!read_whole(text, seconds) || !(seconds >= 0)) {
    return misunderstood(line, "how many seconds?");
  }
  const double most = static_cast<double>(limits::demo_span_max / 1s);
  if (seconds > most) {
    return tyer::fail(Fault::limit, fmt::format("'demo: {}': at most {} seconds",
                                                printable(line, 80), limits::demo_span_max / 1s));
  }
  step.span = Span(static_cast<Span::rep>(seconds * 1e6));
  return {};
}

Result<DemoStep> read_step(std::string_view line) {
  std::string_view rest = line;
  const std::string_view name = take_word(rest);
  const auto row = std::ranges::find(verbs, name, &VerbRow::name);
  if (row == verbs.end()) return misunderstood(line, "there is no such verb");
  DemoStep step{.verb = row->verb};
  switch (row->wants) {
    case Wants::nothing:
      if (!rest.empty()) return misunderstood(line, "nothing may follow");
      return step;
    case Wants::span:
    case Wants::bytes: TYER_TRY_OK(read_amount(line, rest, row->wants, step)); return step;
    case Wants::code: {
      const std::string_view code = take_word(rest);
      if (!read_whole(code, step.code) || step.code < 0 || step.code > 255) {
        return misunderstood(line, "an exit code is a number from 0 to 255");
      }
      break;
    }
    case Wants::name_and_text:
    case Wants::path_and_text:
      step.name = take_word(rest);
      if (step.name.empty()) return misunderstood(line, "a name is missing");
      if (row->wants == Wants::path_and_text && !stays_inside(step.name)) {
        return misunderstood(line, "the path must stay in the working directory");
      }
      break;
    case Wants::text: break;
  }
  step.text = rest;
  return step;
}

}  // namespace

Result<std::vector<DemoStep>> read_demo_script(std::string_view prompt) {
  constexpr std::string_view mark = "demo: ";
  std::vector<DemoStep> steps;
  while (!prompt.empty()) {
    std::string_view line = prompt.substr(0, prompt.find('\n'));
    prompt.remove_prefix(std::min(line.size() + 1, prompt.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t>|"), line.size()));
    if (!line.starts_with(mark)) continue;
    line.remove_prefix(mark.size());
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (steps.size() == limits::demo_steps_max) {
      return tyer::fail(Fault::limit,
                        fmt::format("a script has at most {} lines", limits::demo_steps_max));
    }
    TYER_TRY(DemoStep step, read_step(line));
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace tyer::cli
