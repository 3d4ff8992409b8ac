// Every target over its corpus, and over many inputs that are almost like it: the same ones each
// time, so that what fails here fails again. `./dev fuzz` looks further.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fuzz/mutant.h"
#include "fuzz/targets.h"

namespace tyer::fuzz {

// For messages of the test.
static void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

namespace {

namespace fs = std::filesystem;

const fs::path corpora = fs::path(TYER_SOURCE) / "tests/fuzz/corpus";

std::vector<std::string> read_corpus(std::string_view name) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(corpora / name)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

// As it can be pasted: into a file with printf.
std::string escaped(std::string_view input) {
  std::string out;
  for (const char c : input) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

class Fuzz : public ::testing::TestWithParam<Target> {};

TEST_P(Fuzz, HoldsForTheCorpus) {
  const auto corpus = read_corpus(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  for (const std::string& input : corpus) {
    EXPECT_EQ(GetParam().body(input), "") << escaped(input);
  }
  EXPECT_EQ(GetParam().body(""), "");
}

TEST_P(Fuzz, HoldsForWhatIsAlmostLikeIt) {
  const auto corpus = read_corpus(GetParam().name);
  ASSERT_FALSE(corpus.empty());
  std::mt19937_64 dice(1);  // NOLINT: the same inputs each time.
  for (int i = 0; i < GetParam().mutants; ++i) {
    const std::string input = mutant(corpus, dice);
    ASSERT_EQ(GetParam().body(input), "") << "input " << i << ": " << escaped(input);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Fuzz, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(FuzzCorpus, BelongsToATarget) {
  for (const auto& entry : fs::directory_iterator(corpora)) {
    EXPECT_TRUE(std::ranges::count(targets(), entry.path().filename().string(), &Target::name) == 1)
        << entry.path();
  }
}

}  // namespace
}  // namespace tyer::fuzz
