// Output in pieces, as lines.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace tyer::backend {

class Lines {
 public:
  // A line without its end (LF or CRLF). Of one that is too long only the start
  // is kept, and it is not `whole`.
  using Take = std::function<void(std::string_view line, bool whole)>;

  Lines(std::size_t bytes_max, Take take) : bytes_max_(bytes_max), take_(std::move(take)) {}

  void feed(std::string_view bytes);

  // The last line, if it has no end.
  void finish();

  // Bytes that were left out so far.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  void keep(std::string_view bytes);
  void give(std::string_view line);

  const std::size_t bytes_max_;
  const Take take_;
  std::string waiting_;  // The start of the line that is being read.
  bool is_whole_ = true;
  std::uint64_t skipped_ = 0;
};

}  // namespace tyer::backend
