#include "store/files_scan.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/limits.h"

namespace tyer::store::files {
namespace {

// No key needs more: each part has a byte and a slash, and long ones few pieces.
constexpr std::size_t depth_max = limits::key_bytes_max;

struct Below {
  std::string path;
  std::size_t depth = 0;
};

Result<std::vector<Below>> tops(env::Files& files, const std::string& directory, Holds holds,
                                const std::string& kind) {
  if (holds == Holds::cursor) return std::vector<Below>{{std::string(cursors_directory), 0}};
  if (!kind.empty()) return std::vector<Below>{{directory_of_kind(kind), 0}};
  std::vector<Below> found;
  TYER_TRY(const std::vector<env::Entry> entries, files.list(directory));
  // Also what is no directory: that shows when it is listed.
  for (const env::Entry& entry : entries) {
    if (kind_of_directory(entry.name)) found.push_back({entry.name, 0});
  }
  return found;
}

Result<Listing> walk(env::Files& files, const std::string& directory, Holds holds,
                     std::vector<Below> open) {
  Listing listing;
  while (!open.empty()) {
    const Below below = std::move(open.back());
    open.pop_back();
    const auto entries = files.list(fmt::format("{}/{}", directory, below.path));
    if (!entries && entries.error().fault == Fault::broken) {
      listing.foreign.push_back(entries.error().what);
      continue;
    }
    if (!entries) return std::unexpected(entries.error());
    for (const env::Entry& entry : *entries) {
      std::string path = fmt::format("{}/{}", below.path, entry.name);
      Result<Place> place = read_path(path);
      // A directory where a file belongs is found out like any other thing there, when it is read.
      if (!place && entry.is_directory && below.depth < depth_max) {
        open.push_back({std::move(path), below.depth + 1});
        continue;
      }
      if (is_temporary(entry.name)) continue;
      if (!place) {
        listing.foreign.push_back(place.error().what);
      } else if (place->holds == holds) {
        listing.keys.push_back(std::move(place->key));
      }
    }
  }
  std::ranges::sort(listing.keys);
  std::ranges::sort(listing.foreign);
  return listing;
}

}  // namespace

Result<Listing> list_places(env::Files& files, const std::string& directory, Holds holds,
                            const std::string& kind) {
  TYER_TRY(std::vector<Below> open, tops(files, directory, holds, kind));
  return walk(files, directory, holds, std::move(open));
}

Result<Listing> list_leases_below(env::Files& files, const std::string& directory,
                                  const std::string& root) {
  TYER_TRY(const std::string path, path_of({Holds::lease, root + "/x"}));
  return walk(files, directory, Holds::lease, {{path.substr(0, path.rfind('/')), 0}});
}

}  // namespace tyer::store::files
