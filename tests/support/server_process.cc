#include "support/server_process.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "base/time.h"
#include "env/fd.h"
#include "env/wait_readable.h"

namespace tyer::testing {
namespace {

constexpr Span end_max = 60s;

const passwd* user_to_be() {
  return ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr;
}

}  // namespace

pid_t start_server(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const passwd* const user = user_to_be();
  const env::Fd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;

  // Only calls that are safe after a fork of several threads.
  if (user != nullptr && (::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)) ::_exit(126);
  // After setuid, which clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() != parent) ::_exit(126);
  ::dup2(output.get(), STDOUT_FILENO);
  ::dup2(output.get(), STDERR_FILENO);
  ::setsid();
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

int end_of_server(pid_t pid) {
  const env::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (const auto done = env::wait_readable(ended.get(), end_max); !done || !*done) {
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  env::uninterrupted([&] { return ::waitpid(pid, &status, 0); });
  return status;
}

void give_to_servers(const std::string& path) {
  const passwd* const user = user_to_be();
  if (user == nullptr) return;
  TYER_CHECK(::chown(path.c_str(), user->pw_uid, user->pw_gid) == 0, "root may chown");
}

}  // namespace tyer::testing
