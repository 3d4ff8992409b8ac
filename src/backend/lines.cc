#include "backend/lines.h"

#include <algorithm>
#include <utility>

namespace tyer::backend {
namespace {

constexpr std::size_t usual_bytes = 64 << 10;

}  // namespace

void Lines::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return keep(bytes);
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (waiting_.empty() && is_whole_ && line.size() <= bytes_max_) {
      give(line);
    } else {
      keep(line);
      give(std::exchange(waiting_, {}));
    }
  }
}

void Lines::finish() {
  if (!waiting_.empty() || !is_whole_) give(std::exchange(waiting_, {}));
}

void Lines::keep(std::string_view bytes) {
  const std::size_t taken = std::min(bytes.size(), bytes_max_ - waiting_.size());
  // A buffer that doubles is there twice while it is moved. What is reserved and not
  // written to costs no memory.
  if (waiting_.size() + taken > std::max(waiting_.capacity(), usual_bytes)) {
    waiting_.reserve(bytes_max_);
  }
  waiting_.append(bytes.substr(0, taken));
  if (taken == bytes.size()) return;
  is_whole_ = false;
  skipped_ += bytes.size() - taken;
}

void Lines::give(std::string_view line) {
  const bool whole = std::exchange(is_whole_, true);
  if (whole && line.ends_with('\r')) line.remove_suffix(1);
  take_(line, whole);
}

}  // namespace tyer::backend
