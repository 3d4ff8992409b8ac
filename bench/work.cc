// From a comment to the agent's process (W18): tyer beside a hub and a worker on Node that do the
// same, and beside a program that only starts the agent. And the memory of a worker that waits.
// What is asked for is asked of two processes as on Node; both in one are there to be seen.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <span>
#include <tuple>

#include "agent_start.h"
#include "base/json.h"
#include "env/linux_env.h"
#include "env/wait_readable.h"
#include "hub_load.h"
#include "report.h"
#include "rounds.h"
#include "server.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr int comments_a_round = 40;
constexpr int new_agents = 5;
constexpr int new_sessions = 4;  // Of one agent: more than five it may not have.
constexpr int cold_starts = 20;
constexpr std::size_t fillers = 64;
constexpr Span fill_turn = 2s;
constexpr Span pause = 100ms;     // From an answer until everything waits again.
constexpr Span look_every = 2ms;  // For an answer.
constexpr double worker_mb_max = 8;
constexpr double new_session_ms_max = 100;
constexpr const char* only_post = "/api/posts/1";  // Where there is one.

double percentile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size()));
  return values[std::min(at, values.size() - 1)];
}

// Of each hundred as they came: what the machine does to everybody for a while is in some of them.
std::vector<double> tails(const std::vector<double>& micros) {
  constexpr std::size_t many = 100;
  std::vector<double> all;
  for (auto rest = std::span(micros); rest.size() >= many; rest = rest.subspan(many)) {
    all.push_back(percentile({rest.begin(), rest.begin() + many}, 0.99));
  }
  return all;
}

// Resident memory, in megabytes.
double resident_memory(int pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::atof(line.c_str() + 6) * 1024 / 1e6;
  }
  return 0;
}

// All processes below this one.
std::vector<int> below(int pid) {
  std::vector<int> all;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid))) {
    std::ifstream children(thread.path() / "children");
    for (int child = 0; children >> child;) {
      all.push_back(child);
      const std::vector<int> more = below(child);
      all.insert(all.end(), more.begin(), more.end());
    }
  }
  return all;
}

class WorkBench {
 public:
  explicit WorkBench(const Options& options) : options_(options) {}

  Result<> run() {
    if (::access(TYER_PROGRAM, X_OK) != 0) {
      return fail(Fault::not_found, TYER_PROGRAM " is not there; build the target tyer first");
    }
    TYER_TRY_OK(measure_comments());
    TYER_TRY_OK(measure_worker());
    print();
    return {};
  }

 private:
  // Who takes comments, and what its thread is called.
  struct Peer {
    std::string name;
    Asker asker;
    std::string path;
    bool answers;
    std::string key = {};
    std::vector<double> micros = {};
  };

  Result<> measure_comments() {
    // A hub and a worker, two processes with a store each, as on Node.
    TYER_TRY(const auto pair, start_tyer("serve", "pair"));
    TYER_TRY(Peer tyer, meet("tyer serve, tyer worker", *pair, "pair.db-wal"));
    const testing::Program worker(worker_of(*pair, tyer.key));
    peers_.push_back(std::move(tyer));
    TYER_TRY(const auto hub, start_tyer("up", "hub"));
    TYER_TRY(Peer both, meet("tyer up, one process", *hub, "hub.db-wal"));
    peers_.push_back(std::move(both));

    std::unique_ptr<Serving> node;
    std::unique_ptr<Serving> node_worker;
    if (has_module("better-sqlite3/build/Release/better_sqlite3.node")) {
      TYER_TRY(node, start_node("work_hub.mjs", {node_modules(), dir_ / "node.db"}));
      std::vector<std::string> words{std::to_string(node->port())};
      words.insert(words.end(), agent_.begin(), agent_.end());
      TYER_TRY_OK(fill_log(node->port(), only_post, "node.db-wal"));
      TYER_TRY(node_worker, start_node("work_worker.mjs", words));
      TYER_TRY(auto asker, Asker::open(node->port()));
      peers_.push_back({"hub and worker on Node", std::move(asker), only_post, true});
    }

    testing::ProgramCall call{.words = {"--bare-spawner"}, .program = self_.string()};
    call.words.insert(call.words.end(), agent_.begin(), agent_.end());
    TYER_TRY(const auto bare, Serving::start(call, "port ", "ready\n"));
    TYER_TRY(auto bare_asker, Asker::open(bare->port()));
    peers_.push_back({"bare epoll and posix_spawn", std::move(bare_asker), only_post, false});

    for (int i = -comments_a_round / 4; i < options_.rounds * comments_a_round; ++i) {
      for (std::size_t j = 0; j < peers_.size(); ++j) {
        // There and back: nobody always comes after the same one.
        Peer& peer = peers_[i % 2 == 0 ? j : peers_.size() - 1 - j];
        TYER_TRY(const double micros, time_comment(peer, "@fast go"));
        if (i >= 0) peer.micros.push_back(micros);
      }
    }
    return measure_new_sessions(peers_[1]);  // Its worker serves all agents.
  }

