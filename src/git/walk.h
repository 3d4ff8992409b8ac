// What lies in a directory, down to the last file, without following links.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace tyer::git {

struct Item {
  enum class Kind : std::uint8_t { file, link, directory, special };

  std::string path;  // From the top, without a slash in front.
  Kind kind = Kind::file;
  mode_t mode = 0;  // Permissions only.
  std::uint64_t bytes = 0;
  bool empty = false;  // A directory with nothing in it.

  // Whether somebody touched it between two walks.
  std::uint64_t inode = 0;
  std::int64_t modified = 0;
  std::int64_t changed = 0;

  friend bool operator==(const Item&, const Item&) = default;
};

// Everything below `top`, by path; nothing if there is no such directory.
[[nodiscard]] Result<std::vector<Item>> walk(const std::string& top);

// Removes `top` and everything in it, also where directories are read-only.
[[nodiscard]] Result<> remove_all(const std::string& top);

// A path that git takes into a tree, reversibly. Git refuses parts called `.git`, and
// links called `.gitmodules`; repositories inside a worktree would be left out.
[[nodiscard]] std::string encode_path(const Item& item);
[[nodiscard]] std::string decode_name(const std::string& name);

}  // namespace tyer::git
