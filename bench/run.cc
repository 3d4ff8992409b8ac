// What a run of an agent costs beside the agent: the memory of its keeper, and the
// time from the agent's start until what it said first is there for others to read.

#include <fcntl.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/id.h"
#include "base/json.h"
#include "core/limits.h"
#include "core/run.h"
#include "env/beneath_by_name.h"
#include "env/linux_env.h"
#include "env/os_error.h"
#include "report.h"
#include "rounds.h"
#include "run/keeper.h"
#include "store/open.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr int runs_a_round = 50;
constexpr double memory_mb_max = 6;
const std::vector<std::string> agent{"/bin/echo", "hello"};

// Between which two moments a keeper's agent has said something.
struct Stopwatch {
  const env::Clock& clock;
  std::optional<Span> started = {};
  std::optional<Span> heard = {};
};

// A file that says when it was first written to.
class TimedFile final : public env::File {
 public:
  TimedFile(std::unique_ptr<env::File> file, Stopwatch& watch)
      : file_(std::move(file)), watch_(watch) {}

  Result<std::uint64_t> size() const override { return file_->size(); }
  Result<std::string> read(std::uint64_t offset, std::size_t bytes) const override {
    return file_->read(offset, bytes);
  }
  Result<> write(std::uint64_t offset, std::string_view bytes) override {
    Result<> written = file_->write(offset, bytes);
    if (!watch_.heard) watch_.heard = watch_.clock.mono();
    return written;
  }
  Result<> truncate(std::uint64_t size) override { return file_->truncate(size); }
  Result<> sync() override { return file_->sync(); }
  Result<> lock() override { return file_->lock(); }
  Result<bool> try_lock() override { return file_->try_lock(); }
  void unlock() override { file_->unlock(); }
  bool is_current() const override { return file_->is_current(); }
  Result<std::optional<std::uint64_t>> current_size() const override {
    return file_->current_size();
  }

 private:
  std::unique_ptr<env::File> file_;
  Stopwatch& watch_;
};

class TimedFiles final : public env::Files {
 public:
  TimedFiles(env::Files& files, Stopwatch& watch) : files_(files), watch_(watch) {}

  Result<std::unique_ptr<env::File>> open(const std::string& path, env::Open mode) override {
    TYER_TRY(auto file, files_.open(path, mode));
    if (!path.ends_with("/transcript.jsonl")) return file;
    return std::make_unique<TimedFile>(std::move(file), watch_);
  }
  Result<std::string> read(const std::string& path, std::size_t bytes_max) override {
    return files_.read(path, bytes_max);
  }
  Result<> replace(const std::string& path, std::string_view content) override {
    return files_.replace(path, content);
  }
  Result<> remove(const std::string& path) override { return files_.remove(path); }
  Result<> make_directory(const std::string& path) override { return files_.make_directory(path); }
  Result<std::vector<env::Entry>> list(const std::string& path) override {
    return files_.list(path);
  }
  Result<> sync_all(const std::string& path) override { return files_.sync_all(path); }
  std::unique_ptr<env::Files> beneath(const std::string& root) override {
    return std::make_unique<env::BeneathByName>(*this, root);
  }

 private:
  env::Files& files_;
  Stopwatch& watch_;
};

class TimedProcesses final : public env::Processes {
 public:
  TimedProcesses(env::Processes& processes, Stopwatch& watch)
      : processes_(processes), watch_(watch) {}

  core::Sight look(const core::Holder& holder) const override { return processes_.look(holder); }
  core::Place here() const override { return processes_.here(); }
  core::Holder self(std::string run) const override { return processes_.self(std::move(run)); }
  Result<core::Holder> holder(std::int64_t pid, std::string run) const override {
    return processes_.holder(pid, std::move(run));
  }
  Result<std::unique_ptr<env::Child>> spawn(const env::Spawn& spawn) override {
    watch_.started = watch_.clock.mono();
    return processes_.spawn(spawn);
  }
  Result<std::optional<env::Fd>> watch_end(const core::Holder& holder) const override {
    return processes_.watch_end(holder);
  }
  void ring(const std::string& bell) const override { processes_.ring(bell); }

 private:
  env::Processes& processes_;
  Stopwatch& watch_;
};

