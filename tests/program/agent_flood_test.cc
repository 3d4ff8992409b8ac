// An agent that says too much: the memory of its keeper and the disk stay flat (W2). With
// TYER_FLOOD_BYTES=1000000000 it is a gigabyte each time.

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/limits.h"
#include "base/json.h"
#include "env/fd.h"
#include "env/linux_clock.h"
#include "env/wait_readable.h"
#include "run/limits.h"
#include "support/agent_runs.h"

namespace tyer::testing {
namespace {

// A sanitizer is slow, and needs more memory for itself than what is measured.
constexpr bool measures = TYER_FAKE_CLOCKS != 0;
const std::uint64_t bytes =
    std::strtoull(std::getenv("TYER_FLOOD_BYTES") != nullptr ? std::getenv("TYER_FLOOD_BYTES")
                  : measures                                 ? "256000000"
                                                             : "32000000",
                  nullptr, 10);
constexpr std::uint64_t growth_max = 2 << 20;
constexpr Span flood_max = 120s;
constexpr Span look_every = 5ms;

// What a process has for itself alone; zero once it is gone.
std::uint64_t private_bytes(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  std::uint64_t kibibytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Private_")) kibibytes += std::stoul(line.substr(line.find(':') + 1));
  }
  return kibibytes << 10;
}

class AgentFlood : public AgentRunTest {
 protected:
  // By how much its keeper grows until the run has ended; zero where that is not measured.
  std::uint64_t growth(std::vector<std::string> words) {
    words.insert(words.begin(), {"agent", "run", "--detach", "--json", "--max-output", "2000"});
    const ProgramResult started = tyer(words);
    EXPECT_EQ(started.code, 0) << started.err;
    const Json run = parse_json_object(started.out).value_or(Json::object());
    id = text_or(run, "run");
    const std::int64_t keeper = int_or(run, "keeperPid");
    const auto front = static_cast<pid_t>(int_or(run, "frontPid"));
    const env::Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, front, 0)));
    const env::LinuxClock clock;
    const Span until = clock.mono() + flood_max;
    const std::uint64_t before = private_bytes(keeper);
    std::uint64_t most = before;
    while (ended && !env::wait_readable(ended.get(), look_every).value_or(true)) {
      most = std::max(most, private_bytes(keeper));
      if (clock.mono() < until) continue;
      ADD_FAILURE() << "it does not end";
      break;
    }
    EXPECT_GT(before, 0U);
    return measures ? most - before : 0;
  }

  std::uint64_t growth_of_command(const std::string& script) {
    return growth({"--backend", "command", "--prompt", "x", "--", "sh", "-c", script});
  }

  std::uint64_t size_of(const std::string& file) const {
    return std::filesystem::file_size(dir / (".tyer/runs/" + id + "/" + file));
  }

  std::string id;
};

TEST_F(AgentFlood, OfLinesLeavesMemoryAndDiskFlat) {
  const std::uint64_t grown = growth(
      {"--backend", "demo", "--prompt", fmt::format("demo: flood {}\ndemo: say done", bytes)});

  EXPECT_EQ(verdicts(), "done");
  EXPECT_LT(grown, growth_max);
  // The line that says so comes on top.
  EXPECT_LE(size_of("transcript.jsonl"), limits::transcript_bytes_max + 1'000);
  EXPECT_LE(size_of("output.log") + size_of("output.1.log"), limits::raw_output_bytes_max);
  expect_nothing_is_left();
}

TEST_F(AgentFlood, InOneLineIsHeldToTheBoundOfALine) {
  const std::uint64_t grown = growth_of_command(fmt::format("head -c {} /dev/zero", bytes));

  EXPECT_EQ(verdicts(), "done");
  EXPECT_LT(grown, limits::agent_line_bytes_max + growth_max);
  expect_nothing_is_left();
}

// Each is a note, and so fifty times as long in the transcript.
TEST_F(AgentFlood, OfTheShortestLinesIsWrittenPieceByPiece) {
  const std::uint64_t grown = growth_of_command("yes x | head -c 10000000");

  EXPECT_EQ(verdicts(), "done");
  EXPECT_LT(grown, growth_max);
  expect_nothing_is_left();
}

TEST_F(AgentFlood, OfErrorsLeavesMemoryAndDiskFlat) {
  const std::uint64_t grown = growth_of_command(fmt::format("head -c {} /dev/zero >&2", bytes));

  EXPECT_EQ(verdicts(), "done");
  EXPECT_LT(grown, growth_max);
  EXPECT_LE(size_of("errors.log") + size_of("errors.1.log"), limits::raw_errors_bytes_max);
  expect_nothing_is_left();
}

TEST_F(AgentFlood, OfWhatIsNoTextLeavesMemoryFlat) {
  const std::uint64_t grown = growth({"--backend", "demo", "--prompt",
                                      fmt::format("demo: garbage {}\ndemo: say done", bytes / 8)});

  EXPECT_EQ(verdicts(), "done");
  EXPECT_LT(grown, growth_max);
  expect_nothing_is_left();
}

TEST_F(AgentFlood, IsEndedAtItsLimit) {
  EXPECT_EQ(ask("demo: flood 4000000000", "--max-output 3 --json").code, 5);

  EXPECT_EQ(verdicts(), "limit");
  expect_nothing_is_left();
}

}  // namespace
}  // namespace tyer::testing
