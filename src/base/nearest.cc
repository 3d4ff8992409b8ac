#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace tyer {
namespace {

// Letters to insert, remove, replace or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> steps((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& {
    return steps[(i * width) + j];
  };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return steps.back();
}

constexpr std::size_t typed_bytes_max = 64;

}  // namespace

std::string_view nearest(std::string_view typed, const std::vector<std::string_view>& known) {
  if (typed.empty() || typed.size() > typed_bytes_max) return {};
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string_view name : known) {
    // So many letters have to be inserted or removed at least.
    const std::size_t apart =
        std::max(typed.size(), name.size()) - std::min(typed.size(), name.size());
    if (apart >= least) continue;
    const std::size_t away = distance(typed, name);
    if (away < least) {
      least = away;
      best = name;
    }
  }
  if (!best.empty()) return best;
  for (const std::string_view name : known) {
    if (typed.size() >= 2 && name.starts_with(typed)) return name;
  }
  return {};
}

}  // namespace tyer
