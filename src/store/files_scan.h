// Going through the directories of a files store.

#pragma once

#include <string>
#include <vector>

#include "env/files.h"
#include "store/files_layout.h"

namespace tyer::store::files {

struct Listing {
  std::vector<std::string> keys;     // Ordered as bytes.
  std::vector<std::string> foreign;  // A sentence for every file that is none of ours.
};

// What of `holds` lies below `directory`. Of one kind only, if `kind` is given;
// for cursors it means nothing.
[[nodiscard]] Result<Listing> list_places(env::Files& files, const std::string& directory,
                                          Holds holds, const std::string& kind);

// The leases of keys below `root`, which is of a kind that has directories.
[[nodiscard]] Result<Listing> list_leases_below(env::Files& files, const std::string& directory,
                                                const std::string& root);

}  // namespace tyer::store::files
