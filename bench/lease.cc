// What a lock costs (L19, L20): taking and giving back alone and against others,
// beside raw files, raw SQLite and proper-lockfile, and how soon a lock comes to
// those who wait.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "env/linux_env.h"
#include "env/wait_readable.h"
#include "lock/waiting.h"
#include "raw_sqlite.h"
#include "report.h"
#include "rounds.h"
#include "store/open.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr Span turn = 250ms;
constexpr Span moment = 1ms;
constexpr int many = 8;
constexpr int kills = 100;

// A store with locks on it, as one process has it.
class Rig {
 public:
  static Result<std::unique_ptr<Rig>> open(const std::string& url) {
    auto rig = std::unique_ptr<Rig>(new Rig);
    TYER_TRY(rig->store_,
             store::open(url, rig->real_.env(), {.durability = store::Durability::normal}));
    rig->engine_.emplace(rig->real_.env(), *rig->store_, rig->catalog_);
    rig->locks_.emplace(*rig->engine_);
    return rig;
  }

  [[nodiscard]] const env::Clock& clock() { return real_.env().clock; }
  [[nodiscard]] env::Processes& processes() { return real_.env().processes; }

  [[nodiscard]] lock::Request request(const std::string& name) {
    const std::string run = uuid7(clock().now(), real_.env().random.bits());
    return {.names = {name}, .holder = real_.env().processes.self(run), .command = "bench"};
  }

  // Takes the lock, waiting for it if need be.
  Result<std::string> take(const std::string& name) {
    const lock::Request wanted = request(name);
    TYER_TRY(const lock::Outcome outcome,
             lock::acquire(*locks_, *store_, wanted, {.at_most = 30s}));
    if (outcome.got.empty()) return fail(Fault::timeout, "no lock within 30 s");
    return wanted.holder.run;
  }

  Result<> give_back(const std::string& name, const std::string& run) {
    TYER_TRY_OK(locks_->release(name, run));
    return {};
  }

  [[nodiscard]] bool somebody_waits() {
    const auto all = locks_->list();
    return all &&
           std::ranges::any_of(*all, [](const lock::Seen& seen) { return seen.waiting > 0; });
  }

  // Cycles of taking and giving back within `at_most`.
  Result<std::uint64_t> cycles(const std::string& name, Span at_most) {
    std::uint64_t done = 0;
    for (const Span end = clock().mono() + at_most; clock().mono() < end; ++done) {
      TYER_TRY(const std::string run, take(name));
      TYER_TRY_OK(give_back(name, run));
    }
    return done;
  }

  // The same without a place in line: whoever is refused tries again in a moment.
  Result<std::uint64_t> tries(const std::string& name, Span at_most) {
    std::uint64_t done = 0;
    for (const Span end = clock().mono() + at_most; clock().mono() < end;) {
      const lock::Request wanted = request(name);
      TYER_TRY(const lock::Outcome outcome, lock::acquire(*locks_, *store_, wanted, {}));
      if (outcome.got.empty()) {
        TYER_TRY_OK(env::wait_any({}, moment));
        continue;
      }
      TYER_TRY_OK(give_back(name, wanted.holder.run));
      ++done;
    }
    return done;
  }

 private:
  Rig() = default;

  env::LinuxEnv real_;
  const core::Catalog catalog_{{}, {}};
  std::unique_ptr<store::Store> store_;
  std::optional<engine::Engine> engine_;
  std::optional<lock::Locks> locks_;
};

double per_second(std::uint64_t count, Span span) {
  return static_cast<double>(count) * 1e6 / static_cast<double>(span.count());
}

Result<double> raw_files(const std::string& path) {
  const env::LinuxClock clock;
  const Span start = clock.mono();
  std::uint64_t done = 0;
  for (; clock.mono() < start + turn; ++done) {
    const int fd = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) return fail(Fault::unavailable, path + " cannot be made");
    ::close(fd);
    ::unlink(path.c_str());
  }
  return per_second(done, clock.mono() - start);
}

// Numbers that forked children count up.
struct Counts {
  std::uint64_t cycles[many];
};

// How eight processes get into each other's way.
enum class Way { own_key, one_key, in_line };

std::string title(const std::string& store, Way way) {
  constexpr std::string_view words[] = {"a key each", "one key", "in line for one key"};
  return fmt::format("tyer, {}, 8 processes, {}", store, words[static_cast<int>(way)]);
}

// Several processes, each with a key of its own or all with one.
class Crowd {
 public:
  struct Result_ {
    double rate = 0;
    double fairness = 0;  // The least by the most.
  };

