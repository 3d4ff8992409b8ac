#include "store/files_record.h"

#include <array>
#include <charconv>
#include <initializer_list>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "base/time.h"
#include "store/files_codec.h"
#include "store/files_layout.h"

namespace tyer::store::files {
namespace {

constexpr std::string_view stamp_word = "stamp ";
constexpr std::string_view record_word = "record ";
constexpr std::size_t number_bytes = 16;
constexpr std::size_t front_bytes = record_word.size() + 3 * (number_bytes + 1);
constexpr std::array<std::string_view, 4> stages{"prepared", "applying", "applied ", "folded  "};

// Takes fields off the front of a text; once one is missing, all the rest is.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  bool word(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    if (ok_) rest_.remove_prefix(expected.size());
    return ok_;
  }

  // Sixteen hexadecimal digits and the character after them.
  std::uint64_t number(char after) {
    std::uint64_t value = 0;
    ok_ = ok_ && rest_.size() > number_bytes && rest_[number_bytes] == after;
    if (!ok_) return 0;
    const char* end = rest_.data() + number_bytes;
    const auto read = std::from_chars(rest_.data(), end, value, 16);
    ok_ = read.ec == std::errc() && read.ptr == end;
    rest_.remove_prefix(number_bytes + 1);
    return ok_ ? value : 0;
  }

