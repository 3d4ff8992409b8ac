// What the hub costs (H26): the memory of a stream, how soon an event is with everybody and a
// comment with the one who waits for it, and reads per second of processor time.

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "bare_hub.h"
#include "base/json.h"
#include "env/linux_env.h"
#include "hub_load.h"
#include "report.h"
#include "rounds.h"
#include "server.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr std::size_t idle_streams = 10'000;
constexpr std::size_t fan_out_streams = 1'000;
constexpr std::size_t spare_descriptors = 200;
constexpr std::size_t readers = 64;
constexpr int events_a_turn = 5;
constexpr int comments_a_turn = 15;
constexpr Span turn = 1500ms;  // Processor time is told in hundredths of a second.
constexpr double stream_bytes_max = 4096;

// Memory that is nobody else's, in bytes.
double private_memory(int pid) {
  std::ifstream rollup(fmt::format("/proc/{}/smaps_rollup", pid));
  double kib = 0;
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Private_")) kib += std::atof(line.c_str() + line.find(':') + 1);
  }
  return kib * 1024;
}

// Seconds that all threads of a process have run.
double processor_seconds(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// Everybody may have as many descriptors as the system allows at all.
std::size_t raise_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(limit.rlim_cur);
}

class HubBench {
 public:
  explicit HubBench(const Options& options) : options_(options) {}

  Result<> run() {
    descriptors_ = raise_descriptors();
    if (::access(TYER_PROGRAM, X_OK) != 0) {
      return fail(Fault::not_found, TYER_PROGRAM " is not there; build the target tyer first");
    }
    TYER_TRY(hub_, start_hub("hub"));
    TYER_TRY_OK(write_post());
    TYER_TRY_OK(measure_reads());
    TYER_TRY_OK(fill_log());
    TYER_TRY_OK(measure_comments());
    TYER_TRY_OK(measure_fan_out());
    hub_.reset();
    TYER_TRY_OK(weigh_streams());
    print();
    return {};
  }

 private:
  // Nobody logs in: a key would be two rows more to read, and its peers know no keys.
  Result<std::unique_ptr<Serving>> start_hub(const std::string& name) {
    return Serving::start({.words = {"serve", "--listen", "127.0.0.1:0", "--open-loopback",
                                     "--json", "--store", "sqlite:" + (dir_ / (name + ".db"))},
                           .directory = dir_.path(),
                           .environment = {{"HOME", dir_.path()}}},
                          "127.0.0.1:", "}\n");
  }

  // The post that is read and commented on.
  Result<> write_post() {
    TYER_TRY(auto asker, Asker::open(hub_->port()));
    TYER_TRY(const std::string feed, asker.ask("POST", "/api/feeds", R"({"name":"bench"})"));
    TYER_TRY(const Json made, parse_json_object(feed));
    const Json post{{"title", "A post"}, {"content", std::string(300, 'x')}};
    TYER_TRY(const std::string written,
             asker.ask("POST", fmt::format("/api/feeds/{}/posts", text_or(made, "id")),
                       dump_json(post)));
    TYER_TRY(const Json known, parse_json_object(written));
    post_ = "/api/posts/" + text_or(known, "id");
    TYER_TRY(post_text_, asker.ask("GET", post_));
    return {};
  }

  Result<> measure_reads() {
    std::vector<std::unique_ptr<Load>> loads;
    std::vector<std::unique_ptr<Serving>> nodes;
    const auto add = [&](const std::string& name, const Serving& server) -> Result<> {
      loads.push_back(std::make_unique<Load>(server.port(), "GET", post_));
      TYER_TRY_OK(loads.back()->open(readers));
      reads_.push_back({name, [this, &server, load = loads.back().get()]() -> Result<double> {
                          const double before = processor_seconds(server.pid());
                          TYER_TRY(const std::uint64_t answers, load->run(clock(), turn));
                          return static_cast<double>(answers) /
                                 (processor_seconds(server.pid()) - before);
                        }});
      return {};
    };
    TYER_TRY_OK(add("tyer, reads a processor second", *hub_));
    std::vector<std::string> words{node_modules(), post_text_};
    if (has_module("@hono/node-server")) {
      TYER_TRY(nodes.emplace_back(), start_node("hono.mjs", words));
      TYER_TRY_OK(add("Hono on Node, from memory", *nodes.back()));
    }
    if (!nodes.empty() && has_module("better-sqlite3/build/Release/better_sqlite3.node")) {
      words.push_back(dir_ / "hub.db");
      TYER_TRY(nodes.emplace_back(), start_node("hono.mjs", words));
      TYER_TRY_OK(add("Hono on Node, from SQLite", *nodes.back()));
    }
    return run_rounds(reads_, options_.rounds, options_.dir);
  }

