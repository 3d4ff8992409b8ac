#include "store/files_log.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "core/key.h"
#include "store/files_codec.h"
#include "store/files_layout.h"
#include "store/limits.h"

namespace tyer::store::files {
namespace {

constexpr std::size_t block_bytes = 64 << 10;
constexpr std::size_t seq_bytes_max = 32;
constexpr std::size_t damage_max = 100;
// No line is longer. A log may be made by strangers, and without a newline for gigabytes.
constexpr std::size_t line_bytes_max = 2 * limits::record_file_bytes_max;

std::unexpected<Error> broken_line(std::uint64_t at, std::string_view why) {
  return fail(Fault::broken, fmt::format("{}: the line at byte {} is not an event ({}); "
                                         "put it right or take it out",
                                         log_name, at, why));
}

Result<std::string> read_exactly(const env::File& log, std::uint64_t offset, std::size_t bytes) {
  TYER_TRY(std::string read, log.read(offset, bytes));
  if (read.size() == bytes) return read;
  return fail(Fault::broken, fmt::format("{} became shorter while it was read", log_name));
}

// Where the first newline in [from, end) is, or `end`.
Result<std::uint64_t> find_newline(const env::File& log, std::uint64_t from, std::uint64_t end) {
  const std::uint64_t start = from;
  while (from < end) {
    if (from - start > line_bytes_max) return broken_line(start, "too long");
    const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(4096, end - from));
    TYER_TRY(const std::string block, read_exactly(log, from, bytes));
    const std::size_t found = block.find('\n');
    if (found != std::string::npos) return from + found;
    from += bytes;
  }
  return end;
}

// Shows every complete line in [from, end) to `visit` until it answers false.
using Visit = std::function<Result<bool>(std::uint64_t at, std::string_view line)>;

Result<> each_line(const env::File& log, std::uint64_t from, std::uint64_t end,
                   const Visit& visit) {
  std::string buffer;
  std::uint64_t buffer_at = from;
  while (true) {
    std::size_t used = 0;
    while (true) {
      const std::size_t newline = buffer.find('\n', used);
      if (newline == std::string::npos) break;
      const std::string_view line(buffer.data() + used, newline - used);
      TYER_TRY(const bool more, visit(buffer_at + used, line));
      if (!more) return {};
      used = newline + 1;
    }
    buffer.erase(0, used);
    buffer_at += used;
    const std::uint64_t read_to = buffer_at + buffer.size();
    if (read_to >= end) return {};
    if (buffer.size() > limits::record_file_bytes_max) return broken_line(buffer_at, "too long");
    const auto bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, end - read_to));
    TYER_TRY(const std::string block, read_exactly(log, read_to, bytes));
    buffer += block;
  }
}

Result<core::Event> event_at(std::uint64_t at, std::string_view line) {
  Result<core::Event> event = decode_event(line);
  if (!event) return broken_line(at, event.error().what);
  return event;
}

}  // namespace

Result<Line> line_before(const env::File& log, std::uint64_t end) {
  Line line{end, end, ""};
  if (end == 0) return line;
  // The newline at end - 1 is the line's own.
  std::uint64_t from = end - 1;
  while (from > 0) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(4096, from));
    from -= bytes;
    TYER_TRY(std::string block, read_exactly(log, from, bytes));
    const std::size_t newline = block.rfind('\n');
    if (newline != std::string::npos) {
      line.text.insert(0, block, newline + 1);
      line.start = from + newline + 1;
      return line;
    }
    line.text.insert(0, block);
    if (line.text.size() > line_bytes_max) return broken_line(from, "too long");
  }
  line.start = 0;
  return line;
}

Result<std::uint64_t> complete_end(const env::File& log, std::uint64_t size) {
  const std::uint64_t whole = size;
  while (size > 0) {
    if (whole - size > line_bytes_max) {
      return fail(Fault::broken,
                  fmt::format("{}: its last {} bytes are no line; cut it behind its last event",
                              log_name, whole - size));
    }
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size));
    TYER_TRY(const std::string block, read_exactly(log, size - bytes, bytes));
    const std::size_t newline = block.rfind('\n');
    if (newline != std::string::npos) return size - bytes + newline + 1;
    size -= bytes;
  }
  return 0;
}

Result<std::uint64_t> hole_start(const env::File& log, std::uint64_t size) {
  for (std::uint64_t at = 0; at < size; at += block_bytes) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, size - at));
    TYER_TRY(const std::string block, read_exactly(log, at, bytes));
    const std::size_t hole = block.find('\0');
    if (hole != std::string::npos) return complete_end(log, at + hole);
  }
  return size;
}

