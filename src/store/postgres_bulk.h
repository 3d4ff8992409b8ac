// Rows for one statement, as an array per column.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres_conn.h"

namespace tyer::store {

// The values as an array literal.
[[nodiscard]] std::string to_array(std::span<const std::string> values);

// Filled row by row, value by value. When it goes, or has some megabytes, it adds a step.
class Bulk {
 public:
  Bulk(Sql sql, const std::string& space, std::size_t columns, std::vector<Step>& steps)
      : sql_(sql), space_(space), columns_(columns), steps_(steps) {}
  Bulk(const Bulk&) = delete;
  Bulk& operator=(const Bulk&) = delete;
  ~Bulk() { flush(); }

  Bulk& text(std::string_view value);
  Bulk& number(std::int64_t value) { return raw(std::to_string(value)); }
  Bulk& number(std::uint64_t value) { return number(static_cast<std::int64_t>(value)); }
  Bulk& null() { return raw("NULL"); }

 private:
  Bulk& raw(std::string_view value);
  std::string& next(std::size_t bytes);
  Bulk& done();
  void flush();

  const Sql sql_;
  const std::string& space_;
  std::vector<std::string> columns_;
  std::vector<Step>& steps_;
  std::size_t column_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tyer::store
