// Everything of one store into another, of any kind: backup, restore, moving.
//
// The source is read in one consistent picture while others go on writing to
// it. Events keep their numbers and leases their tokens, so that readers find
// their place and old holders stay fenced. The target must be empty, and it is
// filled page by page, events first: a copy that was cut short is not a store
// to work with, and `tyer store check` says so of it.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "env/files.h"
#include "store/store.h"

namespace tyer::store {

struct Copied {
  std::uint64_t subjects = 0;
  std::uint64_t leases = 0;
  std::uint64_t cursors = 0;
  std::uint64_t events = 0;
  std::uint64_t events_total = 0;  // Of the source, for progress.

  friend bool operator==(const Copied&, const Copied&) = default;
};

// What the search knows of a subject; it is not read from the source, which may have no index.
using TextOf = std::function<std::string(const core::Subject&)>;

// What goes along with the rows, from the same picture and before them. It may be called again.
using Along = std::function<Result<>(const core::View&)>;

// Refused as `conflict` if `to` has anything in it. `progress` is called after every page.
[[nodiscard]] Result<Copied> copy(Store& from, Store& to, const TextOf& text_of,
                                  const std::function<void(const Copied&)>& progress,
                                  const Along& along = {});

// Brings what the SQLite store in the file `path` still has in its write-ahead
// log into the file, which then is the whole store and says that it has no log. Nobody may have it
// open.
[[nodiscard]] Result<> fold_into_file(const std::string& path);

// Whether the log of a store in a SQLite file is not beside it or has nothing in it, as beside a
// copy of the file alone: what was written last may be missing. A backup has no log. To be asked
// before the store is opened.
[[nodiscard]] bool lacks_log(const std::string& url, env::Files& files);

// Whether nothing was ever written to it.
[[nodiscard]] Result<bool> is_empty(const core::View& view);

}  // namespace tyer::store
