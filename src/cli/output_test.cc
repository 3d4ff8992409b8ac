#include "cli/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "env/fd.h"
#include "env/linux_env.h"

namespace tyer::cli {
namespace {

std::string read_all(int fd) {
  std::string text(1 << 20, '\0');
  const ssize_t got = ::read(fd, text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// A pager that is not scrolled, a terminal that is held: work goes on.
TEST(Output, LetsNobodyWaitWhoseLogIsNotRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const env::Fd reading(ends[0]);
  const env::Fd writing(ends[1]);
  env::LinuxEnv real;
  const Output output(writing.get(), writing.get());
  const Log log = make_log(output, real.env().clock, Log::Form::text, Level::info);
  const std::string word(100, 'x');

  for (int i = 0; i < 2'000; ++i) log.info(word);

  const std::string first = read_all(reading.get());
  EXPECT_TRUE(first.contains(word));
  EXPECT_FALSE(first.contains("left out"));
  log.info("again");
  log.info("and again");
  const std::string then = read_all(reading.get());
  const auto told = static_cast<std::size_t>(std::ranges::count(first, '\n'));
  EXPECT_TRUE(then.contains(
      "warn left out what nobody has read lines=" + std::to_string(2'000 - told) + "\n"))
      << then;
  EXPECT_TRUE(then.ends_with("info and again\n")) << then;
  EXPECT_EQ(std::ranges::count(then, '\n'), 3);
}

}  // namespace
}  // namespace tyer::cli
