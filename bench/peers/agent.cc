// The least that an agent can be: first it tells that it runs, then it reads what it is asked and
// answers. Nothing is linked to it, so that what is measured is how it was started.
//   work_agent NAME

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sockaddr_un address{.sun_family = AF_UNIX};
  std::memcpy(address.sun_path + 1, argv[1],
              std::min(std::strlen(argv[1]), sizeof address.sun_path - 1));
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ::sendto(fd, "!", 1, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  char some[4096];
  while (::read(STDIN_FILENO, some, sizeof some) > 0) continue;
  return ::write(STDOUT_FILENO, "ok\n", 3) == 3 ? 0 : 1;
}