  // With an agent and a thread to write in.
  Result<Peer> meet(const std::string& name, const Serving& hub, const std::string& log) {
    TYER_TRY(auto asker, Asker::open(hub.port()));
    TYER_TRY(const std::string key, make_agent(asker, "fast"));
    TYER_TRY(const std::string post, write_post(asker));
    TYER_TRY(const std::string filled, write_post(asker));
    TYER_TRY_OK(fill_log(hub.port(), filled, log));
    return Peer{name, std::move(asker), post, true, key};
  }

  // Of all agents, with a store of its own.
  testing::ProgramCall worker_of(const Serving& hub, const std::string& key) {
    const std::string url = fmt::format("http://127.0.0.1:{}", hub.port());
    return {.words = {"worker", "--all-sessions", "--url", url},
            .directory = elsewhere_.path(),
            .environment = {{"HOME", elsewhere_.path()}, {"TYER_API_KEY", key}}};
  }

  // Sessions that nobody has written to before.
  Result<> measure_new_sessions(Peer& hub) {
    for (int i = 0; i < new_agents; ++i) {
      TYER_TRY_OK(make_agent(hub.asker, fmt::format("new{}", i)));
      for (int j = 0; j < new_sessions; ++j) {
        // Of the thread before, others would hear too.
        TYER_TRY(hub.path, write_post(hub.asker));
        TYER_TRY(new_session_.emplace_back(),
                 time_comment(hub, fmt::format("@new{}/s{} go", i, j)));
      }
    }
    return {};
  }

  // A worker of its own, with a store of its own, as on another machine.
  Result<> measure_worker() {
    TYER_TRY(const auto hub, start_tyer("serve", "far"));
    TYER_TRY(auto asker, Asker::open(hub->port()));
    TYER_TRY(const std::string key, make_agent(asker, "fast"));
    TYER_TRY(const std::string post, write_post(asker));
    Peer peer{"worker", std::move(asker), post, true};
    const testing::ProgramCall call = worker_of(*hub, key);
    std::unique_ptr<testing::Program> worker;
    for (int i = 0; i < cold_starts; ++i) {
      // It waits before there is a worker.
      worker.reset();
      TYER_TRY(const std::int64_t before, comment_count(peer));
      TYER_TRY_OK(peer.asker.ask("POST", post + "/comments", R"({"content":"@fast go"})"));
      const Span begin = clock().mono();
      worker = std::make_unique<testing::Program>(call);
      TYER_TRY(const Span started, bell_.wait(clock()));
      cold_start_.push_back(micros_of(started - begin));
      TYER_TRY_OK(wait_for_answer(peer, before + 2));
    }
    for (int i = 0; i < comments_a_round / 4; ++i) TYER_TRY_OK(time_comment(peer, "@fast go"));
    TYER_TRY_OK(env::wait_any({}, 10 * pause));
    worker_mb_ = resident_memory(worker->pid());
    for (const int pid : below(worker->pid())) {
      const double mb = resident_memory(pid);
      if (mb > 0) spares_mb_.push_back(mb);
    }
    return {};
  }

  Result<std::unique_ptr<Serving>> start_tyer(const std::string& verb, const std::string& name) {
    return Serving::start(
        {.words = {verb, "--listen", "127.0.0.1:0", "--open-loopback", "--json", "--store",
                   "sqlite:" + (dir_ / (name + ".db")), "--durability", "full"},
         .directory = dir_.path(),
         .environment = {{"HOME", dir_.path()}}},
        "127.0.0.1:", "}\n");
  }

  // Its key.
  Result<std::string> make_agent(Asker& asker, const std::string& name) {
    const Json body{{"name", name}, {"type", "command"}, {"command", agent_}};
    TYER_TRY(const std::string made, asker.ask("POST", "/api/keys", dump_json(body)));
    TYER_TRY(const Json known, parse_json_object(made));
    return text_or(known, "key");
  }

  Result<std::string> write_post(Asker& asker) {
    const std::string name = fmt::format("feed{}", ++feeds_);
    TYER_TRY(const std::string feed, asker.ask("POST", "/api/feeds", dump_json({{"name", name}})));
    TYER_TRY(const Json made, parse_json_object(feed));
    TYER_TRY(const std::string written,
             asker.ask("POST", fmt::format("/api/feeds/{}/posts", text_or(made, "id")),
                       R"({"title":"A post","content":"Something to talk about."})"));
    TYER_TRY(const Json known, parse_json_object(written));
    return "/api/posts/" + text_or(known, "id");
  }

  // Until the log of the store has its full size and is used again from its start: while it still
  // grows, every sync costs more.
  Result<> fill_log(int port, const std::string& post, const std::string& log) {
    Load load(port, "POST", post + "/comments",
              dump_json({{"content", "nobody " + std::string(100, 'y')}}));
    TYER_TRY_OK(load.open(fillers));
    for (std::uintmax_t before = 0, now = 1; now > before;) {
      before = now;
      TYER_TRY_OK(load.run(clock(), fill_turn));
      std::error_code none;
      now = std::filesystem::file_size(dir_ / log, none);
    }
    return {};
  }

