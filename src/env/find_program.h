// Which file a command name means.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::env {

// A name with a slash stands for itself, any other is looked for in the
// directories of `search` (PATH, separated by colons; an empty one is the
// directory the program will run in). What is relative is relative to
// `directory`, and stays so in the answer. `not_found` if there is no such
// file, `denied` if it may not be executed.
[[nodiscard]] Result<std::string> find_program(const std::string& name, std::string_view search,
                                               const std::string& directory);

// The file that is run, as it is now. One that was replaced or written to differs in one of these.
struct ProgramFile {
  std::string path;
  std::int64_t device = 0;
  std::int64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  // When, by the file system: packages set the other times.

  friend bool operator==(const ProgramFile&, const ProgramFile&) = default;
};

// Of the program that `name` means if `search` is PATH; empty: the system's own directories.
[[nodiscard]] Result<ProgramFile> identify_program(const std::string& name,
                                                   std::string_view search);

// Where programs are if nobody says.
inline constexpr std::string_view default_search = "/bin:/usr/bin";

}  // namespace tyer::env
