// Opening a store by its URL: `sqlite:PATH`, `sqlite::memory:`, `files:DIR`,
// `postgres://…`. The store is made and its schema brought up to date if need
// be; a schema newer than this program is refused as `conflict`.

#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "store/store.h"

namespace tyer::store {

struct Options {
  Durability durability = Durability::full;
  std::string space = "main";  // The workspace, on PostgreSQL.
  bool create = true;          // False: `not_found` if it does not exist.

  // SQLite: when it is closed, its file has everything that is in the log beside it. That is two
  // syncs, so a store that was open for a moment only is not asked to do it.
  bool fold_when_closed = false;
};

[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::string& url, env::Env& env,
                                                  const Options& options);

}  // namespace tyer::store
