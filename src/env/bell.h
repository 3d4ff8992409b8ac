// Waking one process on this machine by a name it chose.
//
// A hint, never a promise: a ring for nobody is lost, and anybody may ring. The
// name is gone with the process.

#pragma once

#include <string>

#include "base/error.h"
#include "env/fd.h"

namespace tyer::env {

class Bell {
 public:
  // Names should be hard to meet by chance. `conflict` if it is in use.
  [[nodiscard]] static Result<Bell> hang(const std::string& name);

  // Readable once it was rung.
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Whether it was rung.
  bool silence() const;

 private:
  explicit Bell(Fd fd) : fd_(std::move(fd)) {}

  Fd fd_;
};

void ring(const std::string& name);

// Whether somebody listens under that name now.
[[nodiscard]] bool is_hung(const std::string& name);

}  // namespace tyer::env
