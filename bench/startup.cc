// How long a command takes that does next to nothing. Agents' hooks call tyer on
// every use of a tool, so its start is part of what it costs (P2).

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "env/linux_env.h"
#include "report.h"
#include "rounds.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr int runs_a_round = 50;

class StartupBench {
 public:
  explicit StartupBench(const Options& options)
      : options_(options), variables_{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir_.path()} {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ~StartupBench() { posix_spawn_file_actions_destroy(&actions_); }
  StartupBench(const StartupBench&) = delete;
  StartupBench& operator=(const StartupBench&) = delete;

  Result<> run() {
    if (::access(TYER_PROGRAM, X_OK) != 0) {
      return fail(Fault::not_found, TYER_PROGRAM " is not there; build the target tyer first");
    }
    add("true", {"/bin/true"});
    add("flock --version", {"flock", "--version"});
    add("flock FILE true", {"flock", dir_ / "lock", "/bin/true"});
    add("flock -n FILE true", {"flock", "-n", dir_ / "lock", "/bin/true"});
    add("tyer version", {TYER_PROGRAM, "version"});
    for (const auto& [name, url] : stores()) {
      std::vector<std::string> acquire{TYER_PROGRAM, "lock",    "acquire", "held",       "--pid",
                                       "1",          "--store", url,       "--no-keeper"};
      TYER_TRY_OK(start(acquire));
      add("tyer lock check, " + name, {TYER_PROGRAM, "lock", "check", "held", "--store", url});
      add("tyer run KEY -- true, " + name, {TYER_PROGRAM, "run", "free", "--store", url,
                                            "--durability", "normal", "--", "/bin/true"});
    }
    for (int i = -1; i < options_.rounds * runs_a_round; ++i) {
      for (std::size_t j = 0; j < commands_.size(); ++j) {
        TYER_TRY(const double micros, start(commands_[j]));
        if (i >= 0) contenders_[j].figures.push_back(micros);
      }
    }
    print();
    return {};
  }

 private:
  void add(const std::string& name, std::vector<std::string> words) {
    contenders_.push_back({name, {}});
    commands_.push_back(std::move(words));
  }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  }

  // Microseconds from the call to the end of the process.
  Result<double> start(std::vector<std::string>& words) {
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> variables = pointers(variables_);
    const env::Clock& clock = real_.env().clock;
    pid_t pid = -1;
    int status = 0;
    const Span begin = clock.mono();
    const int failed =
        ::posix_spawnp(&pid, argv[0], &actions_, nullptr, argv.data(), variables.data());
    if (failed == 0) ::waitpid(pid, &status, 0);
    const Span took = clock.mono() - begin;
    if (failed != 0 || status != 0) {
      return fail(Fault::unavailable, fmt::format("{} does not run", words[0]));
    }
    return static_cast<double>(took.count());
  }

  void print() const {
    Report report("startup", "From the start of a command to its end, microseconds", options_.dir);
    report.columns({"medians", "microseconds", "x flock FILE true", "x flock --version"});
    for (const Contender& one : contenders_) {
      report.row({one.name, figure(one.typical()), times(one.ratio_to(contenders_[2])),
                  times(one.ratio_to(contenders_[1]))});
    }
    report.require("tyer version by flock FILE true", contenders_[4].ratio_to(contenders_[2]), 2,
                   true);
    for (const auto& [name, url] : stores()) {
      report.require("tyer lock check by flock FILE true, " + name,
                     find("tyer lock check, " + name).ratio_to(contenders_[2]), 2, true);
      report.require("tyer run KEY -- true by flock FILE true, " + name,
                     find("tyer run KEY -- true, " + name).ratio_to(contenders_[2]), 3, true);
    }
    report.print(options_.json);
  }

  const Contender& find(const std::string& name) const {
    return *std::ranges::find(contenders_, name, &Contender::name);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> stores() const {
    return {{"sqlite", "sqlite:" + (dir_ / "locks.db")}, {"files", "files:" + (dir_ / "locks")}};
  }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  std::vector<std::string> variables_;
  posix_spawn_file_actions_t actions_{};
  std::vector<std::vector<std::string>> commands_;
  std::vector<Contender> contenders_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::StartupBench(options).run();
  });
}