  static Result<Result_> run(const std::string& url, Way way) {
    auto* counts = static_cast<Counts*>(
        ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    constexpr Span span = 4 * turn;
    int gate[2];
    if (::pipe(gate) != 0) return fail(Fault::unavailable, "no pipe");
    std::vector<pid_t> children;
    for (int i = 0; i < many; ++i) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(work(url, way, i, gate, span, counts->cycles[i]));
      children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);  // Opens it.
    bool good = true;
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      good = good && status == 0;
    }
    const auto [least, most] = std::ranges::minmax(counts->cycles);
    std::uint64_t all = 0;
    for (const std::uint64_t cycles : counts->cycles) all += cycles;
    ::munmap(counts, sizeof(Counts));
    if (!good) return fail(Fault::unavailable, "a contending process failed");
    return Result_{per_second(all, span), static_cast<double>(least) / static_cast<double>(most)};
  }

 private:
  static int work(const std::string& url, Way way, int which, const int* gate, Span span,
                  std::uint64_t& cycles) {
    const auto rig = Rig::open(url);
    if (!rig) return 1;
    ::close(gate[1]);
    char nothing = 0;
    (void)!::read(gate[0], &nothing, 1);
    const std::string key = fmt::format("key-{}", way == Way::own_key ? which : many);
    const auto done = way == Way::one_key ? (*rig)->tries(key, span) : (*rig)->cycles(key, span);
    if (!done) return 1;
    cycles = *done;
    return 0;
  }
};

// Milliseconds from the SIGKILL of a holder until a waiter has the lock.
Result<std::vector<double>> takeovers(const std::string& url) {
  std::vector<double> millis;
  for (int i = 0; i < kills; ++i) {
    int told[2];
    if (::pipe(told) != 0) return fail(Fault::unavailable, "no pipe");
    TYER_TRY(const auto rig, Rig::open(url));
    // A process of its own: one that was forked would first have to let go of all
    // that this one has.
    env::Spawn spawn{.argv = {"/proc/self/exe", "--hold", url},
                     .environment = {{"PATH", "/usr/bin:/bin"}}};
    spawn.output = told[1];
    TYER_TRY(const auto child, rig->processes().spawn(spawn));
    const auto holder = static_cast<pid_t>(child->pid());
    ::close(told[1]);
    char answer = 'n';
    (void)!::read(told[0], &answer, 1);
    ::close(told[0]);
    if (answer != 'y') return fail(Fault::unavailable, "the holder got no lock");

    Span killed_at{};
    std::jthread killer([&] {
      while (!rig->somebody_waits()) std::this_thread::yield();
      // It has queued up; let it lie down, with its connections made.
      for (const Span asleep = rig->clock().mono() + 20ms; rig->clock().mono() < asleep;) {
        std::this_thread::yield();
      }
      killed_at = rig->clock().mono();
      ::kill(holder, SIGKILL);
    });
    TYER_TRY(const std::string run, rig->take("dying"));
    const Span got_at = rig->clock().mono();
    killer.join();
    TYER_TRY_OK(rig->give_back("dying", run));
    millis.push_back(static_cast<double>((got_at - killed_at).count()) / 1e3);
  }
  std::ranges::sort(millis);
  return millis;
}

// The other side of it.
int hold(const std::string& url) {
  const auto rig = Rig::open(url);
  const bool held = rig && (*rig)->take("dying");
  (void)!::write(STDOUT_FILENO, held ? "y" : "n", 1);
  while (true) ::pause();
}

class LeaseBench {
 public:
  explicit LeaseBench(const Options& options) : options_(options) {}

  Result<> run() {
    TYER_TRY(server_, testing::PostgresServer::start({"fsync=on"}));
    urls_ = {{"sqlite", "sqlite:" + (dir_ / "locks.db")},
             {"files", "files:" + (dir_ / "files")},
             {"postgres", server_->url()}};
    TYER_TRY(raw_, RawSqlite::open(dir_ / "raw.db"));
    TYER_TRY_OK(raw_->prepare_lease());
    add("O_EXCL create and unlink", [this] { return raw_files(dir_ / "raw.lock"); });
    add("SQLite itself, insert and delete",
        [this] { return raw_->lease_rate(real_.env().clock, turn); });
    if (has_peer()) add("proper-lockfile", [this] { return peer_rate(); });
    for (const auto& [name, url] : urls_) {
      TYER_TRY(auto rig, Rig::open(url));
      rigs_.push_back(std::move(rig));
      add("tyer, " + name, [rig = rigs_.back().get()]() -> Result<double> {
        TYER_TRY(const std::uint64_t done, rig->cycles("alone", turn));
        return per_second(done, turn);
      });
      for (const Way way : {Way::own_key, Way::one_key, Way::in_line}) {
        add(title(name, way), [this, url, name, way]() -> Result<double> {
          TYER_TRY(const auto result, Crowd::run(url, way));
          fairness_[title(name, way)].push_back(result.fairness);
          return result.rate;
        });
      }
    }
    TYER_TRY_OK(run_rounds(contenders_, options_.rounds, options_.dir));
    for (const auto& [name, url] : urls_) {
      TYER_TRY(takeovers_[name], takeovers(url));
    }
    print();
    return {};
  }

