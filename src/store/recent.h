// Subjects by key as this process has read or committed them, nothing where there is none; valid
// as long as nobody else has committed. Bounded: it is forgotten when it is full.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/subject.h"
#include "store/limits.h"

namespace tyer::store {

class Recent {
 public:
  using Row = std::optional<core::Subject>;

  // `version`: SQLite's, which another's commit changes and ours does not.
  void begin(std::int64_t version) {
    if (std::exchange(version_, version) != version) clear();
  }

  [[nodiscard]] const Row* find(const std::string& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() ? nullptr : &found->second;
  }

  void put(const std::string& key, const Row& row) {
    bytes_ += sizeof(*rows_.begin()) + key.size();
    if (row) bytes_ += row->key.size() + row->parent.size() + row->state.size();
    if (bytes_ > limits::recent_bytes_max) clear();
    rows_.insert_or_assign(key, row);
  }

  void clear() {
    rows_.clear();
    bytes_ = 0;
  }

 private:
  std::unordered_map<std::string, Row> rows_;
  std::size_t bytes_ = 0;  // Of all that came in.
  std::int64_t version_ = 0;
};

}  // namespace tyer::store