// A keeper in this process, which is what the program makes of itself behind a front.
class KeeperRig {
 public:
  static Result<std::unique_ptr<KeeperRig>> open(const std::string& url, const std::string& dir) {
    auto rig = std::unique_ptr<KeeperRig>(new KeeperRig(dir));
    TYER_TRY(rig->store_, store::open(url, rig->real_.env(), {}));
    rig->engine_.emplace(rig->env_, *rig->store_, rig->catalog_);
    return rig;
  }

  // Microseconds from the start of the agent until what it said stands in the transcript.
  Result<double> time_a_run() {
    watch_.started = watch_.heard = std::nullopt;
    run::Job job{.id = uuid7(env_.clock.now(), env_.random.bits()),
                 .backend = "command",
                 .directory = dir_,
                 .folder = dir_ + "/runs",
                 .heartbeat = limits::heartbeat_every,
                 .silence = limits::silence_max};
    job.task.argv = agent;
    job.task.prompt = "hello";
    TYER_TRY_OK(run::keep(*engine_, front_, {{"PATH", "/usr/bin:/bin"}}, job));
    if (!watch_.started || !watch_.heard) {
      return fail(Fault::unavailable, fmt::format("{} does not run", agent.front()));
    }
    return static_cast<double>((*watch_.heard - *watch_.started).count());
  }

 private:
  explicit KeeperRig(const std::string& dir)
      : dir_(dir),
        // No signal comes, and the front is gone when we are.
        front_(env::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
               env::Fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))), {}) {}

  const std::string dir_;
  env::LinuxEnv real_;
  Stopwatch watch_{real_.env().clock};
  TimedFiles files_{real_.env().files, watch_};
  TimedProcesses processes_{real_.env().processes, watch_};
  env::Env env_{real_.env().clock, files_, processes_, real_.env().random};
  const env::Front front_;
  const core::Catalog catalog_{{core::run_kind()}, {}};
  std::unique_ptr<store::Store> store_;
  std::optional<engine::Engine> engine_;
};

// Memory that is nobody else's, in megabytes.
double private_memory(std::int64_t pid) {
  std::ifstream rollup(fmt::format("/proc/{}/smaps_rollup", pid));
  double kib = 0;
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Private_")) kib += std::atof(line.c_str() + line.find(':') + 1);
  }
  return kib * 1024 / 1e6;
}

struct Memory {
  std::string name;
  double keeper = 0;
  double front = 0;
};

class RunBench {
 public:
  explicit RunBench(const Options& options) : options_(options) {
    variables_ = {"PATH=/usr/bin:/bin", "HOME=" + dir_.path()};
  }

  Result<> run() {
    if (::access(TYER_PROGRAM, X_OK) != 0) {
      return fail(Fault::not_found, TYER_PROGRAM " is not there; build the target tyer first");
    }
    add("posix_spawn and a pipe", [this] { return time_words(agent); });
    for (const auto& [name, url] : stores()) {
      TYER_TRY(rigs_.emplace_back(), KeeperRig::open(url, dir_.path()));
      add("keeper, " + name, [rig = rigs_.back().get()] { return rig->time_a_run(); });
    }
    for (const auto& [name, url] : stores()) {
      add("tyer agent run, " + name, [this, url] {
        return time_words({TYER_PROGRAM, "agent", "run", "--backend", "command", "--prompt",
                           "hello", "--store", url, "--", agent[0], agent[1]});
      });
    }
    for (int i = -1; i < options_.rounds * runs_a_round; ++i) {
      for (Contender& contender : contenders_) {
        TYER_TRY(const double micros, contender.round());
        if (i >= 0) contender.figures.push_back(micros);
      }
    }
    for (const auto& [name, url] : stores()) {
      TYER_TRY_OK(weigh("command, " + name, url,
                        {"--backend", "command", "--prompt", "hello", "--", "/bin/sh", "-c",
                         "echo hello; exec sleep 600"}));
      TYER_TRY_OK(weigh("command after lines of 7 MB, " + name, url,
                        {"--backend", "command", "--prompt", "hello", "--", "/bin/sh", "-c",
                         "for i in 1 2 3; do head -c 7000000 /dev/zero | tr '\\0' x; echo; done; "
                         "echo hello; exec sleep 600"}));
      TYER_TRY_OK(weigh(
          "demo agent after 20 MB of output, " + name, url,
          {"--backend", "demo", "--prompt", "demo: flood 20000000\ndemo: say hello\ndemo: hang"}));
    }
    print();
    return {};
  }

