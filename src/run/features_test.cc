#include "run/features.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "env/linux_env.h"
#include "run/limits.h"
#include "support/temp_dir.h"

namespace tyer::run {
namespace {

// A clock that is ahead by as much as it is told.
class LateClock final : public env::Clock {
 public:
  explicit LateClock(const env::Clock& real) : real_(real) {}
  Span ahead{};

  [[nodiscard]] Time now() const override { return real_.now() + ahead; }
  [[nodiscard]] Span mono() const override { return real_.mono(); }
  [[nodiscard]] Span boot_time() const override { return real_.boot_time(); }

 private:
  const env::Clock& real_;
};

// A program that writes down each time it is asked something.
class ProgramFeatures : public ::testing::Test {
 protected:
  ProgramFeatures() { install("1.2.3", "--first"); }

  void install(const std::string& version, const std::string& flag) {
    const std::string fresh = program + ".new";
    std::ofstream(fresh) << "#!/bin/sh\necho \"$1\" >>" << dir / "asked" << "\n"
                         << "case $1 in --version) echo " << version << " ;; *) echo '" << flag
                         << "' ;; esac\n";
    ::chmod(fresh.c_str(), 0755);
    std::rename(fresh.c_str(), program.c_str());
  }

  backend::Features ask() {
    env::Env env{clock, real.env().files, real.env().processes, real.env().random};
    const auto features = ask_features(env, *backend::find_backend("claude"), {.program = program},
                                       {{"PATH", "/usr/bin:/bin"}}, dir.path());
    EXPECT_TRUE(features) << features.error().what;
    return features.value_or(backend::Features{});
  }

  [[nodiscard]] int times_asked() const {
    std::ifstream asked(dir / "asked");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(asked), {}, '\n'));
  }

  env::LinuxEnv real;
  LateClock clock{real.env().clock};
  testing::TempDir dir;
  const std::string program = dir / "agent";
};

TEST_F(ProgramFeatures, AreAskedForOncePerProgramFile) {
  EXPECT_EQ(ask().version, "1.2.3");
  const int once = times_asked();
  EXPECT_EQ(once, 2) << "its version, and its help";

  const backend::Features again = ask();

  EXPECT_EQ(again.version, "1.2.3");
  EXPECT_TRUE(again.lists("--first"));
  EXPECT_EQ(times_asked(), once);
}

TEST_F(ProgramFeatures, AreAskedForAgainOnceTheProgramWasReplaced) {
  (void)ask();
  install("1.3.0", "--other");

  const backend::Features features = ask();

  EXPECT_EQ(features.version, "1.3.0");
  EXPECT_TRUE(features.lists("--other"));
  EXPECT_FALSE(features.lists("--first"));
}

TEST_F(ProgramFeatures, AreAskedForAgainTheNextDay) {
  (void)ask();
  clock.ahead = limits::features_good_for;
  (void)ask();
  EXPECT_EQ(times_asked(), 4);
}

TEST_F(ProgramFeatures, AreAskedForAgainIfWhatWasKeptIsBroken) {
  (void)ask();
  std::ofstream(dir / "features.json") << "{\"programs\":[1,{\"path\":7}]";
  EXPECT_EQ(ask().version, "1.2.3");
  EXPECT_EQ(times_asked(), 4);
}

TEST_F(ProgramFeatures, OfAProgramThatIsNotThereAreNotFound) {
  const auto features = ask_features(real.env(), *backend::find_backend("claude"),
                                     {.program = dir / "none"}, {}, dir.path());
  ASSERT_FALSE(features);
  EXPECT_EQ(features.error().fault, Fault::not_found);
}

}  // namespace
}  // namespace tyer::run