  // Until the log of the store has its full size and is used again from its start, as its peer's
  // is: while it still grows, every sync costs more.
  Result<> fill_log() {
    Load load(hub_->port(), "POST", post_ + "/comments", comment_with(new_word()));
    TYER_TRY_OK(load.open(readers));
    const std::string log = dir_ / "hub.db-wal";
    for (std::uintmax_t before = 0, now = 1; now > before;) {
      before = now;
      TYER_TRY_OK(load.run(clock(), 2 * turn));
      std::error_code none;
      now = std::filesystem::file_size(log, none);
    }
    return {};
  }

  // A word that nobody has heard yet.
  std::string new_word() { return fmt::format("word-{:08}", ++words_); }

  [[nodiscard]] static std::string comment_with(const std::string& word) {
    return fmt::format(R"({{"content":"{} {}"}})", word, std::string(100, 'y'));
  }

  // Microseconds from a post until all these streams have it.
  Result<double> time_post(Asker& asker, Streams& streams, const std::string& path,
                           const std::string& word, const std::string& body) {
    const Span begin = clock().mono();
    TYER_TRY_OK(asker.send("POST", path, body));
    TYER_TRY_OK(streams.wait_for(word));
    const Span took = clock().mono() - begin;
    TYER_TRY_OK(asker.receive());
    return static_cast<double>(took.count());
  }

  Result<> measure_comments() {
    TYER_TRY(const auto bare, Serving::start({.words = {"--bare-hub", dir_ / "bare.db"},
                                              .program = "/proc/self/exe"},
                                             "port ", "ready\n"));
    const auto contest = [&](Asker& asker, Streams& streams) -> Result<double> {
      std::vector<double> micros;
      for (int i = 0; i < comments_a_turn; ++i) {
        const std::string word = new_word();
        TYER_TRY_OK(streams.drain());  // The hub's rules look at each comment afterwards.
        TYER_TRY(micros.emplace_back(),
                 time_post(asker, streams, post_ + "/comments", word, comment_with(word)));
      }
      return median(micros);
    };
    Streams bare_stream(bare->port(), "/stream");
    Streams hub_stream(hub_->port(), "/api/events/stream");
    TYER_TRY_OK(bare_stream.open(1));
    TYER_TRY_OK(hub_stream.open(1));
    TYER_TRY(auto bare_asker, Asker::open(bare->port()));
    TYER_TRY(auto hub_asker, Asker::open(hub_->port()));
    comments_.push_back({"bare epoll and SQLite, comment to stream",
                         [&] { return contest(bare_asker, bare_stream); }});
    comments_.push_back(
        {"tyer, comment to stream", [&] { return contest(hub_asker, hub_stream); }});
    TYER_TRY_OK(run_rounds(comments_, options_.rounds, options_.dir));
    event_ = hub_stream.last();
    return {};
  }

  // What a stream was sent for one comment, with another word in it.
  [[nodiscard]] std::string event_with(const std::string& word) const {
    const std::size_t from = event_.find("id: ");
    std::string text = event_.substr(from, event_.find("\n\n", from) + 2 - from);
    return text.replace(text.find("word-"), word.size(), word);
  }

