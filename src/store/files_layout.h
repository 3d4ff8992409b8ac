// Which file of a files store holds what. Pure: paths in, keys out, no disk.
//
//   subject task/fix/3      tasks/fix/3.json
//   lease   task/fix/3      tasks/fix/3.lock.json
//   lease   lock/a/b        locks/a%2Fb.lock.json    flat, as other tools know it (L2)
//   cursor  pump            cursors/pump.json
//
// A path leads back to exactly one key: what is not spelled the way we would
// spell it is foreign and is reported, never guessed. The directory of a kind
// is its name with an "s"; the kind "cursor" would fall together with the
// readers' cursors and keeps its bare name, which no other kind can have.
//
// A key has at most 240 bytes, but %XX triples a byte and a file name ends at
// 255, so a name of more than 200 bytes continues in a directory: a component
// that ends in a bare '%' goes on in the next one. No encoded name ends so.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::store::files {

inline constexpr std::string_view journal_name = "journal";
inline constexpr std::string_view queue_name = "queue";
inline constexpr std::string_view log_name = "log.jsonl";
inline constexpr std::string_view format_name = "format";
inline constexpr std::string_view format_text = "tyer files 1\n";
inline constexpr std::string_view cursors_directory = "cursors";

inline constexpr std::size_t name_bytes_max = 200;  // Of one component, its suffix aside.

enum class Holds : std::uint8_t { subject, lease, cursor };

struct Place {
  Holds holds = Holds::subject;
  std::string key;  // Or the name of a reader.

  friend bool operator==(const Place&, const Place&) = default;
};

// Below the store's directory. `invalid` if the key is, so that no path climbs.
[[nodiscard]] Result<std::string> path_of(const Place& place);

// And back. `invalid` says why the path is none of ours.
[[nodiscard]] Result<Place> read_path(std::string_view path);

[[nodiscard]] std::string directory_of_kind(std::string_view kind);

// "task" of "tasks"; nothing if no kind has this directory.
[[nodiscard]] std::optional<std::string> kind_of_directory(std::string_view name);

// Whether a name is one that a replacement of a file had for a moment.
[[nodiscard]] bool is_temporary(std::string_view name);

}  // namespace tyer::store::files
