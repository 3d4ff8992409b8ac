#include "git/runner.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "env/os_error.h"
#include "env/wait_readable.h"

namespace tyer::git {
namespace {

// Of git's variables only those stay that say who somebody is, where configuration
// is, and how to reach a server; all others are about another call.
// Of ours, only the mark of a run stays, by which is found what belongs to it: git may run programs
// that somebody else chose, and they are to see no key.
constexpr std::array<std::string_view, 12> kept_variables{
    "GIT_AUTHOR_NAME",   "GIT_AUTHOR_EMAIL",  "GIT_COMMITTER_NAME",  "GIT_COMMITTER_EMAIL",
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_SSH",
    "GIT_SSH_COMMAND",   "GIT_SSL_NO_VERIFY", "GIT_SSL_CAINFO",      "TYER_RUN"};
constexpr std::array<std::string_view, 3> dropped_prefixes{"GIT_", "TYER_", "AGENTFEED_"};

constexpr std::array<std::string_view, 11> settings{
    "core.hooksPath=/dev/null",   "core.fsmonitor=false",
    "core.quotePath=false",       "gc.auto=0",
    "maintenance.auto=false",     "submodule.recurse=false",
    "commit.gpgSign=false",       "color.ui=false",
    "advice.detachedHead=false",  "core.filesRefLockTimeout=1000",
    "core.packedRefsTimeout=1000"};

std::vector<std::string> whole_command(const Call& call) {
  std::vector<std::string> words{"git", "--no-pager"};
  for (const std::string_view setting : settings) {
    words.emplace_back("-c");
    words.emplace_back(setting);
  }
  words.insert(words.end(), call.words.begin(), call.words.end());
  return words;
}

// A file without a name: whoever reads it cannot be kept waiting.
Result<env::Fd> to_read(const std::string& text) {
  env::Fd file(::memfd_create("git input", MFD_CLOEXEC));
  if (!file) return std::unexpected(env::os_error(errno, "make", "a file in memory"));
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = env::uninterrupted(
        [&] { return ::write(file.get(), text.data() + done, text.size() - done); });
    if (written < 0) return std::unexpected(env::os_error(errno, "write", "a file in memory"));
    done += static_cast<std::size_t>(written);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

struct Stream {
  env::Fd fd;  // Ours, to read from without waiting.
  std::size_t bytes_max = 0;
  std::string text = {};
  bool full = false;  // There was more than it keeps.

  // All that is there now; some of it, if it comes faster than we read.
  void read() {
    std::array<char, 65'536> buffer{};
    for (int i = 0; fd && i < limits::git_turn_reads_max; ++i) {
      const ssize_t got =
          env::uninterrupted([&] { return ::read(fd.get(), buffer.data(), buffer.size()); });
      if (got < 0) return;
      if (got == 0) fd = env::Fd();
      const std::size_t kept = std::min(static_cast<std::size_t>(got), bytes_max - text.size());
      text.append(buffer.data(), kept);
      full = full || kept < static_cast<std::size_t>(got);
    }
  }
};

// Makes `stream` readable; the answer is the end to be written to.
Result<env::Fd> connect(Stream& stream, std::size_t bytes_max) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(env::os_error(errno, "make", "a pipe"));
  }
  stream = {.fd = env::Fd(ends[0]), .bytes_max = bytes_max};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return env::Fd(ends[1]);
}

// Told to end, git removes its lock files; killed, it leaves them for ever.
void end_in_order(env::Child& child) {
  (void)child.signal_group(SIGTERM);
  (void)child.wait(limits::git_end_max);
}

}  // namespace

Runner::Runner(env::Env& env, const Variables& variables, Watching watching)
    : env_(env), watching_(std::move(watching)) {
  for (const auto& [name, value] : variables) {
    const bool is_wanted = std::ranges::find(kept_variables, name) != kept_variables.end();
    const bool is_ours_or_gits = std::ranges::any_of(
        dropped_prefixes,
        [&](std::string_view prefix) { return std::string_view(name).starts_with(prefix); });
    if (is_wanted || !is_ours_or_gits) environment_.emplace(name, value);
  }
  environment_["LC_ALL"] = "C";
  environment_["GIT_TERMINAL_PROMPT"] = "0";
  environment_["GIT_EDITOR"] = ":";
  environment_["GIT_ASKPASS"] = "/bin/false";
  environment_["SSH_ASKPASS_REQUIRE"] = "never";
  // A question must not take the lock of an index that an agent is about to use.
  environment_["GIT_OPTIONAL_LOCKS"] = "0";
  environment_["GIT_MERGE_AUTOEDIT"] = "no";
}

