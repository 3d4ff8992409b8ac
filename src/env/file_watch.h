// Waking up when another process writes.
//
// A hint, never a promise: what a writer does through mmap, on another machine
// or to what a hard link elsewhere leads to is not seen. Who waits looks again
// after a while of its own.
//
// A path may be a file, a directory or nothing yet; only its parent directory
// must exist. It is watched as well, so that a file that is removed, replaced or
// made anew stays watched; of a directory, the entries are watched. What happens
// to other names does not count.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "env/fd.h"

namespace tyer::env {

class FileWatch {
 public:
  // `not_found` if a parent directory is missing; `unavailable` if the system
  // gives out no more watches.
  [[nodiscard]] static Result<std::unique_ptr<FileWatch>> open(std::vector<std::string> paths);

  // Whether something was written, made, renamed or removed since the last
  // call, or is within `at_most`. Forgets it.
  [[nodiscard]] Result<bool> wait(Span at_most);

  // Readable when `wait` may have something to say.
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  struct Watched {
    std::string path;
    std::string name;  // In its parent.
    int parent = -1;   // Watch descriptors; -1 is none.
    int own = -1;
  };

  explicit FileWatch(Fd fd);
  [[nodiscard]] Result<> add(const std::string& path);
  void watch_itself(Watched& watched);
  [[nodiscard]] Result<bool> drain();
  [[nodiscard]] bool concerns_us(int watch, unsigned mask, std::string_view name);

  Fd fd_;
  std::vector<Watched> all_;
};

}  // namespace tyer::env
