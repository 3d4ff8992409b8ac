#include "run/prune.h"

#include <algorithm>
#include <filesystem>

#include "run/limits.h"
#include "run/settle.h"

namespace tyer::run {

Result<> prune(engine::Engine& engine, env::Files& files, const std::string& folder,
               std::size_t kept) {
  TYER_TRY(std::vector<env::Entry> entries, files.list(folder));
  std::erase_if(entries, [](const env::Entry& entry) { return !entry.is_directory; });
  if (entries.size() <= kept) return {};
  // Ids sort by the time they were made.
  std::ranges::sort(entries, {}, &env::Entry::name);
  entries.resize(std::min(entries.size() - kept, limits::prune_looks_max));
  for (const env::Entry& entry : entries) {
    const auto record = look_at_run(engine, entry.name);
    if (!record || record->status != "ended") continue;
    // What cannot be removed now is there to be removed the next time.
    std::error_code ignored;
    std::filesystem::remove_all(folder + "/" + entry.name, ignored);
  }
  return {};
}

}  // namespace tyer::run
