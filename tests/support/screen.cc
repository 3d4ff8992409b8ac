#include "support/screen.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/check.h"
#include "env/wait_readable.h"
#include "support/forked.h"

namespace tyer::testing {

Screen::Screen(unsigned short columns, unsigned short lines)
    : hand_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  TYER_CHECK(::grantpt(hand_.get()) == 0 && ::unlockpt(hand_.get()) == 0, "a terminal can be made");
  path_ = ::ptsname(hand_.get());
  held_ = env::Fd(::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  resize(columns, lines);
}

void Screen::resize(unsigned short columns, unsigned short lines) const {
  const winsize size{.ws_row = lines, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  TYER_CHECK(::ioctl(held_.get(), TIOCSWINSZ, &size) == 0, "a terminal has a size");
}

void Screen::type(const std::string& keys) const {
  EXPECT_EQ(::write(hand_.get(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

bool Screen::is_plain() const {
  termios modes{};
  return ::tcgetattr(held_.get(), &modes) == 0 && (modes.c_lflag & ICANON) != 0 &&
         (modes.c_lflag & ECHO) != 0;
}

std::string Screen::until(const std::string& text) {
  while (true) {
    if (const std::size_t at = unread_.find(text); at != std::string::npos) {
      std::string read = unread_.substr(0, at + text.size());
      unread_.erase(0, read.size());
      return read;
    }
    std::array<char, 4096> piece{};
    const auto is_there = env::wait_readable(hand_.get(), give_up_after);
    const ssize_t got =
        is_there && *is_there ? ::read(hand_.get(), piece.data(), piece.size()) : -1;
    if (got <= 0) {
      ADD_FAILURE() << "'" << text << "' is not shown, but " << unread_;
      return unread_;
    }
    unread_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace tyer::testing
