#include "cli/live_screen.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

#include "cli/columns.h"

namespace tyer::cli {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// Without a cursor, and without new lines for what is wider than we think.
constexpr const char* other_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr const char* first_screen = "\x1b[?7h\x1b[?25h\x1b[?1049l";

}  // namespace

LiveScreen::LiveScreen(Output& output) : output_(output) {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : ending_signals) sigaddset(&wanted, signal);
  for (const int signal : {SIGTSTP, SIGWINCH}) sigaddset(&wanted, signal);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  signals_ = env::Fd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  take_terminal();
}

LiveScreen::~LiveScreen() {
  give_terminal_back();
  // What came too late to be attended to ends the command anyway.
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void LiveScreen::take_terminal() {
  termios modes{};
  if (::tcgetattr(STDIN_FILENO, &modes) == 0) {
    modes_ = modes;
    modes.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    ::tcsetattr(STDIN_FILENO, TCSANOW, &modes);
  }
  output_.print(other_screen);
}

void LiveScreen::give_terminal_back() {
  output_.print(first_screen);
  (void)output_.flush();
  if (modes_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*modes_);
  modes_.reset();
}

Result<> LiveScreen::show(std::vector<std::string> lines, Paint paint) {
  lines_ = std::move(lines);
  paint_ = paint;
  const std::size_t width = output_.width();
  const std::size_t height = output_.height();
  std::string painted = "\x1b[H";
  for (std::size_t i = 0; i < std::min(lines_.size(), height); ++i) {
    const bool is_last = i + 1 == height && lines_.size() > height;
    const std::string line = is_last ? clip("…", width) : clip(lines_[i], width);
    // The rest is cleared first: behind a full line that would be its last character.
    painted += (i == 0 ? "\x1b[K" : "\r\n\x1b[K");
    painted += paint_ != nullptr && line == lines_[i] ? paint_(line) : line;
  }
  if (lines_.size() < height) painted += "\r\n\x1b[J";
  output_.print(painted);
  return output_.flush();
}

std::array<int, 2> LiveScreen::fds() const {
  return {signals_.get(), modes_ && has_keys_ ? STDIN_FILENO : -1};
}

bool LiveScreen::attend() {
  read_keys();
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (std::ranges::count(ending_signals, signal) > 0) is_left_ = true;
    if (signal == SIGTSTP) stop_with_the_job();
    if (signal == SIGWINCH) (void)show(lines_, paint_);
  }
  return is_left_;
}

void LiveScreen::read_keys() {
  pollfd keyboard{.fd = fds()[1], .events = POLLIN, .revents = 0};
  if (keyboard.fd < 0 || ::poll(&keyboard, 1, 0) != 1) return;
  std::array<char, 64> keys{};
  const ssize_t got = ::read(keyboard.fd, keys.data(), keys.size());
  has_keys_ = got > 0;
  for (ssize_t i = 0; i < got; ++i) {
    const char key = keys[static_cast<std::size_t>(i)];
    is_left_ = is_left_ || key == 'q' || key == 'Q';
  }
}

void LiveScreen::stop_with_the_job() {
  give_terminal_back();
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  take_terminal();
  (void)show(lines_, paint_);
}

}  // namespace tyer::cli
