#include "cli/run_follow.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/limits.h"
#include "cli/stop_signals.h"
#include "env/wait_readable.h"
#include "run/settle.h"
#include "run/transcript.h"

namespace tyer::cli {
namespace {

// For a terminal: line breaks and tabs stay, whatever could command it does not.
std::string harmless(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    // Each byte takes up to four.
    safe += printable(text.substr(0, end), 4 * end);
    if (end < text.size()) safe += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return safe;
}

std::string shown_line(const World& world, const Json& note, bool color) {
  const std::string kind = text_or(note, "kind");
  const std::string text = harmless(text_or(note, "text"));
  if (kind == "text") return text.ends_with('\n') ? text : text + "\n";
  const bool is_tool = kind == "tool_use" || kind == "denied" || kind == "warning";
  if (!is_tool || !world.output.on_terminal()) return "";
  const std::string line = fmt::format("· {}{}{}", kind == "denied" ? "denied: " : "",
                                       harmless(text_or(note, "tool", kind)),
                                       text.empty() ? "" : " " + text.substr(0, text.find('\n')));
  return paint(color, Style::dim, clip(line, world.output.width())) + "\n";
}

Json null_unless(const std::optional<Time>& time) {
  return time ? Json(format_time(*time, 3)) : Json(nullptr);
}

class RunFollower {
 public:
  RunFollower(World& world, engine::Engine& engine, const Following& how)
      : world_(world), engine_(engine), how_(how) {}

  Done follow(std::string id) {
    TYER_TRY_OK(wait_until_there(id));
    while (true) {
      TYER_TRY(const run::Record record, watch(id));
      if (left_) return how_.stops ? 130 : 0;
      tell_end(record);
      if (record.next.empty()) return exit_code_of(record);
      id = record.next;
    }
  }

 private:
  // A keeper that cannot create the run says why.
  std::expected<void, Failure> wait_until_there(const std::string& id) {
    while (true) {
      std::optional<env::Exit> exit;
      if (how_.keeper != nullptr) {
        TYER_TRY(exit, how_.keeper->wait(Span::zero()));
      }
      const bool has_ended = how_.keeper == nullptr || exit;
      const auto record = run::look_at_run(engine_, id);
      if (record) return {};
      if (record.error().fault != Fault::not_found) return std::unexpected(Failure{record.error()});
      if (has_ended) return std::unexpected(complaint(record.error(), exit));
      if (interrupted()) (void)how_.keeper->signal_group(SIGTERM);
      TYER_TRY_OK(env::wait_readable(how_.keeper->fd(), limits::start_look_every));
    }
  }

