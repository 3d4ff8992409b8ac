#include "support/small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace tyer::testing {

int on_a_small_disk(const std::string& path, int kilobytes, const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("none", path.c_str(), "tmpfs", 0, size.c_str()) == 0;
    _exit(mounted ? body() : cannot_mount);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool make_read_only(const std::string& path, bool read_only) {
  unsigned long flags = MS_REMOUNT;
  if (read_only) flags |= MS_RDONLY;
  return mount("none", path.c_str(), nullptr, flags, nullptr) == 0;
}

}  // namespace tyer::testing
