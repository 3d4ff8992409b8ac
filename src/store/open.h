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
};

[[nodiscard]] Result<std::unique_ptr<Store>> open(const std::string& url, env::Env& env,
                                                  const Options& options);

}  // namespace tyer::store
