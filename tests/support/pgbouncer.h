// A real pgbouncer for tests, before a PostgreSQL server, on a unix socket and without a network.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "support/temp_dir.h"

namespace tyer::testing {

class PgBouncer {
 public:
  // `settings` are lines of pgbouncer.ini: "pool_mode = session".
  explicit PgBouncer(const std::vector<std::string>& settings);
  ~PgBouncer();
  PgBouncer(const PgBouncer&) = delete;
  PgBouncer& operator=(const PgBouncer&) = delete;

  // A new and empty database of the shared server, reached through it.
  [[nodiscard]] std::string fresh_url();

 private:
  TempDir dir_;
  pid_t pid_ = -1;
};

}  // namespace tyer::testing
