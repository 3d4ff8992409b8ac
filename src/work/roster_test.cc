#include "work/roster.h"

#include <gtest/gtest.h>

#include "work/limits.h"

namespace tyer::work {
namespace {

using Names = std::vector<std::string>;

constexpr Span start = 1000s;

TEST(Roster, StartsWhoIsReadyInOrderAndEachOnce) {
  Roster roster(8);
  EXPECT_EQ(roster.choose({"b", "a"}, start), (Names{"b", "a"}));
  roster.started("b", start);
  EXPECT_EQ(roster.choose({"b", "a"}, start), (Names{"a"}));
  roster.ended("b", Ended::served, start, 0);
  EXPECT_EQ(roster.choose({"b"}, start), (Names{"b"}));
}

TEST(Roster, StartsNoMoreThanItMay) {
  Roster roster(2);
  EXPECT_EQ(roster.choose({"a", "b", "c"}, start).size(), 2U);
  roster.started("a", start);
  roster.started("b", start);
  EXPECT_TRUE(roster.choose({"c"}, start).empty());
  roster.ended("a", Ended::served, start, 0);
  EXPECT_EQ(roster.choose({"c"}, start), (Names{"c"}));
}

// W14: 1 s to 60 s, the others undisturbed, forgotten after a minute of health.
TEST(Roster, WaitsLongerAfterEachFailureUpToAMinute) {
  Roster roster(8);
  Span now = start;
  for (const Span pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    roster.started("a", now);
    roster.ended("a", Ended::failed, now, 0);
    EXPECT_TRUE(roster.choose({"a"}, now + pause - 1ms).empty());
    EXPECT_EQ(roster.choose({"a", "b"}, now + pause - 1ms), (Names{"b"}));
    EXPECT_EQ(roster.choose({"a"}, now + pause), (Names{"a"}));
    EXPECT_EQ(roster.next_try(now), now + pause);
    now += pause;
  }
  roster.started("a", now);
  roster.ended("a", Ended::failed, now + limits::restart_forgiven, 0);
  EXPECT_EQ(roster.choose({"a"}, now + limits::restart_forgiven + 1s), (Names{"a"}));
}

TEST(Roster, DoesNotTryAgainTogetherWhatFailedTogether) {
  Roster roster(8);
  for (const char* session : {"a", "b"}) roster.started(session, start);
  roster.ended("a", Ended::failed, start, 0);
  roster.ended("b", Ended::failed, start, 1);
  EXPECT_EQ(roster.choose({"a", "b"}, start + 1s), (Names{"a"}));
  EXPECT_EQ(roster.choose({"a", "b"}, start + 1250ms), (Names{"a", "b"}));
}

TEST(Roster, LooksAgainSoonAtWhomSomebodyElseHas) {
  Roster roster(8);
  roster.started("a", start);
  roster.ended("a", Ended::busy, start, 0);
  EXPECT_TRUE(roster.choose({"a"}, start).empty());
  EXPECT_EQ(roster.choose({"a"}, start + limits::busy_pause), (Names{"a"}));
}

TEST(Roster, TriesOneWithoutABudgetWhenSomethingHappensToIt) {
  Roster roster(8);
  for (const char* session : {"a", "b"}) roster.started(session, start);
  roster.ended("a", Ended::limit, start, 0);
  roster.ended("b", Ended::failed, start, 0);
  EXPECT_TRUE(roster.choose({"a", "b"}, start).empty());
  roster.nudge("a");
  roster.nudge("b");  // What fails, fails again.
  EXPECT_EQ(roster.choose({"a", "b"}, start), (Names{"a"}));
}

}  // namespace
}  // namespace tyer::work