 private:
  void add(const std::string& name, std::function<Result<double>()> round) {
    contenders_.push_back({name, std::move(round)});
  }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  }

  // Microseconds from the call to the first byte that the process writes.
  Result<double> time_words(std::vector<std::string> words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Fault::unavailable, "there is no pipe");
    const env::Fd reading(ends[0]);
    env::Fd writing(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, dir_.path().c_str());
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> variables = pointers(variables_);
    const env::Clock& clock = real_.env().clock;
    pid_t pid = -1;
    const Span begin = clock.mono();
    const int failed =
        ::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), variables.data());
    writing = env::Fd();
    char first = 0;
    const ssize_t got = env::uninterrupted([&] { return ::read(reading.get(), &first, 1); });
    const Span took = clock.mono() - begin;
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    if (failed == 0) ::waitpid(pid, &status, 0);
    if (failed != 0 || status != 0 || got != 1) {
      return fail(Fault::unavailable, fmt::format("{} does not run", words[0]));
    }
    return static_cast<double>(took.count());
  }

  testing::ProgramCall tyer(std::vector<std::string> words) const {
    return {.words = std::move(words),
            .directory = dir_.path(),
            .environment = {{"HOME", dir_.path()}}};
  }

  // The memory of a keeper whose agent has said hello and goes on. Nobody else who could
  // share pages with it runs then, but for its front.
  Result<> weigh(const std::string& name, const std::string& url, std::vector<std::string> words) {
    words.insert(words.begin(), {"agent", "run", "--detach", "--store", url});
    const testing::ProgramResult started = run_program(tyer(std::move(words)));
    const std::string id = started.out.substr(0, started.out.find('\n'));
    const bool speaks =
        testing::Program(tyer({"runs", "follow", id, "--store", url})).wait_for("hello");
    const auto shown =
        parse_json_object(run_program(tyer({"runs", "show", id, "--json", "--store", url})).out);
    if (speaks && shown) {
      memories_.push_back({.name = name,
                           .keeper = private_memory(int_or(*shown, "keeperPid")),
                           .front = private_memory(int_or(*shown, "frontPid"))});
    }
    (void)run_program(tyer({"runs", "stop", id, "--store", url}));
    (void)run_program(tyer({"runs", "follow", id, "--store", url}));
    if (speaks && shown) return {};
    return fail(Fault::unavailable,
                fmt::format("there is no run to weigh with {}: {}", name, started.err));
  }

  void print() const {
    Report report("run", "From the start of a command to the first that it says, microseconds",
                  options_.dir);
    const Contender& bare = contenders_.front();
    report.columns({"medians", "microseconds", "x posix_spawn"});
    for (const Contender& one : contenders_) {
      report.row({one.name, figure(one.typical()), times(one.ratio_to(bare))});
    }
    for (std::size_t i = 1; i <= rigs_.size(); ++i) {
      report.require(contenders_[i].name + ", start to transcript by posix_spawn to pipe",
                     contenders_[i].ratio_to(bare), 2, true);
    }
    for (const Memory& one : memories_) {
      report.note(fmt::format("{}: keeper {:.2f} MB and its front {:.2f} MB of private memory",
                              one.name, one.keeper, one.front));
      report.require(one.name + ", keeper's private memory in MB", one.keeper, memory_mb_max, true);
    }
    report.print(options_.json);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> stores() const {
    return {{"sqlite", "sqlite:" + (dir_ / "runs.db")}, {"files", "files:" + (dir_ / "store")}};
  }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  std::vector<std::string> variables_;
  std::vector<std::unique_ptr<KeeperRig>> rigs_;
  std::vector<Contender> contenders_;
  std::vector<Memory> memories_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  // A reader that goes away is seen where it is written to.
  std::signal(SIGPIPE, SIG_IGN);
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::RunBench(options).run();
  });
}
