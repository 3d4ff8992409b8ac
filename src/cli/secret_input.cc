#include "cli/secret_input.h"

#include <termios.h>
#include <unistd.h>

#include <array>

#include <fmt/format.h>

#include "cli/input.h"
#include "cli/limits.h"
#include "cli/stop_signals.h"
#include "env/fd.h"
#include "env/os_error.h"
#include "env/wait_readable.h"

namespace tyer::cli {
namespace {

// While it lives, the terminal does not show what is typed, but for the ends of lines.
class Unseen {
 public:
  Unseen() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios modes = before_;
    modes.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    modes.c_lflag |= ECHONL;
    // What was typed before it was asked for is no answer.
    ok_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes) == 0;
  }
  ~Unseen() {
    if (ok_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  termios before_{};
  bool ok_ = false;
};

Result<std::string> ask_unseen(World& world, const std::string& question, const StopSignals& stop) {
  world.output.warn(question + ": ");
  const std::array<int, 2> fds{STDIN_FILENO, stop.fd()};
  while (true) {
    TYER_TRY_OK(env::wait_any(fds, 1h));
    if (stop.arrived()) {
      world.output.warn("\n");
      return fail(Fault::cancelled, "interrupted; nothing was changed");
    }
    TYER_TRY(const bool is_there, env::wait_readable(STDIN_FILENO, Span::zero()));
    if (is_there) break;
  }
  // A terminal gives a line at a time, and no longer one than this.
  std::array<char, 4096> line{};
  const ssize_t got =
      env::uninterrupted([&] { return ::read(STDIN_FILENO, line.data(), line.size()); });
  if (got < 0) return std::unexpected(env::os_error(errno, "read", "standard input"));
  std::string text(line.data(), static_cast<std::size_t>(got));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::expected<std::string, Failure> read_new_secret(World& world, const std::string& what) {
  if (::isatty(STDIN_FILENO) == 0) {
    TYER_TRY(std::string text, read_all(STDIN_FILENO, limits::secret_bytes_max, "standard input"));
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.find('\n') == std::string::npos) return text;
    return std::unexpected(Failure{{Fault::invalid, "standard input has more than one line"},
                                   "one line is wanted, the secret alone"});
  }
  const StopSignals stop;
  const Unseen unseen;
  if (!unseen.ok()) {
    return fail(Fault::unavailable, "this terminal cannot keep from showing what is typed");
  }
  TYER_TRY(std::string first, ask_unseen(world, what, stop));
  TYER_TRY(const std::string again, ask_unseen(world, what + ", once more", stop));
  if (first == again) return first;
  return fail(Fault::invalid, "the two are not the same; nothing was changed");
}

}  // namespace tyer::cli
