#include "env/linux_launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "env/limits.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// The sanitizer takes clone for fork, and its locks are let go twice in memory that is shared.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);
#define clone __clone
#endif
#endif

namespace tyer::env {
namespace {

constexpr std::size_t stack_bytes = 64 << 10;
constexpr int cannot_start = 127;  // As shells have it; nobody sees it.

// What comes at the gate stays there for who reads the connection. Anything but the word, and we do
// not wait any longer: it would be seen again and again. Nor when nobody is left who started us.
bool passes(const Gate& gate, pid_t parent) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) return false;
  pollfd entry{.fd = gate.socket, .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, static_cast<int>(limits::gate_wait_max / 1ms)) != 1) return false;
  char seen[512];
  const ssize_t got = ::recv(gate.socket, seen, sizeof seen, MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0 || ::memmem(seen, static_cast<std::size_t>(got), gate.word.data(),
                           gate.word.size()) == nullptr) {
    return false;
  }
  // A program is not ended like that.
  return ::prctl(PR_SET_PDEATHSIG, 0) == 0;
}

// As the kernel has it: handler, flags, restorer, mask. What a library keeps of its own about
// handlers is in memory that is not the child's.
using KernelAction = std::array<unsigned long, 4>;

// Handlers are not inherited, but what is ignored is, and until exec none of ours may run.
void reset_signals(const std::vector<int>& ignored) {
  constexpr std::size_t mask_bytes = 8;
  const KernelAction usual{};
  for (int signal = 1; signal < NSIG; ++signal) {
    KernelAction now{};
    const bool stays =
        std::ranges::find(ignored, signal) != ignored.end() &&
        ::syscall(SYS_rt_sigaction, signal, nullptr, now.data(), mask_bytes) == 0 &&
        now[0] == reinterpret_cast<unsigned long>(SIG_IGN);
    if (!stays) (void)::syscall(SYS_rt_sigaction, signal, usual.data(), nullptr, mask_bytes);
  }
}

// In the child. Returns only what went wrong.
int become(const Launch& launch) {
  reset_signals(launch.ignored);
  if (::setsid() < 0) return errno;
  for (int i = 0; i < 3; ++i) {
    if (::dup2(launch.streams[static_cast<std::size_t>(i)], i) < 0) return errno;
  }
  if (launch.directory != nullptr && ::chdir(launch.directory) != 0) return errno;
  if (launch.gate != nullptr && !passes(*launch.gate, launch.parent)) return ECANCELED;
  if (::syscall(SYS_close_range, 3, ~0U, 0) != 0) return errno;
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(launch.program, launch.arguments.data(), launch.variables.data());
  return errno;
}

int child_main(void* given) {
  Launch& launch = *static_cast<Launch*>(given);
  launch.problem = become(launch);
  ::_exit(cannot_start);
}

}  // namespace

pid_t Launch::start() {
  void* const stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) {
    problem = errno;
    return 0;
  }
  parent = ::getpid();
  // No handler of ours may run in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int pid = ::clone(child_main, static_cast<char*>(stack) + stack_bytes,
                          CLONE_VM | CLONE_VFORK | SIGCHLD, this);
  if (pid < 0) problem = errno;
  // It comes first: we were woken in the middle of its start.
  ::sched_yield();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, stack_bytes);
  return std::max(pid, 0);
}

}  // namespace tyer::env
