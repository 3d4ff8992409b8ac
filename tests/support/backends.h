// The stores a suite runs on, each as a place that can be opened again and
// again, as several processes would.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "env/env.h"
#include "store/open.h"
#include "store/uploads.h"

namespace tyer::testing {

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<store::Store>> open(
      env::Env& env, store::Durability durability = store::Durability::normal) = 0;

  // Of the store, which was opened before; null for one in memory.
  [[nodiscard]] virtual Result<std::unique_ptr<store::Uploads>> uploads(
      env::Env& /*env*/, const std::string& /*scratch*/) {
    return nullptr;
  }
};

// "sqlite", "memory", "postgres", "files".
[[nodiscard]] const std::vector<std::string>& backend_names();

// A fresh and empty one. It removes what it made when it goes.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace tyer::testing
