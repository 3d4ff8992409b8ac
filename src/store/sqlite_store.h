// The store in one SQLite file (WAL), or in memory for tests and the simulator.
//
// Several processes may write the same file. SQLite's own waiting is unfair
// under load, so a writer first goes through a turnstile of kernel locks beside
// the database (`PATH-queue`, `PATH-writer`); only then it begins its
// transaction, which is then never busy but for tools that do not queue.

#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "store/open.h"
#include "store/store.h"

namespace tyer::store {

// `path` is a file, made if `options.create`, or ":memory:".
[[nodiscard]] Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, env::Env& env,
                                                         const Options& options);

// See lacks_log in copy.h.
[[nodiscard]] bool sqlite_lacks_log(const std::string& path, env::Files& files);

}  // namespace tyer::store
