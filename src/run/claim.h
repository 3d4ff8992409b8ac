// One run per worktree.
//
// A worktree has no lease of its own: it belongs to the run that works in it and has not
// ended, so it is as safe as that run's lease `run/<id>`, and nothing can be left locked. A
// run that is tried again passes it on in the change that ends it. One whose keeper is
// dead is ended by `settle`, after all that it had started; only then is it free.
//
// A run claims its worktree first and makes it afterwards, under the lease of the
// repository. Who removes or merges one looks for a run while it holds that lease, so either
// it sees the run, or the run comes after it.

#pragma once

#include <optional>
#include <string>

#include "run/record.h"

namespace tyer::run {

// The run that works in the directory `path` or below it, and has not ended.
[[nodiscard]] Result<std::optional<Record>> worker_in(const core::View& view,
                                                      const std::string& path);

// `conflict` if `worker` is one: "run ID works in the worktree NAME; …".
[[nodiscard]] Result<> check_free(const std::optional<Record>& worker, const std::string& name);

// The first attempt is created. `conflict` if its worktree is another run's.
[[nodiscard]] Result<core::Change> decide_create(const core::View& view, const Job& job,
                                                 const Attempt& attempt, const Guards& guards,
                                                 Time now);

}  // namespace tyer::run
