#include "env/linux_hold.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>

#include <fmt/format.h>

#include "env/fd.h"
#include "env/os_error.h"

namespace tyer::env {
namespace {

// How a debugger stops a program: an instruction of one byte that traps, and who was trapped stands
// behind it.
#ifdef __x86_64__
constexpr bool can_trap = true;
constexpr unsigned long trap = 0xCC;
constexpr std::size_t place = offsetof(user, regs.rip);
#else
constexpr bool can_trap = false;
constexpr unsigned long trap = 0;
constexpr std::size_t place = 0;
#endif

unsigned long place_of(pid_t pid) {
  return static_cast<unsigned long>(::ptrace(PTRACE_PEEKUSER, pid, place, nullptr));
}

// Where its loader hands over to it; 0 if that is not known.
unsigned long entry_of(pid_t pid) {
  const Fd file(::open(fmt::format("/proc/{}/auxv", pid).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<Elf64_auxv_t, 64> all{};
  if (!file || ::read(file.get(), all.data(), sizeof all) <= 0) return 0;
  for (const Elf64_auxv_t& one : all) {
    if (one.a_type == AT_ENTRY) return one.a_un.a_val;
  }
  return 0;
}

// What stood there; nothing: it could not be done.
std::optional<unsigned long> exchange_byte(pid_t pid, unsigned long address, unsigned long byte) {
  errno = 0;
  const auto word = static_cast<unsigned long>(::ptrace(PTRACE_PEEKTEXT, pid, address, nullptr));
  if (errno != 0) return std::nullopt;
  constexpr unsigned long lowest = 0xFF;
  if (::ptrace(PTRACE_POKETEXT, pid, address, (word & ~lowest) | byte) != 0) return std::nullopt;
  return word & lowest;
}

// What it is stopped by, a signal or more. Nothing: it is not, or has ended.
std::optional<int> look(pid_t pid, int how) {
  siginfo_t seen{};
  const int looked = uninterrupted([&] {
    return ::waitid(P_PID, static_cast<id_t>(pid), &seen,
                    WEXITED | WSTOPPED | WNOWAIT | __WALL | how);
  });
  const bool is_stopped = looked == 0 && seen.si_pid == pid && seen.si_code == CLD_TRAPPED;
  return is_stopped ? std::optional(seen.si_status) : std::nullopt;
}

constexpr int event_of(int stopped_by) {
  return stopped_by >> 8;
}

constexpr bool is_stop(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

}  // namespace

void LinuxHold::load() {
  const unsigned long entry = can_trap ? entry_of(pid_) : 0;
  // One without a loader is there already.
  if (entry == 0 || entry == place_of(pid_)) return;
  const auto byte = exchange_byte(pid_, entry, trap);
  if (!byte) return;
  stop_ = Stop{entry, *byte};
  (void)::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
}

bool LinuxHold::let_go() {
  const std::optional<int> signal = stop_ ? take_stop_away() : 0;
  if (!signal) return false;
  // If that fails, it has ended.
  (void)::ptrace(PTRACE_DETACH, pid_, nullptr, *signal);
  return true;
}

bool LinuxHold::is_behind_stop() const {
  return place_of(pid_) == stop_->address + 1;
}

std::optional<int> LinuxHold::take_stop_away() {
  std::optional<int> by = look(pid_, WNOHANG);
  if (!by) {
    (void)::kill(pid_, SIGSTOP);
    by = look(pid_, 0);
    // We interrupted it at the very stop: it has yet to hear that it was trapped.
    while (by && *by == SIGSTOP && is_behind_stop()) {
      (void)::ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
      by = look(pid_, 0);
    }
    // Something else may have stopped it before our signal did, which is taken back then.
    (void)::kill(pid_, SIGCONT);
  }
  // If it has ended, or become something else, there is none.
  if (!by || event_of(*by) == PTRACE_EVENT_EXEC) return 0;
  const bool is_there = *by == SIGTRAP && is_behind_stop();
  if (!exchange_byte(pid_, stop_->address, stop_->byte)) return std::nullopt;
  if (is_there) (void)::ptrace(PTRACE_POKEUSER, pid_, place, stop_->address);
  // Who stopped it while it was held may have continued it before we let it go: nobody would again.
  return is_there || event_of(*by) != 0 || is_stop(*by) ? 0 : *by;
}

}  // namespace tyer::env
