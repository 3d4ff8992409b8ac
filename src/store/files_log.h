// Reading log.jsonl: one event a line, by sequence number.
//
// A place in the log is found by halving: a line starts after each newline and
// says its number first. People may cut the log or take it away; what is left
// is still read, and a line that is no event is an error that says where it is.
// Bytes after the last newline are a line that is not there yet.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/view.h"
#include "env/files.h"
#include "store/files_record.h"

namespace tyer::store::files {

// The complete line before `end`; no text at the beginning of the file.
struct Line {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::string text;
};

[[nodiscard]] Result<Line> line_before(const env::File& log, std::uint64_t end);

// Where the last complete line ends, looking back from `size`.
[[nodiscard]] Result<std::uint64_t> complete_end(const env::File& log, std::uint64_t size);

// Where the first line with a NUL byte in it starts, or `size`: power loss
// leaves such holes, nothing else does.
[[nodiscard]] Result<std::uint64_t> hole_start(const env::File& log, std::uint64_t size);

// The ends of a log of which nothing is known but its size.
[[nodiscard]] Result<core::Head> look_at_log(const env::File& log, std::uint64_t end);

// The journal's word on the log, put right if somebody changed the log by hand:
// numbers and times never go back, the rest is what is there. `settle` looks
// only if the log has another size than it should have.
[[nodiscard]] Result<Standing> settle(const Standing& said, const env::File& log);
[[nodiscard]] Result<Standing> look_again(const Standing& said, const env::File& log);

// Where the first line with a number greater than `after` starts, or `end`.
[[nodiscard]] Result<std::uint64_t> find_after(const env::File& log, std::uint64_t end,
                                               std::uint64_t after);

// Where lines from number `first` on belong: behind the last line with a
// smaller one. `hint` is where they belong if nobody touched the log.
[[nodiscard]] Result<std::uint64_t> place_of(const env::File& log, std::uint64_t first,
                                             std::uint64_t hint);

[[nodiscard]] Result<std::vector<core::Event>> read_events(const env::File& log, std::uint64_t end,
                                                           const core::EventQuery& query);

// What is wrong with it, a sentence each.
[[nodiscard]] Result<std::vector<std::string>> check_log(const env::File& log, std::uint64_t end);

}  // namespace tyer::store::files