 private:
  void add(const std::string& name, std::function<Result<double>()> round) {
    contenders_.push_back({name, std::move(round)});
  }

  [[nodiscard]] static std::string modules() { return "build/peers"; }
  [[nodiscard]] static bool has_peer() {
    return ::access((modules() + "/node_modules/proper-lockfile").c_str(), R_OK) == 0;
  }

  Result<double> peer_rate() {
    const std::string answer = dir_ / "proper-lockfile.txt";
    const env::Fd output(::open(answer.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600));
    env::Spawn spawn{.argv = {"node", "bench/peers/proper_lockfile.mjs",
                              std::filesystem::absolute(modules()).string(), dir_.path(),
                              fmt::format("{}", turn / 1ms)},
                     .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}}};
    spawn.output = output.get();
    TYER_TRY(const auto child, real_.env().processes.spawn(spawn));
    TYER_TRY_OK(child->wait(30s));
    double rate = 0;
    if (!(std::ifstream(answer) >> rate)) {
      return fail(Fault::unavailable, "proper-lockfile does not run");
    }
    return rate;
  }

  const Contender& find(const std::string& name) const {
    return *std::ranges::find(contenders_, name, &Contender::name);
  }

  void print() const {
    Report report("lease", "Taking a lock and giving it back, cycles a second, without sync",
                  options_.dir);
    const Contender& files = find("O_EXCL create and unlink");
    const Contender& sqlite = find("SQLite itself, insert and delete");
    report.columns({"medians of the rounds", "a second", "x O_EXCL", "x SQLite itself"});
    for (const Contender& one : contenders_) {
      report.row({one.name, figure(one.typical()), times(one.ratio_to(files)),
                  times(one.ratio_to(sqlite))});
    }
    report.require("files by O_EXCL create and unlink", find("tyer, files").ratio_to(files),
                   1.0 / 8);
    report.require("sqlite by SQLite itself", find("tyer, sqlite").ratio_to(sqlite), 1.0 / 3);
    if (has_peer()) {
      for (const std::string name : {"sqlite", "files"}) {
        report.require(name + " by proper-lockfile",
                       find("tyer, " + name).ratio_to(find("proper-lockfile")), 5);
      }
    } else {
      report.note("proper-lockfile is not there: npm install --prefix build/peers proper-lockfile");
    }
    for (const std::string name : {"sqlite", "files"}) {
      const Contender& alone = find("tyer, " + name);
      for (const Way way : {Way::own_key, Way::one_key}) {
        const std::string crowd = title(name, way);
        report.require(crowd + ", together by one alone", find(crowd).ratio_to(alone), 0.5);
        report.require(crowd + ", the least by the most", median(fairness_.at(crowd)), 0.1);
      }
      // Strictly one after the other (L8), so there is no share to ask for: decision 0009.
      const std::string line = title(name, Way::in_line);
      report.require(line + ", the least by the most", median(fairness_.at(line)), 0.1);
      report.note(fmt::format("{}: {:.0f} us from one to the next, {:.2f} of one alone", line,
                              1e6 / find(line).typical(), find(line).ratio_to(alone)));
    }
    for (const auto& [name, millis] : takeovers_) {
      const double p99 = millis[(millis.size() * 99 + 99) / 100 - 1];
      report.note(
          fmt::format("From the holder's SIGKILL to its waiter, {}: median {:.2f} ms, p99 "
                      "{:.2f} ms, most {:.2f} ms",
                      name, millis[millis.size() / 2], p99, millis.back()));
      report.require(name + ", takeover after SIGKILL, p99 in ms", p99, 5, true);
    }
    report.print(options_.json);
  }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  std::unique_ptr<testing::PostgresServer> server_;
  std::vector<std::pair<std::string, std::string>> urls_;
  std::unique_ptr<RawSqlite> raw_;
  std::vector<std::unique_ptr<Rig>> rigs_;
  std::vector<Contender> contenders_;
  std::map<std::string, std::vector<double>> fairness_;
  std::map<std::string, std::vector<double>> takeovers_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--hold") return tyer::bench::hold(argv[2]);
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::LeaseBench(options).run();
  });
}
