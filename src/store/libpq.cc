#include "store/libpq.h"

#include <dlfcn.h>

#include <fmt/format.h>

namespace tyer::store {

Result<Libpq> load_libpq(const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(Fault::unavailable,
                "PostgreSQL needs the library libpq (on Debian: apt-get install libpq5)");
  }
  Libpq pq;
  const char* missing = nullptr;
#define TYER_LIBPQ_FIND(name)                                          \
  pq.name = reinterpret_cast<decltype(pq.name)>(dlsym(handle, #name)); \
  if (pq.name == nullptr) missing = #name;
  TYER_LIBPQ_FUNCTIONS(TYER_LIBPQ_FIND)
#undef TYER_LIBPQ_FIND
  if (missing != nullptr) {
    dlclose(handle);
    return fail(
        Fault::unavailable,
        fmt::format("{} has no function {}: PostgreSQL needs libpq 14 or newer", library, missing));
  }
  return pq;
}

Result<const Libpq*> libpq() {
  static const Result<Libpq> loaded = load_libpq("libpq.so.5");
  if (!loaded) return std::unexpected(loaded.error());
  return &*loaded;
}

}  // namespace tyer::store
