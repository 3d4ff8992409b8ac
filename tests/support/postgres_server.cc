#include "support/postgres_server.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/check.h"
#include "env/linux_clock.h"
#include "store/postgres_conn.h"
#include "support/server_process.h"

namespace tyer::testing {
namespace {

constexpr Span start_max = 60s;
constexpr Span look_every = 10ms;

// The newest of the installed ones.
Result<std::string> find_programs() {
  int newest = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    newest = std::max(newest, std::atoi(entry.path().filename().c_str()));
  }
  if (newest > 0) return fmt::format("/usr/lib/postgresql/{}/bin", newest);
  return fail(Fault::not_found,
              "PostgreSQL is not installed (on Debian: apt-get install postgresql)");
}

}  // namespace

Result<std::unique_ptr<PostgresServer>> PostgresServer::start(std::vector<std::string> settings) {
  std::unique_ptr<PostgresServer> server(new PostgresServer(std::move(settings)));
  TYER_TRY_OK(server->initialize());
  TYER_TRY_OK(server->start_again());
  return server;
}

PostgresServer::~PostgresServer() {
  (void)stop(true);
}

Result<std::string> PostgresServer::fresh_url() {
  const std::string name = fmt::format("test_{}", ++databases_);
  TYER_TRY_OK(sql(url(), "CREATE DATABASE " + name));
  return url_of(name);
}

Result<> PostgresServer::sql(const std::string& url, const std::string& statements) {
  TYER_TRY(const store::Libpq* const pq, store::libpq());
  TYER_TRY(const store::Address address, store::parse_address(*pq, url));
  const env::LinuxClock clock;
  TYER_TRY(const auto connection,
           store::Connection::connect(*pq, address, clock, "SET client_min_messages = warning"));
  return connection->script(statements);
}

Result<> PostgresServer::stop(bool crash) {
  if (pid_ < 0) return {};
  ::kill(pid_, crash ? SIGQUIT : SIGINT);
  (void)end_of_server(pid_);
  pid_ = -1;
  return {};
}

Result<> PostgresServer::start_again() {
  TYER_CHECK(pid_ < 0, "the server is stopped");
  TYER_TRY(const std::string programs, find_programs());
  std::vector<std::string> command{programs + "/postgres", "-D", dir_ / "data", "-k", dir_.path()};
  for (const char* setting : {"listen_addresses=", "fsync=off", "max_connections=100"}) {
    command.insert(command.end(), {"-c", setting});
  }
  for (const std::string& setting : settings_) command.insert(command.end(), {"-c", setting});
  pid_ = start_server(command, dir_ / "log");
  if (pid_ < 0) return fail(Fault::unavailable, "no new process can be started");
  return wait_until_ready();
}

std::string PostgresServer::url_of(const std::string& database) const {
  return fmt::format("postgres://postgres@/{}?host={}", database, dir_.path());
}

Result<> PostgresServer::initialize() {
  TYER_TRY(const std::string programs, find_programs());
  give_to_servers(dir_.path());
  const pid_t pid = start_server({programs + "/initdb", "-D", dir_ / "data", "-U", "postgres", "-A",
                                  "trust", "-E", "UTF8", "--locale=C", "-N", "--no-instructions"},
                                 dir_ / "log");
  if (pid > 0 && end_of_server(pid) == 0) return {};
  return fail(Fault::unavailable, "initdb failed: " + log());
}

Result<> PostgresServer::wait_until_ready() {
  for (Span waited{0}; waited < start_max; waited += look_every) {
    if (sql(url(), "SELECT 1")) return {};
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = -1;
      break;
    }
    ::poll(nullptr, 0, static_cast<int>(look_every / 1ms));
  }
  return fail(Fault::unavailable, "the server does not start: " + log());
}

std::string PostgresServer::log() const {
  std::ostringstream text;
  text << std::ifstream(dir_ / "log").rdbuf();
  return std::move(text).str();
}

PostgresServer& shared_postgres() {
  static const std::unique_ptr<PostgresServer> server = [] {
    auto started = PostgresServer::start();
    TYER_CHECK(started.has_value(), started ? "" : started.error().what.c_str());
    return *std::move(started);
  }();
  return *server;
}

}  // namespace tyer::testing
