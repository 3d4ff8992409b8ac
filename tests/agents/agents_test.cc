// The real claude, codex and gemini with a model of ours: what their back ends promise (W1, W4,
// W5, W6) holds for the programs as they are, not only for what was recorded of them.

#include <algorithm>

#include <gtest/gtest.h>

#include "support/real_agent.h"

namespace tyer::testing {
namespace {

using backend::Note;
using backend::Verdict;

class Agents : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!agent.version()) {
      GTEST_SKIP() << GetParam() << " is not installed; ./dev test --agents installs it. What was "
                   << "recorded of it is read by tyer_unit_test.";
    }
  }

  static std::string told(const Drive& drive) {
    std::string text = std::string(backend::name(drive.report.verdict)) + ": " + drive.report.why;
    for (const Note& note : drive.notes) {
      text += "\n  " + std::string(backend::name(note.kind)) + " " + note.tool + " " + note.text;
    }
    return text;
  }

  const StubModel model;
  RealAgent agent{GetParam(), model};
};

TEST_P(Agents, AnswersAndNamesItsConversation) {
  const Drive drive = agent.run(agent.task("stub: say hello there"));

  EXPECT_EQ(drive.report.verdict, Verdict::done) << told(drive);
  EXPECT_EQ(drive.report.text, "hello there");
  EXPECT_FALSE(drive.report.conversation.empty());
  EXPECT_GT(drive.report.usage.output, 0);
  EXPECT_EQ(agent.left(), 0U);
}

// W5
TEST_P(Agents, GoesOnWithAConversation) {
  const Drive first = agent.run(agent.task("stub: say one"));
  backend::Task next = agent.task("stub: turns");
  next.conversation = first.report.conversation;

  const Drive second = agent.run(next);

  EXPECT_EQ(second.report.verdict, Verdict::done) << told(second);
  EXPECT_EQ(second.report.text, "2");
  EXPECT_EQ(second.report.conversation, first.report.conversation);
}

// W5
TEST_P(Agents, SaysThatItDoesNotKnowAConversation) {
  backend::Task task = agent.task("stub: say hello");
  task.conversation = task.new_conversation;

  const Drive drive = agent.run(task);

  EXPECT_EQ(drive.report.verdict, Verdict::stale) << told(drive);
  EXPECT_TRUE(drive.report.conversation.empty());
}

// W6
TEST_P(Agents, PassesOnInstructionsAlsoWhenItGoesOn) {
  backend::Task task = agent.task("stub: knows INSTRUCTION-ONE");
  task.system = "Keep to INSTRUCTION-ONE.";
  const Drive first = agent.run(task);
  EXPECT_EQ(first.report.text, "yes") << told(first);

  backend::Task next = agent.task("stub: knows INSTRUCTION-TWO");
  next.system = "Keep to INSTRUCTION-TWO.";
  next.conversation = first.report.conversation;
  const Drive second = agent.run(next);
  EXPECT_EQ(second.report.text, "yes") << told(second);
}

TEST_P(Agents, RunsCommandsWhenItMay) {
  const Drive drive = agent.run(agent.task("stub: run expr 20 + 3"));

  EXPECT_EQ(drive.report.verdict, Verdict::done) << told(drive);
  EXPECT_TRUE(drive.report.text.contains("23")) << told(drive);
  EXPECT_NE(std::ranges::find(drive.notes, Note::Kind::tool_use, &Note::kind), drive.notes.end());
}

TEST_P(Agents, RunsNoCommandsWhenItMayOnlyRead) {
  backend::Task task = agent.task("stub: run touch made-by-the-agent");
  task.permission = backend::Permission::read;

  const Drive drive = agent.run(task);

  EXPECT_NE(drive.report.verdict, Verdict::failed) << told(drive);
  EXPECT_FALSE(agent.has_file("made-by-the-agent")) << told(drive);
}

// W4: a bad key is for a person to put right.
TEST_P(Agents, IsEndedAtABadKey) {
  const Drive drive = agent.run(agent.task("stub: error 401"));

  EXPECT_EQ(drive.report.verdict, Verdict::credentials) << told(drive);
  EXPECT_TRUE(drive.report.conversation.empty());
}

// W2
TEST_P(Agents, LeavesNothingBehindWhenItIsAskedToEnd) {
  const Drive drive = agent.run(agent.task("stub: hang"));

  EXPECT_EQ(drive.report.verdict, Verdict::stopped) << told(drive);
  EXPECT_EQ(agent.left(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Real, Agents, ::testing::Values("claude", "codex", "gemini"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tyer::testing
