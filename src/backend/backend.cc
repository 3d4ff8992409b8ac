#include "backend/backend.h"

#include <algorithm>
#include <array>

#include "backend/agents.h"

namespace tyer::backend {

std::span<const Backend> backends() {
  static const std::array all{claude, codex, gemini, command, demo};
  return all;
}

const Backend* find_backend(std::string_view name) {
  const std::span<const Backend> all = backends();
  const auto found = std::ranges::find(all, name, &Backend::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tyer::backend
