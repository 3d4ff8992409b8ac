#include "store/files_layout.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "core/key.h"

namespace tyer::store::files {
namespace {

constexpr std::string_view subject_suffix = ".json";
constexpr std::string_view lease_suffix = ".lock.json";
constexpr std::string_view cursor_kind = "cursor";
constexpr std::string_view flat_kind = "lock";

// The greatest length up to `name_bytes_max` that cuts neither a %XX nor a character.
std::size_t cut_length(std::string_view name) {
  std::size_t length = name_bytes_max;
  while ((static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U) --length;
  if (name[length - 1] == '%') return length - 1;
  if (name[length - 2] == '%') return length - 2;
  return length;
}

// One part of a key as a file name, continued in directories if it is long.
std::string spell(std::string_view part) {
  const std::string encoded = encode_file_name(part);
  std::string_view rest = encoded;
  std::string path;
  while (rest.size() > name_bytes_max) {
    const std::size_t length = cut_length(rest);
    path += fmt::format("{}%/", rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return path.append(rest);
}

std::string spell_parts(std::string_view rest) {
  std::string path;
  while (true) {
    const std::size_t slash = rest.find('/');
    path += spell(rest.substr(0, slash));
    if (slash == std::string_view::npos) return path;
    path += '/';
    rest.remove_prefix(slash + 1);
  }
}

// The names in `path` with those that were cut joined again and decoded.
Result<std::vector<std::string>> decode_parts(std::string_view path) {
  std::vector<std::string> parts;
  std::string name;
  while (true) {
    const std::size_t slash = path.find('/');
    name += path.substr(0, slash);
    if (slash != std::string_view::npos && name.ends_with('%')) {
      name.pop_back();
    } else {
      TYER_TRY(std::string part, decode_file_name(name));
      parts.push_back(std::move(part));
      name.clear();
    }
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::unexpected<Error> foreign(std::string_view path, std::string_view why) {
  return fail(Fault::invalid, fmt::format("{} is not a file of ours: {}", printable(path), why));
}

}  // namespace

Result<std::string> path_of(const Place& place) {
  if (place.holds == Holds::cursor) {
    if (place.key.empty()) return fail(Fault::invalid, "a reader's name must not be empty");
    return fmt::format("{}/{}{}", cursors_directory, spell(place.key), subject_suffix);
  }
  TYER_TRY_OK(core::check_key(place.key));
  const std::string_view kind = core::kind_of(place.key);
  const std::string_view rest = core::rest_of(place.key);
  std::string path = directory_of_kind(kind) + '/';
  path += kind == flat_kind ? spell(rest) : spell_parts(rest);
  path += place.holds == Holds::lease ? lease_suffix : subject_suffix;
  return path;
}

Result<Place> read_path(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos) return foreign(path, "it lies in no directory of a kind");
  const std::string_view top = path.substr(0, slash);
  std::string_view names = path.substr(slash + 1);

  Place place;
  if (names.ends_with(lease_suffix)) {
    place.holds = Holds::lease;
    names.remove_suffix(lease_suffix.size());
  } else if (names.ends_with(subject_suffix)) {
    names.remove_suffix(subject_suffix.size());
  } else {
    return foreign(path, "its name does not end in .json");
  }
  const auto parts = decode_parts(names);
  if (!parts) return foreign(path, "its name is not percent-encoded");

  if (top == cursors_directory) {
    if (place.holds == Holds::lease) return foreign(path, "a cursor has no lock");
    place.holds = Holds::cursor;
  } else {
    const std::optional<std::string> kind = kind_of_directory(top);
    if (!kind) return foreign(path, "no kind has this directory");
    place.key = *kind + "/";
  }
  place.key += fmt::format("{}", fmt::join(*parts, "/"));
  const Result<std::string> ours = path_of(place);
  if (!ours) return foreign(path, ours.error().what);
  if (*ours != path) return foreign(path, fmt::format("we would call it {}", printable(*ours)));
  return place;
}

std::string directory_of_kind(std::string_view kind) {
  return kind == cursor_kind ? std::string(kind) : std::string(kind) + 's';
}

std::optional<std::string> kind_of_directory(std::string_view name) {
  if (name == cursor_kind) return std::string(name);
  if (name == cursors_directory || !name.ends_with('s')) return std::nullopt;
  const std::string kind(name.substr(0, name.size() - 1));
  if (kind.contains('/') || !core::check_key(kind + "/x")) return std::nullopt;
  return kind;
}

bool is_temporary(std::string_view name) {
  constexpr std::string_view suffix = ".tmp";
  constexpr std::size_t digits = 20;
  if (name.size() != 1 + digits + suffix.size() || !name.starts_with('.')) return false;
  return name.ends_with(suffix) && std::ranges::all_of(name.substr(1, digits), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace tyer::store::files
