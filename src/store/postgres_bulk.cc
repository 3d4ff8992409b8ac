#include "store/postgres_bulk.h"

namespace tyer::store {
namespace {

constexpr std::size_t statement_bytes_max = 8 << 20;  // Then the next statement begins.

void add_quoted(std::string& array, std::string_view value) {
  array += array.empty() ? "{\"" : ",\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') array += '\\';
    array += c;
  }
  array += '"';
}

}  // namespace

std::string to_array(std::span<const std::string> values) {
  std::string array;
  for (const std::string& value : values) add_quoted(array, value);
  return array.empty() ? "{}" : array + "}";
}

Bulk& Bulk::text(std::string_view value) {
  add_quoted(next(value.size() + 3), value);
  return done();
}

Bulk& Bulk::raw(std::string_view value) {
  std::string& array = next(8);
  array += array.empty() ? '{' : ',';
  array += value;
  return done();
}

std::string& Bulk::next(std::size_t bytes) {
  bytes_ += bytes;
  return columns_[column_];
}

Bulk& Bulk::done() {
  column_ = (column_ + 1) % columns_.size();
  if (column_ == 0 && bytes_ >= statement_bytes_max) flush();
  return *this;
}

void Bulk::flush() {
  if (bytes_ == 0) return;
  Step step{sql_, {space_}};
  for (std::string& array : columns_) {
    step.values.emplace_back(std::move(array) + "}");
    array.clear();
  }
  steps_.push_back(std::move(step));
  bytes_ = 0;
}

}  // namespace tyer::store
