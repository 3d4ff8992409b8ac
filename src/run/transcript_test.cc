#include "run/transcript.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "env/linux_env.h"
#include "run/limits.h"
#include "support/temp_dir.h"

namespace tyer::run {
namespace {

class TranscriptTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Transcript> make() {
    auto made = Transcript::make(real_.env().files, real_.env().clock, folder);
    EXPECT_TRUE(made);
    return *std::move(made);
  }

  env::LinuxEnv real_;
  testing::TempDir dir;
  const std::string folder = dir / "runs/1";
};

TEST_F(TranscriptTest, IsReadAsItIsWritten) {
  TranscriptReader reader(real_.env().files, folder);
  EXPECT_TRUE(reader.next()->empty());
  EXPECT_EQ(reader.fd(), -1);
  const auto transcript = make();
  transcript->add({.text = "one\n"});
  EXPECT_TRUE(reader.next()->empty());
  transcript->flush();
  const std::vector<std::string> first = *reader.next();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(text_or(*parse_json_object(first[0]), "text"), "one\n");
  EXPECT_NE(reader.fd(), -1);
  transcript->add({.kind = backend::Note::Kind::tool_use, .text = "ls", .tool = "Bash"});
  transcript->flush();
  const std::vector<std::string> second = *reader.next();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(int_or(*parse_json_object(second[0]), "n"), 2);
  EXPECT_TRUE(reader.next()->empty());
  EXPECT_EQ(transcript->trouble(), "");
}

TEST_F(TranscriptTest, HasABoundAndSaysSo) {
  const auto transcript = make();
  const std::string text(16 << 10, 'x');
  for (int i = 0; i < 3'000; ++i) {
    transcript->add({.text = text});
    transcript->flush();
  }
  const auto size = std::filesystem::file_size(folder + "/transcript.jsonl");
  EXPECT_LE(size, limits::transcript_bytes_max + 1'000);
  EXPECT_GT(size, limits::transcript_bytes_max - (32 << 10));
  TranscriptReader reader(real_.env().files, folder);
  std::string last;
  for (auto lines = reader.next(); !lines->empty(); lines = reader.next()) last = lines->back();
  EXPECT_TRUE(last.contains("the transcript is full")) << last.substr(0, 200);
}

TEST_F(TranscriptTest, IsForItsUserAlone) {
  (void)make();

  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  // A second run of one id cannot be.
  EXPECT_FALSE(Transcript::make(real_.env().files, real_.env().clock, folder));
}

TEST_F(TranscriptTest, KeepsTheNewestOfARawStream) {
  RollingFile file(real_.env().files, dir / "output.log", 100);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(file.add(std::string(10, static_cast<char>('0' + i))));
  ASSERT_TRUE(file.add(std::string(500, 'z') + "end"));

  const auto newest = real_.env().files.read(dir / "output.log", 1'000);
  const auto older = real_.env().files.read(dir / "output.1.log", 1'000);
  EXPECT_EQ(newest->size(), 50U);
  EXPECT_TRUE(newest->ends_with("zend"));
  EXPECT_EQ(older->substr(40), std::string(10, static_cast<char>('0' + 49)));
}

}  // namespace
}  // namespace tyer::run
