#include "env/own_code.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace tyer::env {
namespace {

int let_go_of(dl_phdr_info* object, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    // Only what nobody can have changed: it is in the file as it is here.
    const bool is_code =
        part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && (part.p_flags & PF_W) == 0;
    if (!is_code) continue;
    const std::uintptr_t start = (object->dlpi_addr + part.p_vaddr + page - 1) & ~(page - 1);
    const std::uintptr_t end = (object->dlpi_addr + part.p_vaddr + part.p_memsz) & ~(page - 1);
    // The kernel's own (vdso) refuses, and may.
    if (start < end) (void)::madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void let_go_of_code() {
  ::dl_iterate_phdr(let_go_of, nullptr);
}

}  // namespace tyer::env
