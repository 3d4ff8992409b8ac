#include "torture/start.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/check.h"
#include "env/fd.h"
#include "env/wait_readable.h"

namespace tyer::torture {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Only calls that are safe after a fork.
[[noreturn]] void become(pid_t parent, const std::vector<int>& fds, char* const* words,
                         char* const* variables) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  ::setpgid(0, 0);
  for (const int fd : fds) ::fcntl(fd, F_SETFD, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve("/proc/self/exe", words, variables);
  ::_exit(127);
}

}  // namespace

pid_t start(const Start& start) {
  std::vector<std::string> words{"tyer_torture"};
  words.insert(words.end(), start.words.begin(), start.words.end());
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  variables.insert(variables.end(), start.variables.begin(), start.variables.end());
  const std::vector<char*> word_pointers = pointers(words);
  const std::vector<char*> variable_pointers = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  TYER_CHECK(pid >= 0, "a process can be started");
  if (pid == 0) become(parent, start.fds, word_pointers.data(), variable_pointers.data());
  return pid;
}

bool ends_within(pid_t pid, Span at_most) {
  const env::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const auto readable = env::wait_readable(ended.get(), at_most);
  return readable && *readable;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  env::uninterrupted([&] { return ::waitpid(pid, nullptr, 0); });
  clear_away(pid);
}

// libfaketime does so itself at a normal end.
void clear_away(pid_t pid) {
  ::shm_unlink(("/faketime_shm_" + std::to_string(pid)).c_str());
  ::sem_unlink(("/faketime_sem_" + std::to_string(pid)).c_str());
}

std::vector<std::string> fake_clock(const std::string& offset_path) {
  if (TYER_FAKE_CLOCKS == 0) return {};
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib", ignored)) {
    const std::filesystem::path library = folder.path() / "faketime/libfaketimeMT.so.1";
    if (!std::filesystem::exists(library, ignored)) continue;
    // Only the wall clock is ever set; the others count from the start of the machine.
    return {"LD_PRELOAD=" + library.string(), "FAKETIME_TIMESTAMP_FILE=" + offset_path,
            "FAKETIME_CACHE_DURATION=1",      "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "FAKETIME_DISABLE_SHM=1",         "NO_FAKE_STAT=1"};
  }
  return {};
}

}  // namespace tyer::torture
