#include "env/unnamed_file.h"

#include <fcntl.h>

#include <cstdlib>

#include "env/os_error.h"

namespace tyer::env {

Result<Fd> open_unnamed(const std::string& folder) {
  Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  // Some file systems cannot make a file that never had a name.
  std::string name = folder + "/body-XXXXXX";
  Fd named(::mkostemp(name.data(), O_CLOEXEC));
  if (!named) return std::unexpected(os_error(errno, "make a file in", folder));
  ::unlink(name.c_str());
  return named;
}

Result<> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = uninterrupted([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (put < 0) return std::unexpected(os_error(errno, "write", "a file without a name"));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace tyer::env
