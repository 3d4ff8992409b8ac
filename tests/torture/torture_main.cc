// tyer_torture: locks in the hands of processes that are killed, stopped and lied
// to about the time, and agents whose keepers are killed. `./dev torture` runs it.

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/stop_signals.h"
#include "env/linux_random.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"
#include "torture/board.h"
#include "torture/raid.h"
#include "torture/stampede.h"
#include "torture/torment.h"
#include "torture/worker.h"

namespace tyer::torture {
namespace {

constexpr const char* usage =
    "usage: tyer_torture [--store sqlite|files|postgres|all] [--seconds N] [--stampedes N]\n"
    "                    [--raids N] [--seed N] [--processes N] [--keys N]\n"
    "\n"
    "Processes fight for keys while they are killed, stopped, and have their clocks set;\n"
    "then a stampede for the key of one that was killed, again and again; then raids on\n"
    "agents at work and on those who look after them. A seed repeats what is done to them,\n"
    "not how the kernel schedules them.\n"
    "\n"
    "  ./dev torture                                  60 s, 500 stampedes and 200 raids on each\n"
    "  ./dev torture --store files --seconds 600      longer on one\n";

constexpr int exit_cancelled = 130;
constexpr std::uint64_t processes_most = 64;  // PostgreSQL serves several connections of each.

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

// The name of the first word that is not understood, or nothing.
std::string read_options(std::span<char* const> words, Options& options) {
  const std::map<std::string_view, std::uint64_t*> numbers{
      {"--seconds", &options.seconds},     {"--stampedes", &options.stampedes},
      {"--raids", &options.raids},         {"--seed", &options.seed},
      {"--processes", &options.processes}, {"--keys", &options.keys}};
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view word = words[i];
    const std::string_view value = i + 1 < words.size() ? words[i + 1] : "";
    const auto number = numbers.find(word);
    const bool is_store = word == "--store" && (value == "sqlite" || value == "files" ||
                                                value == "postgres" || value == "all");
    if (is_store) options.store = value;
    if (is_store || (number != numbers.end() && read_number(value, *number->second))) continue;
    return std::string(word);
  }
  if (options.keys < 1 || options.keys > keys_max) return "--keys";
  if (options.processes < 2 || options.processes > processes_most) return "--processes";
  return "";
}

// Fresh stores of one kind, gone with it.
class Stores {
 public:
  explicit Stores(std::string kind) : kind_(std::move(kind)) {}

  Result<std::string> fresh_url() {
    if (kind_ != "postgres") return kind_ + ":" + (dir_ / ("store" + std::to_string(++count_)));
    if (!server_) {
      TYER_TRY(server_, testing::PostgresServer::start({"max_connections=600"}));
    }
    return server_->fresh_url();
  }

 private:
  const std::string kind_;
  testing::TempDir dir_;
  int count_ = 0;
  std::unique_ptr<testing::PostgresServer> server_;
};

using Part = Result<Verdict> (*)(const Options&, const std::string&, int);

int run_part(Part part, const Options& options, Stores& stores, int stop_fd) {
  const auto url = stores.fresh_url();
  const auto verdict =
      url ? part(options, *url, stop_fd) : Result<Verdict>(std::unexpected(url.error()));
  if (options.show) std::fputs("\r\033[K", stdout);
  if (!verdict) {
    std::printf("%s, seed %llu: %s\n", options.store.c_str(),
                static_cast<unsigned long long>(options.seed), verdict.error().what.c_str());
    return verdict.error().fault == Fault::cancelled ? exit_cancelled : 1;
  }
  std::printf("%s\n", verdict->summary.c_str());
  std::fflush(stdout);
  return verdict->good ? 0 : 1;
}

int run(const Options& options) {
  const cli::StopSignals stop;
  int code = 0;
  for (const char* const store : {"sqlite", "files", "postgres"}) {
    if (options.store != "all" && options.store != store) continue;
    Options own = options;
    own.store = store;
    Stores stores(store);
    const std::pair<Part, std::uint64_t> parts[] = {
        {torment, own.seconds}, {stampede, own.stampedes}, {raid, own.raids}};
    for (const auto& [part, amount] : parts) {
      if (amount == 0) continue;
      const int done = run_part(part, own, stores, stop.fd());
      if (done == exit_cancelled) return done;
      code = std::max(code, done);
    }
  }
  return code;
}

// What the program starts itself as: `--worker …` and `--contender …`.
int run_role(std::span<char* const> words) {
  if (words.size() != 6) return 2;
  const std::string_view role = words[0];
  std::uint64_t number = 0;
  int fds[3] = {-1, -1, -1};
  bool good = read_number(std::string_view(words[2]), number);
  for (std::size_t i = 0; i < 3; ++i) {
    good = good && read_number(std::string_view(words[3 + i]), fds[i]);
  }
  if (!good) return 2;
  if (role == "--contender") {
    return run_contender(
        {.url = words[1], .round = number, .gates = {fds[0], fds[1]}, .answers = fds[2]});
  }
  return run_worker({.url = words[1],
                     .seed = number,
                     .keys = static_cast<std::size_t>(fds[0]),
                     .board = fds[1],
                     .stop = fds[2]});
}

}  // namespace
}  // namespace tyer::torture

int main(int argc, char** argv) {
  using namespace tyer::torture;
  const std::span<char* const> words(argv + 1, static_cast<std::size_t>(std::max(argc - 1, 0)));
  const std::string_view first = words.empty() ? "" : words[0];
  if (first == "--worker" || first == "--contender") return run_role(words);
  if (first == "--help") {
    std::fputs(usage, stdout);
    return 0;
  }
  Options options{.seed = tyer::env::LinuxRandom().below(1'000'000),
                  .show = ::isatty(STDOUT_FILENO) != 0};
  if (const std::string wrong = read_options(words, options); !wrong.empty()) {
    std::fprintf(stderr, "tyer_torture: %s is not understood, or its value\n%s", wrong.c_str(),
                 usage);
    return 2;
  }
  return run(options);
}
