// What stands in the files of a files store: one line of JSON each, for people
// as well as for us. Pure.
//
// A subject's state and an event's body are JSON objects and stand as they
// were given, byte for byte. What is none, or has a line break in it, stands as
// a string and comes back as it was: nothing that was committed is unreadable.
//
// Decoding says `broken` and what is wrong, not where: the caller knows the path.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "core/event.h"
#include "core/subject.h"

namespace tyer::store::files {

[[nodiscard]] std::string encode_subject(const core::Subject& subject);
[[nodiscard]] Result<core::Subject> decode_subject(const std::string& key, std::string_view text);

[[nodiscard]] std::string encode_cursor(const core::Cursor& cursor);
[[nodiscard]] Result<core::Cursor> decode_cursor(const std::string& reader, std::string_view text);

// A line of the log. The sequence number comes first, so that finding a place
// in the log does not have to parse what it passes by.
[[nodiscard]] std::string encode_event(const core::Event& event);
[[nodiscard]] Result<core::Event> decode_event(std::string_view line);
[[nodiscard]] std::optional<std::uint64_t> event_seq(std::string_view line);

// 64-bit FNV-1a: tells a torn record from a whole one, not friend from foe.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

}  // namespace tyer::store::files
