// Programs of anybody's making, and our own.

#include <csignal>

#include <gtest/gtest.h>

#include "backend/limits.h"
#include "support/recordings.h"

namespace tyer::backend {
namespace {

using testing::read_pieces;
using testing::Reading;

Reading read_as(const char* agent, const std::string& output, const Ending& ending = {}) {
  return read_pieces(*find_backend(agent), {}, {output}, ending);
}

Report command_report(const std::string& output, const Ending& ending = {}) {
  return read_as("command", output, ending).report;
}

TEST(CommandReader, TakesAllThatIsPrintedForTheAnswer) {
  const Reading reading = read_as("command", "first\n\nlast\n\n");

  EXPECT_EQ(reading.report, (Report{.verdict = Verdict::done, .text = "first\n\nlast"}));
  ASSERT_EQ(reading.notes.size(), 2U);
  EXPECT_EQ(reading.notes[1].text, "last");
}

TEST(CommandReader, TakesWhatTheLastLineSaysIfItIsAnAnswer) {
  const Report report = command_report(
      "thinking\n"
      R"({"result":"42","conversation":"c-7","cost_usd":0.25,"input_tokens":10,"output_tokens":2,"cached_tokens":3,"turns":4})"
      "\n\n");

  EXPECT_EQ(report, (Report{.verdict = Verdict::done,
                            .text = "42",
                            .conversation = "c-7",
                            .usage = {.input = 10, .output = 2, .cached = 3, .cost = 250'000},
                            .turns = 4}));
}

TEST(CommandReader, ShowsTheAnswerThatStandsInItsLastLine) {
  const Reading reading = read_as("command", "thinking\n{\"result\":\"first\\n\\nsecond\"}\n");

  ASSERT_EQ(reading.notes.size(), 3U);
  EXPECT_EQ(reading.notes[0].text, "thinking");
  EXPECT_EQ(reading.notes[1].text, "first");
  EXPECT_EQ(reading.notes[2].text, "second");
}

TEST(CommandReader, KeepsTheTextIfTheAnswerHasNoneOfItsOwn) {
  const Report report = command_report("hello\n{\"conversation\":\"c\"}");
  EXPECT_EQ(report.text, "hello");
  EXPECT_EQ(report.conversation, "c");
}

TEST(CommandReader, TakesJsonThatIsNoAnswerForText) {
  EXPECT_EQ(command_report("{\"x\":1}\n").text, "{\"x\":1}");
  EXPECT_EQ(command_report("{\"result\":\"early\"}\nlate\n").text, "{\"result\":\"early\"}\nlate");
  EXPECT_EQ(command_report("{not json}").text, "{not json}");
}

TEST(CommandReader, BelievesAProgramThatSaysHowItFailed) {
  for (const Verdict verdict :
       {Verdict::hindered, Verdict::stale, Verdict::later, Verdict::too_long, Verdict::credentials,
        Verdict::limit, Verdict::mistake, Verdict::failed}) {
    const std::string line = R"({"status":")" + std::string(name(verdict)) + R"(","error":"why"})";
    EXPECT_EQ(command_report(line, {.code = 1}).verdict, verdict);
    EXPECT_EQ(command_report(line).why, "why");
  }
  EXPECT_EQ(command_report(R"({"status":"later","retry_after":90})").wait, Span(90s));
  EXPECT_EQ(command_report(R"({"status":"later","retry_after":9e6})").wait, limits::wait_said_max);
  EXPECT_EQ(command_report(R"({"error":"no"})").verdict, Verdict::failed);
  EXPECT_EQ(command_report(R"({"status":"odd"})").verdict, Verdict::failed);
  // Not for it to say.
  EXPECT_EQ(command_report(R"({"status":"timed_out"})").verdict, Verdict::failed);
  EXPECT_EQ(command_report(R"({"denied":["Bash"],"status":"hindered","error":"x"})").denied,
            std::vector<std::string>{"Bash"});
}

TEST(CommandReader, BelievesAnExitCodeMoreThanAnAnswerThatSaysDone) {
  EXPECT_EQ(command_report("ok", {.code = 3}).verdict, Verdict::failed);
  EXPECT_EQ(command_report("ok", {.code = 75}).verdict, Verdict::later);
  EXPECT_EQ(command_report("ok", {.code = 127}).verdict, Verdict::mistake);
  EXPECT_EQ(command_report("ok", {.signal = SIGSEGV}).verdict, Verdict::interrupted);
  const Report report =
      command_report(R"({"result":"ok","conversation":"c"})", {.code = 3, .errors = "it broke\n"});
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_EQ(report.why, "it ended with exit code 3: it broke");
  EXPECT_EQ(report.conversation, "");
}

// It may have ended with 0 because it was asked to.
TEST(CommandReader, TakesNoAnswerWithoutAResultFromOneThatWasEnded) {
  EXPECT_EQ(command_report("half", {.cut = Ending::Cut::time_limit}).verdict, Verdict::timed_out);
  EXPECT_EQ(command_report("half", {.cut = Ending::Cut::asked}).verdict, Verdict::stopped);
}

TEST(DemoReader, SaysNothingOfAConversationThatHasNoId) {
  EXPECT_EQ(read_as("demo", "{\"type\":\"init\"}\n").notes, std::vector<Note>());
  EXPECT_EQ(
      read_as("demo", "{\"type\":\"init\",\"conversation\":\"c\"}\n{\"type\":\"init\"}").notes,
      std::vector<Note>({{.kind = Note::Kind::conversation, .text = "c"}}));
}

TEST(DemoReader, ReadsWhatTheDemoPrints) {
  const Reading reading = read_as("demo",
                                  "{\"type\":\"init\",\"conversation\":\"c\"}\n"
                                  "{\"type\":\"tool\",\"name\":\"edit\",\"text\":\"a.txt\"}\n"
                                  "{\"type\":\"text\",\"text\":\"hi\"}\n"
                                  "{\"type\":\"result\",\"status\":\"done\",\"turns\":1}\n");

  EXPECT_EQ(reading.report,
            (Report{.verdict = Verdict::done, .text = "hi", .conversation = "c", .turns = 1}));
  EXPECT_EQ(reading.notes.size(), 3U);
  EXPECT_EQ(read_as("demo", "", {.code = 2, .errors = "tyer: what?"}).report.verdict,
            Verdict::mistake);
  EXPECT_EQ(read_as("demo", "", {.signal = SIGKILL}).report.verdict, Verdict::interrupted);
}

}  // namespace
}  // namespace tyer::backend
