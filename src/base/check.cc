#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tyer {

void check_failed(std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "tyer: a check failed, this is a bug: %.*s (%s:%d)\n",
               static_cast<int>(what.size()), what.data(), file, line);
  std::fflush(stderr);
  std::_Exit(exit_bug);
}

}  // namespace tyer