  // Microseconds from the request to the agent's first act. All is at rest before and afterwards.
  Result<double> time_comment(Peer& peer, const std::string& text) {
    std::int64_t before = 0;
    if (peer.answers) {
      TYER_TRY(before, comment_count(peer));
    }
    const std::string body = dump_json({{"content", text}});
    const Span begin = clock().mono();
    TYER_TRY_OK(peer.asker.send("POST", peer.path + "/comments", body));
    const auto started = bell_.wait(clock());
    if (!started) return fail(started.error().fault, peer.name + ": " + started.error().what);
    TYER_TRY_OK(peer.asker.receive());
    TYER_TRY_OK(wait_for_answer(peer, before + 2));
    return micros_of(*started - begin);
  }

  Result<std::int64_t> comment_count(Peer& peer) {
    TYER_TRY(const std::string text, peer.asker.ask("GET", peer.path));
    TYER_TRY(const Json post, parse_json_object(text));
    return int_or(post, "comment_count");
  }

  Result<> wait_for_answer(Peer& peer, std::int64_t count) {
    const Span until = clock().mono() + answer_millis_max * 1ms;
    while (peer.answers) {
      TYER_TRY(const std::int64_t now, comment_count(peer));
      if (now >= count) break;
      if (clock().mono() > until) return fail(Fault::timeout, peer.name + " has not answered");
      TYER_TRY_OK(env::wait_any({}, look_every));
    }
    TYER_TRY_OK(env::wait_any({}, pause / 2));
    const env::Fd place(::open(options_.dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ::syncfs(place.get());
    TYER_TRY_OK(env::wait_any({}, pause / 2));
    return {};
  }

  static double micros_of(Span span) { return static_cast<double>(span.count()); }

  void add_row(Report& report, const std::string& name, const std::vector<double>& micros) const {
    const std::vector<double>& ours = peers_.front().micros;
    report.row({name, figure(percentile(micros, 0.5)), figure(percentile(micros, 0.99)),
                times(percentile(micros, 0.5) / percentile(ours, 0.5)),
                times(percentile(micros, 0.99) / percentile(ours, 0.99))});
  }

  void print() const {
    Report report("work", "From a comment to the start of its agent, microseconds", options_.dir);
    report.columns({"", "p50", "p99", "p50 x tyer", "p99 x tyer"});
    for (const Peer& peer : peers_) add_row(report, peer.name, peer.micros);
    add_row(report, "tyer, first run of a new session", new_session_);
    add_row(report, "tyer worker, from its start", cold_start_);
    const Peer& tyer = peers_.front();
    const Peer& bare = peers_.back();
    if (peers_.size() == 4) {
      for (const auto& [name, part, at_least] : {std::tuple{"p50", 0.5, 1.5}, {"p99", 0.99, 1.2}}) {
        report.require(fmt::format("comment to agent, {}, Node by tyer", name),
                       percentile(peers_[2].micros, part) / percentile(tyer.micros, part),
                       at_least);
      }
    } else {
      report.note("Node is not there: npm install --prefix build/peers better-sqlite3");
    }
    report.require("comment to agent, p50, by bare epoll and posix_spawn",
                   percentile(tyer.micros, 0.5) / percentile(bare.micros, 0.5), 3, true);
    report.require("first run of a new session, p99 in ms", percentile(new_session_, 0.99) / 1000,
                   new_session_ms_max, true);
    report.require("from the start of a worker to its first agent, p99 in ms",
                   percentile(cold_start_, 0.99) / 1000, new_session_ms_max, true);
    report.require("idle worker, resident memory in MB", worker_mb_, worker_mb_max, true);
    for (const Peer& peer : peers_) {
      std::string each;
      for (const double tail : tails(peer.micros)) each += " " + figure(tail);
      if (each.empty()) continue;
      report.note(fmt::format("Slowest of each hundred, {}:{}", peer.name, each));
    }
    std::string spares;
    for (const double one : spares_mb_) spares += fmt::format(" {:.1f}", one);
    report.note(fmt::format("Resident memory of what waits below the idle worker, MB:{}", spares));
    report.print(options_.json);
  }

  [[nodiscard]] const env::Clock& clock() { return real_.env().clock; }

  const Options& options_;
  testing::TempDir dir_;
  testing::TempDir elsewhere_;
  env::LinuxEnv real_;
  const StartBell bell_;
  const std::filesystem::path self_ = std::filesystem::read_symlink("/proc/self/exe");
  const std::vector<std::string> agent_{self_.parent_path() / "work_agent", StartBell::name()};
  int feeds_ = 0;
  std::vector<Peer> peers_;
  std::vector<double> new_session_;
  std::vector<double> cold_start_;
  double worker_mb_ = 0;
  std::vector<double> spares_mb_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words[0] == "--bare-spawner") {
    return tyer::bench::serve_spawns({words.begin() + 1, words.end()}) ? 0 : 1;
  }
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::WorkBench(options).run();
  });
}
