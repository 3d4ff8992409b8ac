#include "env/linux_random.h"

#include <sys/random.h>

#include "base/check.h"
#include "env/fd.h"

namespace tyer::env {

void LinuxRandom::fill(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = uninterrupted([&] { return getrandom(bytes.data(), bytes.size(), 0); });
    TYER_CHECK(filled > 0, "the kernel gives random bytes");
    bytes = bytes.subspan(static_cast<std::size_t>(filled));
  }
}

}  // namespace tyer::env
