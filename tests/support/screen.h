// A terminal that somebody looks at.

#pragma once

#include <string>

#include "env/fd.h"

namespace tyer::testing {

class Screen {
 public:
  Screen(unsigned short columns, unsigned short lines);

  [[nodiscard]] const std::string& path() const { return path_; }

  // Reads until `text` was written to it after what was read before; all that was, up to there.
  // Fails the test after a minute.
  std::string until(const std::string& text);

  // As somebody at its keyboard.
  void type(const std::string& keys) const;

  // It is closed, as a window is.
  void close() { hand_ = env::Fd(); }

  void resize(unsigned short columns, unsigned short lines) const;

  // Whether its keyboard is as it was when it was made: whole lines are read, and shown.
  [[nodiscard]] bool is_plain() const;

 private:
  env::Fd hand_;
  std::string path_;
  env::Fd held_;  // So that it stays while nobody writes to it.
  std::string unread_;
};

}  // namespace tyer::testing