  std::string text(std::uint64_t bytes) {
    ok_ = ok_ && bytes <= rest_.size();
    if (!ok_) return {};
    std::string taken(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return taken;
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Sixteen hexadecimal digits each, and the character after them.
void add_numbers(std::string& text, std::initializer_list<std::uint64_t> numbers, char last) {
  for (const std::uint64_t number : numbers) {
    std::array<char, number_bytes + 1> digits{};
    for (std::size_t i = 0; i < number_bytes; ++i) {
      digits[i] = "0123456789abcdef"[(number >> (60 - 4 * i)) & 0xF];
    }
    digits.back() = ' ';
    text.append(digits.data(), digits.size());
  }
  text.back() = last;
}

void add(std::string& text, const Standing& standing) {
  add_numbers(
      text,
      {standing.number, standing.head.seq, static_cast<std::uint64_t>(to_micros(standing.head.at)),
       standing.head.first, standing.log_end},
      ' ');
}

Standing take_standing(Fields& fields) {
  Standing standing;
  standing.number = fields.number(' ');
  standing.head.seq = fields.number(' ');
  standing.head.at = from_micros(static_cast<std::int64_t>(fields.number(' ')));
  standing.head.first = fields.number(' ');
  standing.log_end = fields.number(' ');
  return standing;
}

std::optional<Record> decode_payload(std::string_view payload) {
  Fields fields(payload);
  Record record;
  record.after = take_standing(fields);
  record.log_offset = fields.number(' ');
  record.log_first = fields.number(' ');
  record.log_whole = fields.number(' ') != 0;
  record.full = fields.number(' ') != 0;
  record.log = fields.text(fields.number('\n'));
  while (fields.ok() && !fields.done()) {
    FileChange change;
    const bool removes = fields.number(' ') != 0;
    const std::uint64_t path_bytes = fields.number(' ');
    const std::uint64_t content_bytes = fields.number('\n');
    change.path = fields.text(path_bytes);
    std::string content = fields.text(content_bytes);
    if (!removes) change.content = std::move(content);
    record.changes.push_back(std::move(change));
  }
  if (!fields.ok()) return std::nullopt;
  return record;
}

// The record that stands at the front of `bytes`, and its length.
struct Found {
  Record record;
  std::size_t bytes = 0;
};

std::optional<Found> find_record(std::string_view bytes, std::uint64_t number) {
  Fields front(bytes.substr(0, front_bytes));
  front.word(record_word);
  const bool is_next = front.number(' ') == number;
  const std::uint64_t length = front.number(' ');
  const std::uint64_t sum = front.number('\n');
  if (!front.done() || !is_next || length > bytes.size() - front_bytes) return std::nullopt;
  const std::string_view payload = bytes.substr(front_bytes, length);
  if (checksum(payload) != sum) return std::nullopt;
  std::optional<Record> record = decode_payload(payload);
  if (!record || record->after.number != number) return std::nullopt;
  return Found{std::move(*record), front_bytes + payload.size()};
}

Result<> check_paths(const Record& record) {
  for (const FileChange& change : record.changes) {
    if (read_path(change.path)) continue;
    return fail(
        Fault::broken,
        fmt::format("{}: its record {} is about the file {}, which no store writes. Nothing "
                    "was done; do not trust this directory, or remove its {}",
                    journal_name, record.after.number, printable(change.path), journal_name));
  }
  return {};
}

}  // namespace

std::uint64_t boot_number(std::string_view boot) {
  return checksum(boot);
}

std::string encode(const Stamp& stamp) {
  std::string bytes(stamp_word);
  bytes.reserve(stamp_bytes);
  bytes += stages[static_cast<std::size_t>(stamp.stage)];
  bytes += ' ';
  add(bytes, stamp.standing);
  add_numbers(bytes, {stamp.start, stamp.end, stamp.boot}, ' ');
  bytes += stamp.full ? "1 " : "0 ";
  add_numbers(bytes, {checksum(bytes)}, '\n');
  TYER_CHECK(bytes.size() == stamp_bytes, "a stamp is overwritten by one of its size");
  return bytes;
}

std::optional<Stamp> decode_stamp(std::string_view bytes, std::uint64_t end) {
  if (bytes.size() != stamp_bytes) return std::nullopt;
  const std::string_view checked = bytes.substr(0, stamp_bytes - number_bytes - 1);
  Fields fields(bytes);
  Stamp stamp;
  fields.word(stamp_word);
  const std::string stage = fields.text(stages[0].size());
  fields.word(" ");
  stamp.standing = take_standing(fields);
  stamp.start = fields.number(' ');
  stamp.end = fields.number(' ');
  stamp.boot = fields.number(' ');
  stamp.full = fields.text(2) == "1 ";
  const std::uint64_t sum = fields.number('\n');
  if (!fields.done() || sum != checksum(checked) || stamp.end != end) return std::nullopt;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (stage != stages[i]) continue;
    stamp.stage = static_cast<Stage>(i);
    return stamp;
  }
  return std::nullopt;
}

std::string encode(const Record& record) {
  std::string payload;
  add(payload, record.after);
  add_numbers(payload,
              {record.log_offset, record.log_first, record.log_whole ? 1U : 0U,
               record.full ? 1U : 0U, record.log.size()},
              '\n');
  payload += record.log;
  for (const FileChange& change : record.changes) {
    add_numbers(
        payload,
        {change.content ? 0U : 1U, change.path.size(), change.content ? change.content->size() : 0},
        '\n');
    payload += change.path;
    if (change.content) payload += *change.content;
  }
  std::string bytes(record_word);
  add_numbers(bytes, {record.after.number, payload.size(), checksum(payload)}, '\n');
  return bytes += payload;
}

Result<Scan> scan_journal(std::string_view bytes) {
  Scan scan;
  scan.base = decode_stamp(bytes.substr(0, stamp_bytes), stamp_bytes);
  if (!scan.base) return scan;
  scan.last = scan.base;
  scan.full = scan.base->full;
  std::uint64_t number = scan.base->standing.number;
  while (scan.last) {
    scan.boot = scan.last->boot;
    const std::size_t at = scan.last->end;
    std::optional<Found> found = find_record(bytes.substr(at), ++number);
    if (!found) break;
    TYER_TRY_OK(check_paths(found->record));
    scan.full = found->record.full;
    scan.records.push_back(std::move(found->record));
    scan.before = scan.last;
    scan.frame_start = at;
    scan.stamp_start = at + found->bytes;
    const std::uint64_t end = scan.stamp_start + stamp_bytes;
    scan.last = bytes.size() < end ? std::nullopt
                                   : decode_stamp(bytes.substr(scan.stamp_start, stamp_bytes), end);
    if (scan.last && scan.last->standing.number != number) scan.last = std::nullopt;
  }
  return scan;
}

}  // namespace tyer::store::files
