#include "env/linux_launch.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "env/fd.h"
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

// In the child: it lets us hold it, and stops until we do. Of itself, because we may not seize what
// has our memory if that is hidden (hidden.h). It waits for nobody who is not there any more. Once
// it is held it ends with who holds it anyway, and only as long as it is.
bool becomes_held(const Launch& launch) {
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == launch.parent &&
         ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 && ::kill(::getpid(), SIGSTOP) == 0 &&
         ::prctl(PR_SET_PDEATHSIG, 0) == 0;
}

// One that is held gets no rights of its own, and of a script it is not known who runs it.
bool can_be_held(const char* program) {
#ifdef TYER_CANNOT_HOLD
  return false;
#endif
  const Fd file(::open(program, O_RDONLY | O_CLOEXEC));
  struct stat status{};
  std::array<char, EI_CLASS + 1> magic{};
  return file && ::read(file.get(), magic.data(), magic.size()) == std::ssize(magic) &&
         std::string_view(magic.data(), magic.size()) ==
             "\x7f"
             "ELF\2" &&
         ::fstat(file.get(), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)) == 0 &&
         ::fgetxattr(file.get(), "security.capability", nullptr, 0) < 0;
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
  if ((launch.group != 0 ? ::setpgid(0, launch.group) : ::setsid()) < 0) return errno;
  for (int i = 0; i < 3; ++i) {
    if (::dup2(launch.streams[static_cast<std::size_t>(i)], i) < 0) return errno;
  }
  if (launch.directory != nullptr && ::chdir(launch.directory) != 0) return errno;
  if (launch.is_held && !becomes_held(launch)) return EPERM;
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

// A stack for the child, and no signal for us until it has become the program, or has ended: no
// handler of ours may run in it.
class Borrowed {
 public:
  Borrowed()
      : memory_(::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Borrowed() {
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    if (memory_ != MAP_FAILED) ::munmap(memory_, stack_bytes);
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  // The child, or nothing and errno.
  [[nodiscard]] pid_t start(Launch& launch, int flags) const {
    if (memory_ == MAP_FAILED) return 0;
    void* const end = static_cast<char*>(memory_) + stack_bytes;
    return std::max(::clone(child_main, end, CLONE_VM | SIGCHLD | flags, &launch), 0);
  }

 private:
  void* memory_;
  sigset_t before_{};
};

// Whether what it does next is to stop because of that, and not to end.
bool is_stopped_by(pid_t pid, int why) {
  siginfo_t seen{};
  (void)uninterrupted([&] {
    return ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WSTOPPED | WNOWAIT | __WALL);
  });
  return seen.si_code == CLD_TRAPPED && seen.si_status == why;
}

// Libraries that somebody wants it to load beyond its own may do anything when they are.
bool loads_more(const std::vector<char*>& variables) {
  return std::ranges::any_of(variables, [](const char* one) {
    const std::string_view text = one == nullptr ? "" : one;
    return text.starts_with("LD_PRELOAD=") || text.starts_with("LD_AUDIT=");
  });
}

}  // namespace

pid_t Launch::start() {
  const Borrowed borrowed;
  is_held = false;
  const pid_t pid = borrowed.start(*this, CLONE_VFORK);
  if (pid == 0) problem = errno;
  // It comes first: we were woken in the middle of its start.
  ::sched_yield();
  return pid;
}

// While both of us run, none may do what changes what only a thread has: there is one of it.
std::optional<LinuxHold> Launch::start_held() {
  if (!can_be_held(program)) return std::nullopt;
  const Borrowed borrowed;
  is_held = true;
  parent = ::getpid();
  // Not where the one is perhaps who is to let us let it go.
  const OnOneProcessor here;
  const pid_t pid = borrowed.start(*this, 0);
  if (pid == 0) return std::nullopt;
  constexpr int became_it = SIGTRAP | PTRACE_EVENT_EXEC << 8;
  const bool is_ours =
      is_stopped_by(pid, SIGSTOP) &&
      ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) == 0 &&
      ::ptrace(PTRACE_CONT, pid, nullptr, nullptr) == 0 && is_stopped_by(pid, became_it);
  if (!is_ours) {
    ::kill(pid, SIGKILL);
    siginfo_t seen{};
    (void)uninterrupted(
        [&] { return ::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | __WALL); });
    return std::nullopt;
  }
  LinuxHold held(pid);
  // It goes on here: elsewhere it could be in the way of the one we wait for.
  if (!loads_more(variables)) held.load();
  here.release(pid);
  here.release();
  if (is_quiet()) step_aside();
  give_way();  // There is somebody there, too, who has more to do than we.
  return held;
}

}  // namespace tyer::env
