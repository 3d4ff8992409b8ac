// The body of a request while it comes: in memory, or in a file once it is large.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "env/fd.h"
#include "http/parser.h"

namespace tyer::http {

class Body {
 public:
  // Up to `max` in all, up to `memory_max` in memory; `expected` is a length that is known.
  Body(std::uint64_t max, std::size_t memory_max, std::uint64_t expected, std::string spool_dir);

  void put(std::string_view piece);  // Nothing more once it is refused.
  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t in_memory() const { return text_.capacity(); }
  [[nodiscard]] std::uint64_t on_disk() const { return file_ ? size_ : 0; }

  // The whole: the text, or a file at its beginning.
  [[nodiscard]] std::string take_text() { return std::move(text_); }
  [[nodiscard]] env::Fd take_file();

 private:
  void spool();
  void write(std::string_view piece);

  const std::uint64_t max_;
  const std::size_t memory_max_;
  const std::string spool_dir_;
  std::uint64_t size_ = 0;
  std::string text_;
  env::Fd file_;
  std::optional<Refusal> refusal_;
};

}  // namespace tyer::http
