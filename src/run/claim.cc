#include "run/claim.h"

#include <fmt/format.h>

#include "base/text.h"
#include "run/settle.h"

namespace tyer::run {

Result<std::optional<Record>> worker_in(const core::View& view, const std::string& path) {
  TYER_TRY(const std::vector<Record> open, list_open(view));
  // As it is written in a record.
  const std::string there = printable(path, limits::directory_bytes_max);
  for (const Record& record : open) {
    if (record.directory == there || record.directory.starts_with(there + "/")) return record;
  }
  return std::nullopt;
}

Result<> check_free(const std::optional<Record>& worker, const std::string& name) {
  if (!worker) return {};
  return fail(Fault::conflict,
              fmt::format("run {} works in the worktree {}; wait for it, or stop it with "
                          "'tyer runs stop {}'",
                          worker->id, name, worker->id));
}

Result<core::Change> decide_create(const core::View& view, const Job& job, const Attempt& attempt,
                                   const Guards& guards, Time now) {
  if (!job.worktree.empty()) {
    TYER_TRY(const auto worker, worker_in(view, job.directory));
    TYER_TRY_OK(check_free(worker, job.worktree));
  }
  return core::Change{.events = {draft_created(job, attempt, guards, now)}};
}

}  // namespace tyer::run
