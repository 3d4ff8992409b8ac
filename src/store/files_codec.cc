#include "store/files_codec.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "store/limits.h"

namespace tyer::store::files {
namespace {

constexpr std::string_view seq_prefix = R"({"seq":)";

std::string in_quotes(const std::string& text) {
  return is_utf8(text) ? json_string(text) : dump_json(Json(text));
}

// Whether it is an object of ours with nothing in it that goes deeper.
bool is_flat(std::string_view text) {
  const auto members = split_object(text);
  return members && std::ranges::none_of(*members, [](const JsonMember& member) {
           return member.value.starts_with('{') || member.value.starts_with('[');
         });
}

// An object as it is; anything else as a string. It is parsed as deep as it
// will stand, inside another value.
std::string embedded(const std::string& text) {
  if (is_flat(text)) return text;
  const bool one_line = text.find_first_of("\r\n") == std::string::npos;
  if (one_line && text.starts_with('{') && text.ends_with('}')) {
    const auto parsed = parse_json("[" + text + "]");
    if (parsed && parsed->size() == 1) return text;
  }
  return in_quotes(text);
}

std::string time_text(Time time) {
  std::string text = format_time(time);
  const Result<Time> back = parse_time(text);
  return back && *back == time ? in_quotes(text) : std::to_string(to_micros(time));
}

std::unexpected<Error> broken(std::string what) {
  return fail(Fault::broken, std::move(what));
}

Result<Json> parse(std::string_view text) {
  Result<Json> json = parse_json_object(text, limits::record_file_bytes_max);
  if (!json) return broken(json.error().what);
  return json;
}

Result<Time> read_time(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found != object.end() && found->is_number_integer()) {
    return from_micros(found->get<std::int64_t>());
  }
  if (found != object.end() && found->is_string()) {
    Result<Time> time = parse_time(found->get<std::string>());
    if (time) return time;
  }
  return broken(fmt::format("'{}' is not a time", name));
}

Result<std::uint64_t> read_count(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) {
    return broken(fmt::format("'{}' is not a number from 0 up", name));
  }
  return found->get<std::uint64_t>();
}

// The last member of `object`, which was parsed from `text`. If all before it
// is `before`, byte for byte, and no other member follows, what is between
// there and the closing brace is the text that was embedded.
Result<std::string> read_embedded(const Json& object, const char* name, std::string_view text,
                                  std::string_view before, std::size_t members) {
  const auto found = object.find(name);
  if (found == object.end()) return broken(fmt::format("it has no '{}'", name));
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_object()) return broken(fmt::format("'{}' is not an object", name));
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (object.size() != members || !text.starts_with(before) || !text.ends_with('}')) {
    return dump_json(*found);
  }
  return std::string(text.substr(before.size(), text.size() - before.size() - 1));
}

std::string before_state(const core::Subject& subject) {
  return fmt::format(R"({{"key":{},"parent":{},"status":{},"due_at":{},"rev":{},"state":)",
                     in_quotes(subject.key), in_quotes(subject.parent), in_quotes(subject.status),
                     subject.due_at ? time_text(*subject.due_at) : "null", subject.rev);
}

std::string before_body(const core::Event& event) {
  return fmt::format(R"({}{},"key":{},"rev":{},"type":{},"at":{},"actor":{},"cause":{},"body":)",
                     seq_prefix, event.seq, in_quotes(event.key), event.rev, in_quotes(event.type),
                     time_text(event.at), in_quotes(event.actor),
                     event.cause ? std::to_string(*event.cause) : "null");
}

}  // namespace

std::string encode_subject(const core::Subject& subject) {
  return before_state(subject) + embedded(subject.state) + "}\n";
}

Result<core::Subject> decode_subject(const std::string& key, std::string_view text) {
  TYER_TRY(const Json json, parse(text));
  core::Subject subject;
  subject.key = key;
  if (const std::string said = text_or(json, "key", key); said != key) {
    return broken(fmt::format("it says it is {}, whose place is elsewhere", printable(said)));
  }
  const auto status = json.find("status");
  if (status == json.end() || !status->is_string()) return broken("it has no 'status'");
  subject.status = status->get<std::string>();
  subject.parent = text_or(json, "parent");
  TYER_TRY(subject.rev, read_count(json, "rev"));
  if (const auto due = json.find("due_at"); due != json.end() && !due->is_null()) {
    TYER_TRY(subject.due_at, read_time(json, "due_at"));
  }
  TYER_TRY(subject.state, read_embedded(json, "state", text, before_state(subject), 6));
  return subject;
}

std::string encode_cursor(const core::Cursor& cursor) {
  return fmt::format("{{\"reader\":{},\"seq\":{}}}\n", in_quotes(cursor.reader), cursor.seq);
}

Result<core::Cursor> decode_cursor(const std::string& reader, std::string_view text) {
  TYER_TRY(const Json json, parse(text));
  TYER_TRY(const std::uint64_t seq, read_count(json, "seq"));
  return core::Cursor{reader, seq};
}

std::string encode_event(const core::Event& event) {
  return before_body(event) + embedded(event.body) + "}\n";
}

Result<core::Event> decode_event(std::string_view line) {
  TYER_TRY(const Json json, parse(line));
  core::Event event;
  TYER_TRY(event.seq, read_count(json, "seq"));
  TYER_TRY(event.rev, read_count(json, "rev"));
  TYER_TRY(event.at, read_time(json, "at"));
  event.key = text_or(json, "key");
  event.type = text_or(json, "type");
  if (event.key.empty() || event.type.empty()) return broken("it has no 'key' or no 'type'");
  event.actor = text_or(json, "actor");
  if (const auto cause = json.find("cause"); cause != json.end() && !cause->is_null()) {
    TYER_TRY(event.cause, read_count(json, "cause"));
  }
  TYER_TRY(event.body, read_embedded(json, "body", line, before_body(event), 8));
  return event;
}

std::optional<std::uint64_t> event_seq(std::string_view line) {
  if (!line.starts_with(seq_prefix)) return std::nullopt;
  line.remove_prefix(seq_prefix.size());
  std::uint64_t seq = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), seq);
  if (error != std::errc() || end == line.data() + line.size() || *end != ',') return std::nullopt;
  return seq;
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0xCBF29CE484222325U;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    sum *= 0x100000001B3U;
  }
  return sum;
}

}  // namespace tyer::store::files
