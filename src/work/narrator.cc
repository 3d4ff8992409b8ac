#include "work/narrator.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "work/limits.h"

namespace tyer::work {
namespace {

// Leaves of `text` what can be told at a time. How much went.
std::size_t keep_newest(std::string& text) {
  const std::size_t before = text.size();
  if (before > limits::narrate_bytes) text.erase(0, before - limits::narrate_bytes);
  return before - text.size();
}

}  // namespace

std::string line_of(const backend::Note& note) {
  using Kind = backend::Note::Kind;
  switch (note.kind) {
    case Kind::text: return note.text + "\n";
    case Kind::tool_use: return fmt::format("> {} {}\n", note.tool, printable(note.text, 200));
    case Kind::tool_result:
      return note.failed ? fmt::format("! {} failed: {}\n", note.tool, printable(note.text, 200))
                         : "";
    case Kind::denied: return fmt::format("! {} was not allowed\n", note.tool);
    case Kind::retry:
    case Kind::warning:
    case Kind::hopeless: return fmt::format("! {}\n", printable(note.text, 400));
    case Kind::thinking:
    case Kind::conversation:
    case Kind::model: break;
  }
  return "";
}

Narrator::Narrator(std::function<void(const std::string& text)> tell) : tell_(std::move(tell)) {}

Narrator::~Narrator() {
  thread_.request_stop();
}

void Narrator::hear(const backend::Note& note) {
  const std::string line = line_of(note);
  if (line.empty()) return;
  // Not before: what comes before the first words is the agent's start.
  if (!thread_.joinable()) {
    thread_ = std::jthread([this](const std::stop_token& stop) { narrate(stop); });
  }
  {
    const std::lock_guard lock(mutex_);
    text_ += line;
    if (text_.size() > 2 * limits::narrate_bytes) left_out_ += keep_newest(text_);
  }
  heard_.notify_one();
}

void Narrator::narrate(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (int times = 0; times < limits::narrate_times_max; ++times) {
    if (!heard_.wait(lock, stop, [this] { return !text_.empty(); })) return;
    std::string text = std::exchange(text_, {});
    std::size_t left_out = std::exchange(left_out_, 0) + keep_newest(text);
    lock.unlock();
    for (; !text.empty() && !is_utf8(text); ++left_out) text.erase(0, 1);
    if (left_out > 0) {
      text.insert(0, fmt::format("! {} bytes of what it said are left out here\n", left_out));
    }
    if (times + 1 == limits::narrate_times_max) {
      text += "! what it says from here on is not told here\n";
    }
    tell_(text);
    lock.lock();
    // Not more often, however much is said.
    if (heard_.wait_for(lock, stop, limits::narrate_every, [] { return false; })) return;
    if (stop.stop_requested()) return;
  }
}

}  // namespace tyer::work
