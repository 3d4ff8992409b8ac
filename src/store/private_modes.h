// A store's own files for its user alone, also those that came with other modes: unpacked, copied
// or cloned. Whoever opens a store for writing and owns it calls this; what belongs to somebody
// else is left alone.
//
// Of a files store its own files at the top are closed (0600), and its directory (0700) if one of
// them was open or nothing but the store is in it. A directory that another tool made for its locks
// keeps its mode: there our files are private and the locks are not ours. So does one with the
// setgid or the sticky bit, and everything in it: it is shared on purpose. A SQLite store is shared
// if its directory has the setgid bit; the sticky bit means nothing there, since /tmp has it.

#pragma once

#include <string>

#include "base/error.h"

namespace tyer::store {

// The file and what lies beside it. `unavailable` if a mode cannot be changed.
[[nodiscard]] Result<> make_sqlite_private(const std::string& path);

[[nodiscard]] Result<> make_files_private(const std::string& directory);

}  // namespace tyer::store
