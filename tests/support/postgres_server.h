// A real PostgreSQL server for tests: its own directory, a unix socket in it and
// no network. It ends with the test program, however that ends, or with the
// thread that started it.

#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/temp_dir.h"

namespace tyer::testing {

class PostgresServer {
 public:
  // `settings` are lines of postgresql.conf: "fsync=on". Without them a commit
  // does not wait for the disk, which only the loss of power could tell.
  [[nodiscard]] static Result<std::unique_ptr<PostgresServer>> start(
      std::vector<std::string> settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // The database that is always there.
  [[nodiscard]] std::string url() const { return url_of("postgres"); }

  // A new and empty database.
  [[nodiscard]] Result<std::string> fresh_url();

  // Runs statements in the database of `url`, as a person would.
  [[nodiscard]] Result<> sql(const std::string& url, const std::string& statements);

  // Breaks all connections. A crash leaves the data directory to be recovered.
  [[nodiscard]] Result<> stop(bool crash = false);
  [[nodiscard]] Result<> start_again();

  [[nodiscard]] const std::string& socket_directory() const { return dir_.path(); }

 private:
  explicit PostgresServer(std::vector<std::string> settings) : settings_(std::move(settings)) {}

  [[nodiscard]] std::string url_of(const std::string& database) const;
  [[nodiscard]] Result<> initialize();
  [[nodiscard]] Result<> wait_until_ready();
  [[nodiscard]] std::string log() const;

  const std::vector<std::string> settings_;
  TempDir dir_;
  pid_t pid_ = -1;
  int databases_ = 0;
};

// The one that all tests of a program share, started when first asked for.
PostgresServer& shared_postgres();

}  // namespace tyer::testing
