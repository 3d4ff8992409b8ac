#include "support/forked.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "base/check.h"
#include "env/wait_readable.h"

namespace tyer::testing {
namespace {

using env::Fd;

Fd watch(pid_t pid) {
  return Fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

bool is_readable_in_time(const Fd& fd) {
  const auto readable = env::wait_readable(fd.get(), give_up_after);
  return readable && *readable;
}

}  // namespace

Pipe::Pipe() {
  std::array<int, 2> ends{};
  TYER_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
  // Clear of the standard streams, some of which we may have been started without.
  out = Fd(fcntl(ends[0], F_DUPFD_CLOEXEC, 10));
  in = Fd(fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
  close(ends[0]);
  close(ends[1]);
}

std::string Pipe::line() const {
  std::string text;
  char c = 0;
  while (true) {
    if (!is_readable_in_time(out)) return text + " (and no more came)";
    if (::read(out.get(), &c, 1) != 1) return text + " (and no more came)";
    if (c == '\n') return text;
    text += c;
  }
}

std::string Pipe::rest() {
  in = Fd();
  std::string text;
  std::array<char, 65536> piece;
  while (true) {
    if (!is_readable_in_time(out)) return text + " (and somebody still has the pipe)";
    const ssize_t got = ::read(out.get(), piece.data(), piece.size());
    if (got <= 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

Forked::Forked(const std::function<int()>& body) {
  std::fflush(nullptr);
  pid_ = fork();
  TYER_CHECK(pid_ >= 0, "this process can be forked");
  if (pid_ != 0) return;
  const int code = body();
  std::fflush(nullptr);
  _exit(code);
}

Forked::~Forked() {
  if (is_reaped_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int Forked::code() {
  if (!is_readable_in_time(watch(pid_))) return -1;
  int status = 0;
  waitpid(pid_, &status, 0);
  is_reaped_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void in_a_copy(const std::function<void()>& body) {
  Forked copy([&] {
    body();
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(copy.code(), 0) << "see above";
}

void become_nobody() {
  constexpr uid_t nobody = 65534;
  if (::geteuid() != 0) return;
  TYER_CHECK(::setgroups(0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
                 ::setresuid(nobody, nobody, nobody) == 0,
             "root can become nobody");
}

bool has_ended(pid_t pid) {
  const Fd pidfd = watch(pid);
  return !pidfd || is_readable_in_time(pidfd);
}

bool is_childless() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD;
}

}  // namespace tyer::testing
