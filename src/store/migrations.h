// The numbered steps that make a store's schema, embedded from
// src/store/migrations. Numbers start at 1 without a gap in each dialect; a
// step that was released is never edited.

#pragma once

#include <span>
#include <string_view>

namespace tyer::store {

// The step that makes the index of texts, which is then filled, in each dialect.
inline constexpr int search_step = 2;

struct Migration {
  std::string_view dialect;
  int number;
  std::string_view sql;
};

// All of them, by dialect and number.
[[nodiscard]] std::span<const Migration> migrations();

}  // namespace tyer::store