  Result<> measure_fan_out() {
    TYER_TRY(const auto node, start_node("sse.mjs"));
    Streams node_streams(node->port(), "/stream");
    Streams hub_streams(hub_->port(), "/api/events/stream");
    TYER_TRY_OK(node_streams.open(fan_out_streams));
    TYER_TRY_OK(hub_streams.open(fan_out_streams));
    TYER_TRY(auto node_asker, Asker::open(node->port()));
    TYER_TRY(auto hub_asker, Asker::open(hub_->port()));
    const auto contest = [&](Asker& asker, Streams& streams, bool is_hub) -> Result<double> {
      std::vector<double> micros;
      for (int i = 0; i < events_a_turn; ++i) {
        const std::string word = new_word();
        TYER_TRY_OK(streams.drain());
        TYER_TRY(micros.emplace_back(),
                 is_hub ? time_post(asker, streams, post_ + "/comments", word, comment_with(word))
                        : time_post(asker, streams, "/publish", word, event_with(word)));
      }
      return median(micros);
    };
    fan_out_.push_back({"plain Node, one event to 1 000 streams",
                        [&] { return contest(node_asker, node_streams, false); }});
    fan_out_.push_back({"tyer, one event to 1 000 streams, and stored",
                        [&] { return contest(hub_asker, hub_streams, true); }});
    return run_rounds(fan_out_, options_.rounds, options_.dir);
  }

  Result<> weigh_streams() {
    TYER_TRY(const auto hub, start_hub("idle"));
    Streams streams(hub->port(), "/api/events/stream");
    TYER_TRY_OK(streams.open(1));
    idle_ = std::min(idle_streams, descriptors_ - spare_descriptors);
    const double before = private_memory(hub->pid());
    TYER_TRY_OK(streams.open(idle_));
    stream_bytes_ = (private_memory(hub->pid()) - before) / static_cast<double>(idle_);
    return {};
  }

  void print() const {
    Report report("hub", "The hub beside servers that do less", options_.dir);
    report.columns({"medians of the rounds", "figure", "unit", "x tyer"});
    for (const Contender& one : reads_) {
      report.row(
          {one.name, figure(one.typical()), "a second", times(one.ratio_to(reads_.front()))});
    }
    for (const auto* const contest : {&comments_, &fan_out_}) {
      for (const Contender& one : *contest) {
        report.row({one.name, figure(one.typical()), "us", times(one.ratio_to(contest->back()))});
      }
    }
    report.row({"an idle stream", figure(stream_bytes_), "bytes", "-"});
    report.note(fmt::format("{} idle streams were open.", idle_));
    if (idle_ < idle_streams) {
      report.note(
          fmt::format("More than {} descriptors are not allowed here: ulimit -Hn.", descriptors_));
    }
    report.require("idle streams, private memory of the hub, KB each", stream_bytes_ / 1024,
                   stream_bytes_max / 1024, true);
    report.require("one event to 1 000 streams, plain Node by tyer",
                   fan_out_.front().ratio_to(fan_out_.back()), 1.5);
    report.require("comment to stream by bare epoll and SQLite",
                   comments_.back().ratio_to(comments_.front()), 3, true);
    if (reads_.size() == 3) {
      // From memory it does less than the hub: that is there to be seen.
      report.require("reads a processor second by " + reads_.back().name,
                     reads_.front().ratio_to(reads_.back()), 2.5);
    }
    if (reads_.size() < 3) {
      report.note(
          "Not all peers are there: npm install --prefix build/peers hono "
          "@hono/node-server better-sqlite3");
    }
    report.print(options_.json);
  }

  [[nodiscard]] const env::Clock& clock() { return real_.env().clock; }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  std::size_t descriptors_ = 0;
  std::unique_ptr<Serving> hub_;
  std::string post_;       // Its path.
  std::string post_text_;  // As JSON.
  std::string event_;      // What a stream got for a comment.
  std::uint64_t words_ = 0;
  std::vector<Contender> reads_;
  std::vector<Contender> comments_;
  std::vector<Contender> fan_out_;
  std::size_t idle_ = 0;
  double stream_bytes_ = 0;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--bare-hub") {
    return tyer::bench::BareHub::serve(argv[2]) ? 0 : 1;
  }
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::HubBench(options).run();
  });
}
