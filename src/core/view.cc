#include "core/view.h"

#include <algorithm>

namespace tyer::core {

Result<std::vector<Lease>> View::leases_below(const std::string& root, const std::string& after,
                                              std::size_t limit) const {
  const std::string prefix = root + "/";
  TYER_TRY(std::vector<Lease> rows, leases(std::max(prefix, after), limit));
  const auto end = std::ranges::find_if(
      rows, [&](const Lease& lease) { return !lease.key.starts_with(prefix); });
  rows.erase(end, rows.end());
  return rows;
}

}  // namespace tyer::core
