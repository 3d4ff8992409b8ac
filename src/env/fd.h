// A file descriptor with one owner, and calls that signals cannot cut short.

#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tyer::env {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  // For writers: some file systems tell only now that a write failed.
  [[nodiscard]] int close() { return ::close(release()); }

 private:
  int fd_ = -1;
};

// Makes a system call again for as long as EINTR is all it says.
template <class Call>
auto uninterrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

}  // namespace tyer::env
