// Measuring in rounds: every contender runs for a moment, in turn, again and
// again. What drifts (the disk, the neighbours) drifts for all of them, and a
// ratio is taken within each round before the median is.

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/error.h"
#include "env/fd.h"

namespace tyer::bench {

[[nodiscard]] inline double median(std::vector<double> values) {
  TYER_CHECK(!values.empty(), "a median is one of something");
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Contender {
  std::string name;
  std::function<Result<double>()> round;  // Gives a figure: a rate, a time.
  std::vector<double> figures = {};

  [[nodiscard]] double typical() const { return median(figures); }

  // How many times the other's figure this one is.
  [[nodiscard]] double ratio_to(const Contender& other) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      ratios.push_back(figures[i] / other.figures[i]);
    }
    return median(ratios);
  }
};

// One round to warm up, then `rounds` that count. Before each turn the disk gets
// rid of what the turn before has left, so that nobody waits for another's data.
[[nodiscard]] inline Result<> run_rounds(std::vector<Contender>& contenders, int rounds,
                                         const std::string& directory) {
  const env::Fd place(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = -1; i < rounds; ++i) {
    for (Contender& contender : contenders) {
      ::syncfs(place.get());
      TYER_TRY(const double figure, contender.round());
      if (i >= 0) contender.figures.push_back(figure);
    }
  }
  return {};
}

// What a benchmark is told on its command line.
struct Options {
  bool json = false;
  std::string dir;  // On a real disk.
  int rounds = 7;
  std::size_t events = 1'000'000;
};

[[nodiscard]] inline Result<Options> read_options(int argc, char** argv) {
  Options options;
  options.dir = ::access("build", W_OK) == 0 ? "build" : ".";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") {
      options.json = true;
      continue;
    }
    const std::optional<std::string> value =
        i + 1 < argc ? std::optional<std::string>(argv[i + 1]) : std::nullopt;
    if (word == "--dir" && value) {
      options.dir = *value;
    } else if (word == "--rounds" && value && std::atoi(value->c_str()) > 0) {
      options.rounds = std::atoi(value->c_str());
    } else if (word == "--events" && value && std::atoi(value->c_str()) > 0) {
      options.events = static_cast<std::size_t>(std::atoi(value->c_str()));
    } else {
      return fail(Fault::invalid,
                  fmt::format("'{}' is not understood; there are --dir DIR, --rounds N, "
                              "--events N and --json",
                              word));
    }
    ++i;
  }
  if (char* const whole = ::realpath(options.dir.c_str(), nullptr); whole != nullptr) {
    options.dir = whole;
    std::free(whole);
  }
  if (::access(options.dir.c_str(), W_OK) != 0) {
    return fail(Fault::unavailable, fmt::format("{} is no directory to write in", options.dir));
  }
  // Stores, databases and servers put their files where this points.
  ::setenv("TMPDIR", options.dir.c_str(), 1);
  return options;
}

// The frame of every benchmark's main.
[[nodiscard]] inline int run_bench(int argc, char** argv,
                                   const std::function<Result<>(const Options&)>& bench) {
  const auto options = read_options(argc, argv);
  const Result<> done = options ? bench(*options) : std::unexpected(options.error());
  if (done) return 0;
  fmt::print(stderr, "{}\n", done.error().what);
  return info(done.error().fault).exit_code;
}

}  // namespace tyer::bench
