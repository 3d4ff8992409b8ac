#include "support/pgbouncer.h"

#include <poll.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/check.h"
#include "support/postgres_server.h"
#include "support/server_process.h"

namespace tyer::testing {
namespace {

constexpr const char* program = "/usr/sbin/pgbouncer";
constexpr int start_looks_max = 3'000;
constexpr int look_every_ms = 10;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

}  // namespace

PgBouncer::PgBouncer(const std::vector<std::string>& settings) {
  const std::string file = dir_ / "pgbouncer.ini";
  {
    std::ofstream config(file);
    config << "[databases]\n* = host=" << shared_postgres().socket_directory()
           << " user=postgres\n[pgbouncer]\nlisten_addr =\nauth_type = any\nunix_socket_dir = "
           << dir_.path() << "\n";
    for (const std::string& setting : settings) config << setting << "\n";
  }
  give_to_servers(dir_.path());
  give_to_servers(file);
  pid_ = start_server({program, file}, dir_ / "log");
  for (int looks = 0; !text_of(dir_ / "log").contains("process up"); ++looks) {
    const bool is_gone = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
    TYER_CHECK(!is_gone && looks < start_looks_max,
               ("pgbouncer does not start (on Debian: apt-get install pgbouncer): " +
                text_of(dir_ / "log"))
                   .c_str());
    ::poll(nullptr, 0, look_every_ms);
  }
}

PgBouncer::~PgBouncer() {
  ::kill(pid_, SIGTERM);
  (void)end_of_server(pid_);
}

std::string PgBouncer::fresh_url() {
  const std::string direct = shared_postgres().fresh_url().value();
  return fmt::format("{}?host={}&port=6432", direct.substr(0, direct.find('?')), dir_.path());
}

}  // namespace tyer::testing
