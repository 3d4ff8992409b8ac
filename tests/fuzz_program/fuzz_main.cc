// One target under libFuzzer, which has main(): `./dev fuzz` runs it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  for (const tyer::fuzz::Target& target : tyer::fuzz::targets()) {
    if (target.name != TYER_FUZZ_TARGET) continue;
    const std::string complaint = target.body({reinterpret_cast<const char*>(bytes), size});
    if (complaint.empty()) return 0;
    std::fprintf(stderr, "%s\n", complaint.c_str());
    std::abort();
  }
  std::abort();
}