Result<core::Head> look_at_log(const env::File& log, std::uint64_t end) {
  core::Head head;
  for (std::uint64_t at = end; at > 0;) {
    TYER_TRY(const Line line, line_before(log, at));
    if (const auto event = decode_event(line.text)) {
      head = {event->seq, event->at, event->seq};
      break;
    }
    at = line.start;
  }
  if (head.seq == 0) return head;
  TYER_TRY_OK(each_line(log, 0, end, [&](std::uint64_t, std::string_view line) -> Result<bool> {
    const std::optional<std::uint64_t> seq = event_seq(line);
    if (seq) head.first = *seq;
    return !seq;
  }));
  return head;
}

Result<Standing> settle(const Standing& said, const env::File& log) {
  TYER_TRY(const std::uint64_t size, log.size());
  return size == said.log_end ? said : look_again(said, log);
}

Result<Standing> look_again(const Standing& said, const env::File& log) {
  TYER_TRY(const std::uint64_t size, log.size());
  TYER_TRY(const std::uint64_t end, complete_end(log, size));
  TYER_TRY(const core::Head found, look_at_log(log, end));
  return Standing{
      said.number,
      {std::max(said.head.seq, found.seq), std::max(said.head.at, found.at), found.first},
      end};
}

Result<std::uint64_t> find_after(const env::File& log, std::uint64_t end, std::uint64_t after) {
  // All lines before `low`, where a line starts, have numbers up to `after`; the
  // first line that starts behind `high` has a greater one.
  std::uint64_t low = 0;
  std::uint64_t high = end;
  while (high - low > block_bytes) {
    const std::uint64_t middle = low + (high - low) / 2;
    TYER_TRY(const std::uint64_t newline, find_newline(log, middle, high));
    if (newline + 1 >= high) {
      high = middle;
      continue;
    }
    TYER_TRY(const std::string start, log.read(newline + 1, seq_bytes_max));
    const std::optional<std::uint64_t> seq = event_seq(start);
    if (!seq) break;  // Damaged here: go through from `low`.
    if (*seq > after) {
      high = middle;
    } else {
      low = newline + 1;
    }
  }
  std::uint64_t found = end;
  TYER_TRY_OK(
      each_line(log, low, end, [&](std::uint64_t at, std::string_view line) -> Result<bool> {
        const std::optional<std::uint64_t> seq = event_seq(line);
        if (seq && *seq <= after) return true;
        found = at;
        return false;
      }));
  return found;
}

Result<std::uint64_t> place_of(const env::File& log, std::uint64_t first, std::uint64_t hint) {
  TYER_TRY(const std::uint64_t size, log.size());
  if (hint == 0) {
    TYER_TRY(const std::string start, log.read(0, seq_bytes_max));
    const std::optional<std::uint64_t> seq = event_seq(start);
    if (!seq || *seq >= first) return 0;
  }
  if (hint > 0 && hint <= size) {
    TYER_TRY(const std::string last, log.read(hint - 1, 1));
    if (last == "\n") {
      TYER_TRY(const Line line, line_before(log, hint));
      const std::optional<std::uint64_t> seq = event_seq(line.text);
      if (!seq || *seq < first) return hint;
    }
  }
  TYER_TRY(std::uint64_t end, complete_end(log, size));
  while (end > 0) {
    TYER_TRY(const Line line, line_before(log, end));
    const std::optional<std::uint64_t> seq = event_seq(line.text);
    if (!seq || *seq < first) break;
    end = line.start;
  }
  return end;
}

Result<std::vector<core::Event>> read_events(const env::File& log, std::uint64_t end,
                                             const core::EventQuery& query) {
  std::vector<core::Event> events;
  if (query.limit == 0) return events;
  TYER_TRY(const std::uint64_t from, find_after(log, end, query.after));
  TYER_TRY_OK(
      each_line(log, from, end, [&](std::uint64_t at, std::string_view line) -> Result<bool> {
        TYER_TRY(core::Event event, event_at(at, line));
        const bool wanted = query.root.empty() || core::covers(query.root, event.key);
        if (event.seq > query.after && wanted) events.push_back(std::move(event));
        return events.size() < query.limit;
      }));
  return events;
}

Result<std::vector<std::string>> check_log(const env::File& log, std::uint64_t end) {
  std::vector<std::string> damage;
  std::uint64_t last = 0;
  TYER_TRY_OK(each_line(log, 0, end, [&](std::uint64_t at, std::string_view line) -> Result<bool> {
    const Result<core::Event> event = event_at(at, line);
    if (!event) {
      damage.push_back(event.error().what);
      return damage.size() < damage_max;
    }
    if (event->seq <= last) {
      damage.push_back(fmt::format("{}: event {} at byte {} comes after event {}", log_name,
                                   event->seq, at, last));
    } else if (last != 0 && event->seq != last + 1) {
      damage.push_back(
          fmt::format("{}: the events {} to {} are missing", log_name, last + 1, event->seq - 1));
    }
    last = std::max(last, event->seq);
    return damage.size() < damage_max;
  }));
  return damage;
}

}  // namespace tyer::store::files
