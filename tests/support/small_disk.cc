#include "support/small_disk.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace tyer::testing {
namespace {

bool become_root_of_own_namespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny" << std::flush;
  std::ofstream users("/proc/self/uid_map");
  std::ofstream groups("/proc/self/gid_map");
  users << "0 " << user << " 1" << std::flush;
  groups << "0 " << group << " 1" << std::flush;
  return users.good() && groups.good();
}

}  // namespace

int on_a_small_disk(const std::string& path, int kilobytes, const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const std::string size = "size=" + std::to_string(kilobytes) + "k";
    const bool mounted = (geteuid() == 0 || become_root_of_own_namespace()) &&
                         unshare(CLONE_NEWNS) == 0 &&
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
