// tyer_sim: worlds by seed from the command line. `./dev sim` runs it.

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "sim/files_world.h"
#include "sim/session_world.h"
#include "sim/workloads.h"

namespace tyer::testing {
namespace {

constexpr std::string_view usage =
    "usage: tyer_sim [--seed N] [--seeds COUNT] [--scenario mixed|files|sessions] [--steps N] "
    "[--trace]\n"
    "\n"
    "Runs simulated worlds and checks the laws after every step. Without --seeds it runs\n"
    "one world if a seed is given, else until it is stopped or a law is broken.\n"
    "\n"
    "  ./dev sim --seed 42 --trace     one world, a line for every step\n"
    "  ./dev sim --seeds 10000         the first ten thousand\n"
    "  ./dev sim                       without end\n";

struct Arguments {
  std::uint64_t seed = 0;
  std::uint64_t seeds = 0;  // 0: without end.
  int steps = 400;
  std::string scenario = "mixed";
  bool trace = false;
  bool help = false;
};

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

bool read_arguments(int count, char** words, Arguments& arguments) {
  bool seed_given = false;
  bool seeds_given = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const std::string_view value = i + 1 < count ? words[i + 1] : "";
    if (word == "--help") return arguments.help = true;
    if (word == "--trace") {
      arguments.trace = true;
      continue;
    }
    bool good = false;
    if (word == "--seed") good = seed_given = read_number(value, arguments.seed);
    if (word == "--seeds") good = seeds_given = read_number(value, arguments.seeds);
    if (word == "--steps") good = read_number(value, arguments.steps);
    if (word == "--scenario") {
      arguments.scenario = value;
      good = value == "mixed" || value == "files" || value == "sessions";
    }
    if (!good) {
      std::fprintf(stderr, "tyer_sim: '%s %s' is not understood\n", words[i],
                   std::string(value).c_str());
      return false;
    }
    ++i;
  }
  if (seed_given && !seeds_given) arguments.seeds = 1;
  return true;
}

sim::Broken run_one(const Arguments& arguments, std::uint64_t seed) {
  if (arguments.scenario == "files") {
    std::string trace;
    const sim::Broken broken = files_sim::run_files_world(seed, files_sim::FilesFlaw::none, &trace);
    if (arguments.trace) std::fputs(trace.c_str(), stdout);
    return broken;
  }
  sim::WorldOptions options{.seed = seed, .steps = arguments.steps};
  if (arguments.trace) options.trace = [](const std::string& line) { std::puts(line.c_str()); };
  return arguments.scenario == "sessions" ? run_session_world(options) : run_world(options);
}

int run(const Arguments& arguments) {
  for (std::uint64_t i = 0; arguments.seeds == 0 || i < arguments.seeds; ++i) {
    const std::uint64_t seed = arguments.seed + i;
    if (arguments.trace) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    if (const sim::Broken broken = run_one(arguments, seed)) {
      std::printf("seed %llu: %s\n  again: ./dev sim --scenario %s --seed %llu --trace\n",
                  static_cast<unsigned long long>(seed), broken->c_str(),
                  arguments.scenario.c_str(), static_cast<unsigned long long>(seed));
      return 1;
    }
    if ((i + 1) % 500 == 0 || i + 1 == arguments.seeds) {
      std::printf("%llu worlds, every law held\n", static_cast<unsigned long long>(i + 1));
      std::fflush(stdout);
    }
  }
  return 0;
}

}  // namespace
}  // namespace tyer::testing

int main(int argc, char** argv) {
  tyer::testing::Arguments arguments;
  if (!tyer::testing::read_arguments(argc, argv, arguments)) {
    std::fputs(tyer::testing::usage.data(), stderr);
    return 2;
  }
  if (arguments.help) {
    std::fputs(tyer::testing::usage.data(), stdout);
    return 0;
  }
  return tyer::testing::run(arguments);
}