Result<Answer> Runner::ask(const Call& call) const {
  Stream out;
  Stream err;
  TYER_TRY(env::Fd out_end, connect(out, limits::git_output_max));
  TYER_TRY(env::Fd err_end, connect(err, limits::git_errors_max));
  TYER_TRY(const env::Fd input, to_read(call.input));
  env::Spawn spawn{.argv = whole_command(call),
                   .environment = environment_,
                   .directory = call.directory,
                   .input = input.get(),
                   .output = out_end.get(),
                   .errors = err_end.get()};
  for (const auto& [name, value] : call.environment) spawn.environment[name] = value;
  const auto child = env_.processes.spawn(spawn);
  if (!child && child.error().fault == Fault::not_found) {
    return fail(Fault::unavailable, child.error().what + "; is git installed?");
  }
  if (!child) return std::unexpected(child.error());
  out_end = env::Fd();
  err_end = env::Fd();

  const std::string& what = call.words.front();
  const Span until = env_.clock.boot_time() + call.at_most;
  const std::vector<int>& stop_fds = watching_.stop_fds;
  std::vector<int> fds = stop_fds;
  while (true) {
    fds.resize(stop_fds.size());
    fds.insert(fds.end(), {(*child)->fd(), out.fd.get(), err.fd.get()});
    const Span left = until - env_.clock.boot_time();
    if (left <= Span::zero()) {
      end_in_order(**child);
      return fail(Fault::timeout,
                  fmt::format("git {} was ended after {}", what, describe_span(call.at_most)));
    }
    TYER_TRY_OK(env::wait_any(fds, std::min<Span>(left, limits::git_busy_every)));
    if (watching_.busy) watching_.busy(what);
    TYER_TRY(const bool stopped, env::wait_any(stop_fds, Span::zero()));
    if (stopped) {
      end_in_order(**child);
      return fail(Fault::cancelled, fmt::format("git {} was interrupted", what));
    }
    // In this order: what is asked for after the end has all of the output.
    TYER_TRY(const std::optional<env::Exit> exit, (*child)->wait(Span::zero()));
    out.read();
    err.read();
    if (out.full) {
      return fail(Fault::limit,
                  fmt::format("git {} says more than {} MiB", what, limits::git_output_max >> 20));
    }
    if (!exit) continue;
    if (exit->signal != 0) {
      return fail(Fault::unavailable,
                  fmt::format("git {} was ended by signal {}", what, exit->signal));
    }
    return Answer{exit->code, std::move(out.text), std::move(err.text)};
  }
}

Result<std::string> Runner::run(const Call& call) const {
  TYER_TRY(Answer answer, ask(call));
  if (answer.code != 0) return std::unexpected(complaint(call, answer));
  return std::move(answer.out);
}

Result<std::string> Runner::line(const Call& call) const {
  TYER_TRY(std::string text, run(call));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

bool Runner::has(std::string_view variable) const {
  const auto found = environment_.find(std::string(variable));
  return found != environment_.end() && !found->second.empty();
}

Error complaint(const Call& call, const Answer& answer) {
  const auto full = answer.err.contains("No space left on device");
  std::string_view rest = answer.err;
  std::string said;
  bool is_reason = false;
  // Warnings and progress come before the reason, a list of files behind it.
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (is_reason && !line.starts_with('\t')) break;
    if (is_reason) said += fmt::format(" {}", line.substr(1));
    for (const std::string_view prefix : {"fatal: ", "error: "}) {
      if (is_reason || !line.starts_with(prefix)) continue;
      said = line.substr(prefix.size());
      is_reason = true;
    }
    if (said.empty()) said = line;
  }
  if (said.empty()) said = fmt::format("it ended with code {}", answer.code);
  return {full ? Fault::limit : Fault::conflict,
          fmt::format("git {}: {}", call.words.front(), printable(said, 400))};
}

std::vector<std::string> split_nul(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

}  // namespace tyer::git
