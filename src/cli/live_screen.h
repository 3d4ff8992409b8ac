// The whole screen of a terminal, for a command that shows something until it is left.
//
// While it lives, what is shown is painted over what was shown before, cut to the size that the
// terminal has now; keys are read as they are pressed, and not shown. When it goes the terminal is
// as it was, with what stood there before: also if a signal ends the command, and while it is
// stopped by Ctrl+Z.
//
// Make it before anything starts a thread: threads inherit what is blocked.

#pragma once

#include <termios.h>

#include <array>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "env/fd.h"

namespace tyer::cli {

class LiveScreen {
 public:
  explicit LiveScreen(Output& output);
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  // Lines without terminal codes; those that do not fit are cut, or left out at the end. `paint`
  // adds codes to a line that is shown whole.
  using Paint = std::string (*)(const std::string& line);
  [[nodiscard]] Result<> show(std::vector<std::string> lines, Paint paint = nullptr);

  // One is readable when `attend` has something to do.
  [[nodiscard]] std::array<int, 2> fds() const;
  // Reads keys and signals, and paints anew if the terminal has another size. Whether it is to be
  // left: q, Ctrl+C, or a signal that ends.
  [[nodiscard]] bool attend();

 private:
  void take_terminal();
  void give_terminal_back();
  void stop_with_the_job();
  void read_keys();

  Output& output_;
  sigset_t before_{};
  env::Fd signals_;
  std::optional<termios> modes_;  // As they were; none: the keyboard is not ours.
  std::vector<std::string> lines_;
  Paint paint_ = nullptr;
  bool has_keys_ = true;
  bool is_left_ = false;
};

}  // namespace tyer::cli