  [[nodiscard]] Failure complaint(const Error& missing,
                                  const std::optional<env::Exit>& exit) const {
    if (how_.keeper_errors < 0) return Failure{missing};
    std::string said(4'000, '\0');
    const ssize_t got = ::pread(how_.keeper_errors, said.data(), said.size(), 0);
    said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (said.starts_with("tyer: ")) said.erase(0, 6);
    said.resize(said.find('\n') == std::string::npos ? said.size() : said.find('\n'));
    const int code = exit ? exit->code : 1;
    const Fault fault = code == 2   ? Fault::invalid
                        : code == 4 ? Fault::conflict
                        : code == 5 ? Fault::limit
                                    : Fault::unavailable;
    return Failure{{fault, said.empty() ? "the keeper of the run died" : said}};
  }

  // Until it has ended, or we have to leave.
  Result<run::Record> watch(const std::string& id) {
    TYER_TRY(run::Record record, run::look_at_run(engine_, id));
    run::TranscriptReader reader(world_.env.files, record.folder);
    while (true) {
      const int hints = reader.fd();
      reader.forget_hints();
      TYER_TRY(const bool more, show(reader));
      if (record.status == "ended" && !more) return record;
      if (more) continue;
      TYER_TRY(const bool was_lost, run::settle_one(engine_, id));
      TYER_TRY(record, run::look_at_run(engine_, id));
      if (was_lost || record.status == "ended") continue;
      if (interrupted()) TYER_TRY_OK(stop(id));
      // Without a reader it still has to pass an interruption on.
      if (left_ || (world_.output.closed() && !how_.stops)) {
        left_ = true;
        return record;
      }
      const std::array fds{hints, signals_.fd(),
                           how_.keeper == nullptr || keeper_ended_ ? -1 : how_.keeper->fd()};
      TYER_TRY_OK(env::wait_any(fds, limits::follow_every));
      look_at_keeper();
    }
  }

  // Its end is news once.
  void look_at_keeper() {
    if (how_.keeper == nullptr || keeper_ended_) return;
    const auto exit = how_.keeper->wait(Span::zero());
    keeper_ended_ = !exit || exit->has_value();
  }

  // Whether there was something.
  Result<bool> show(run::TranscriptReader& reader) {
    TYER_TRY(const std::vector<std::string> lines, reader.next());
    for (const std::string& line : lines) {
      if (how_.json) {
        world_.output.print(line + "\n");
      } else if (const auto note = parse_json_object(line)) {
        world_.output.print(shown_line(world_, *note, how_.color));
      }
    }
    if (!lines.empty()) TYER_TRY_OK(world_.output.flush());
    return !lines.empty();
  }

  // The first one asks the run to stop, the second leaves it to its keeper.
  Result<> stop(const std::string& id) {
    if (!how_.stops || asked_) {
      left_ = true;
      return {};
    }
    asked_ = true;
    const Result<> done = run::ask_stop(engine_, id, asker(world_));
    // It may have ended a moment ago.
    if (!done && done.error().fault != Fault::conflict) return done;
    if (!how_.json) world_.output.warn("tyer: asked it to stop; once more to leave it alone\n");
    return {};
  }

  // Takes the signal: the next one is another.
  bool interrupted() const {
    signalfd_siginfo signal{};
    return ::read(signals_.fd(), &signal, sizeof signal) == sizeof signal;
  }

  void tell_end(const run::Record& record) {
    if (how_.json) {
      world_.output.print(json_of(record) + "\n");
      (void)world_.output.flush();  // What failed is told at the end.
      return;
    }
    tell_outcome(record);
    // One that could not be made is not there.
    std::error_code problem;
    const bool is_there = std::filesystem::exists(record.directory, problem);
    if (record.worktree.empty() || !record.next.empty() || !is_there) return;
    world_.output.warn(
        fmt::format("tyer: the worktree {0} is left as it is; 'tyer worktree merge {0} --commit "
                    "MESSAGE' merges it, 'tyer worktree remove {0}' removes it\n",
                    record.worktree));
  }

  void tell_outcome(const run::Record& record) {
    const std::string word = record.verdict.empty() ? record.outcome : record.verdict;
    const std::string again =
        record.next.empty() ? "" : fmt::format("; it is tried again as {}", record.next);
    if (word != "done") {
      world_.output.warn(fmt::format("tyer: run {}: {}{}{}{}\n", record.id, word,
                                     record.why.empty() ? "" : ": ", harmless(record.why), again));
    } else if (world_.output.errors_on_terminal()) {
      world_.output.warn(fmt::format("tyer: run {}: done, {}\n", record.id,
                                     count(static_cast<std::uint64_t>(record.turns), "turn")));
    }
  }

  World& world_;
  engine::Engine& engine_;
  const Following& how_;
  const StopSignals signals_;
  bool asked_ = false;
  bool left_ = false;
  bool keeper_ended_ = false;
};

}  // namespace

Done follow_run(World& world, engine::Engine& engine, std::string id, const Following& how) {
  return RunFollower(world, engine, how).follow(std::move(id));
}

int exit_code_of(const run::Record& record) {
  const std::string& verdict = record.verdict;
  if (verdict == "done" || verdict == "hindered") return 0;
  if (verdict == "mistake") return 2;
  if (verdict == "later") return 3;
  if (verdict == "credentials") return 4;
  if (verdict == "timed_out" || verdict == "limit" || verdict == "too_long") return 5;
  return verdict == "stopped" ? 130 : 1;
}

std::string json_of(const run::Record& record) {
  return dump_json({{"run", record.id},
                    {"status", record.status},
                    {"backend", record.backend},
                    {"directory", record.directory},
                    {"worktree", record.worktree.empty() ? Json(nullptr) : Json(record.worktree)},
                    {"folder", record.folder},
                    {"session", record.session.empty() ? Json(nullptr) : Json(record.session)},
                    {"about", record.about},
                    {"prompt", record.prompt},
                    {"attempt", record.attempt},
                    {"keeperPid", record.keeper ? record.keeper->pid : 0},
                    {"frontPid", record.front ? record.front->pid : 0},
                    {"createdAt", null_unless(record.created)},
                    {"startedAt", null_unless(record.started)},
                    {"endedAt", null_unless(record.ended)},
                    {"stopAsked", record.stop_asked},
                    {"stopAskedAt", null_unless(record.stop_asked_at)},
                    {"stopAskedBy", record.stop_asked_by},
                    {"outcome", record.outcome},
                    {"verdict", record.verdict},
                    {"why", record.why},
                    {"conversation", record.conversation},
                    {"next", record.next},
                    {"turns", record.turns},
                    {"inputTokens", record.usage.input},
                    {"outputTokens", record.usage.output},
                    {"cachedTokens", record.usage.cached},
                    {"costUsd", static_cast<double>(record.usage.cost) / 1e6},
                    {"outputBytes", record.output_bytes}});
}

std::string asker(const World& world) {
  for (const char* const variable : {"USER", "LOGNAME"}) {
    const auto found = world.environment.find(variable);
    if (found != world.environment.end() && !found->second.empty()) {
      return printable(fmt::format("{}@{}", found->second, world.env.processes.here().host), 190);
    }
  }
  return fmt::format("uid {}@{}", ::getuid(), world.env.processes.here().host);
}

}  // namespace tyer::cli
