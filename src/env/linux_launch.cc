#include "env/linux_launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "env/fd.h"
#include "env/limits.h"
#include "env/os_error.h"
#include "env/processor.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// The sanitizer takes clone for fork, and its locks are let go twice in memory that is shared.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);
#define clone __clone
// Nor can it bear two that run at the same time.
#define TYER_CANNOT_HOLD
#endif
#endif

namespace tyer::env {
namespace {

constexpr std::size_t stack_bytes = 64 << 10;
constexpr int cannot_start = 127;  // As shells have it; nobody sees it.

// What comes at the gate stays there for who reads the connection. Anything but the word, and it is
// not waited for any longer: it would be seen again and again.
bool opens(const Gate& gate) {
  pollfd entry{.fd = gate.socket, .events = POLLIN, .revents = 0};
  if (::poll(&entry, 1, static_cast<int>(limits::gate_wait_max / 1ms)) != 1) return false;
  char seen[512];
  const ssize_t got = ::recv(gate.socket, seen, sizeof seen, MSG_PEEK | MSG_DONTWAIT);
  return got > 0 && ::memmem(seen, static_cast<std::size_t>(got), gate.word.data(),
                             gate.word.size()) != nullptr;
}

bool is_done(const Gate& gate) {
  return !gate.meanwhile || gate.meanwhile();
}

// In the child: until it is held.
bool becomes_held(const std::atomic<Launch::Hold>& hold) {
  while (hold == Launch::Hold::asked) {
    (void)::syscall(SYS_futex, &hold, FUTEX_WAIT, Launch::Hold::asked, nullptr, nullptr, 0);
  }
  return hold == Launch::Hold::taken;
}

// In the child. It waits for nobody who is not there any more, and ends with who started it; a
// program does not.
bool passes(const Launch& launch) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != launch.parent) return false;
  const bool may =
      launch.hold == Launch::Hold::none ? opens(*launch.gate) : becomes_held(launch.hold);
  return may && ::prctl(PR_SET_PDEATHSIG, 0) == 0;
}

// One that is held gets no rights of its own, and of a script it is not known who runs it.
bool can_be_held(const char* program) {
#ifdef TYER_CANNOT_HOLD
  return false;
#endif
  const Fd file(::open(program, O_RDONLY | O_CLOEXEC));
  struct stat status{};
  std::array<char, 4> magic{};
  return file && ::read(file.get(), magic.data(), magic.size()) == std::ssize(magic) &&
         std::string_view(magic.data(), magic.size()) ==
             "\x7f"
             "ELF" &&
         ::fstat(file.get(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) == 0 &&
         ::fgetxattr(file.get(), "security.capability", nullptr, 0) < 0;
}

// The one that is held, and runs from now on. It comes first: what we have to do can wait.
bool is_let_in(pid_t pid, const Gate& gate) {
  const Fd end(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!is_done(gate)) return false;
  watch_readable(gate.socket, limits::gate_watch_max);
  if (!opens(gate) || ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr) != 0) return false;
  pollfd entry{.fd = end.get(), .events = POLLIN, .revents = 0};
  (void)::poll(&entry, 1, static_cast<int>(limits::head_start / 1ms));
  return true;
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
    const bool stays = std::ranges::find(ignored, signal) != ignored.end() &&
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
  if (launch.gate != nullptr && !passes(launch)) return ECANCELED;
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
  void* const stack_end = static_cast<char*>(stack) + stack_bytes;
  pid_t pid = gate != nullptr && can_be_held(program) ? start_held(stack_end) : 0;
  if (pid == 0 && gate != nullptr && !is_done(*gate)) problem = ECANCELED;
  if (pid == 0 && problem == 0) {
    pid = ::clone(child_main, stack_end, CLONE_VM | CLONE_VFORK | SIGCHLD, this);
    if (pid < 0) problem = errno;
    // It comes first: we were woken in the middle of its start.
    ::sched_yield();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::munmap(stack, stack_bytes);
  return std::max(pid, 0);
}

// 0: it cannot be held, for whatever reason, and there is no child. While both of us run, none may
// do what changes what only a thread has: there is one of it.
pid_t Launch::start_held(void* stack_end) {
  hold = Hold::asked;
  // Not where the one is perhaps who is to open the gate.
  const OnOneProcessor here;
  const pid_t pid = ::clone(child_main, stack_end, CLONE_VM | SIGCHLD, this);
  if (pid < 0) {
    hold = Hold::none;
    return 0;
  }
  const bool is_ours =
      ::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) == 0;
  hold = is_ours ? Hold::taken : Hold::failed;
  (void)::syscall(SYS_futex, &hold, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  siginfo_t seen{};
  (void)uninterrupted([&] {
    return ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WSTOPPED | WNOWAIT | __WALL);
  });
  constexpr int became_it = SIGTRAP | PTRACE_EVENT_EXEC << 8;
  if (seen.si_code == CLD_TRAPPED && seen.si_status == became_it) {
    here.release(pid);
    here.release();
    problem = is_let_in(pid, *gate) ? 0 : ECANCELED;
    if (problem != 0) ::kill(pid, SIGKILL);
    return pid;
  }
  ::kill(pid, SIGKILL);
  (void)uninterrupted(
      [&] { return ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | __WALL); });
  hold = Hold::none;
  problem = 0;
  return 0;
}

}  // namespace tyer::env
