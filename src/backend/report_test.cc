#include "backend/report.h"

#include <gtest/gtest.h>

#include "backend/limits.h"

namespace tyer::backend {
namespace {

using Act = Next::Act;

Report ended(Verdict verdict) {
  return {.verdict = verdict};
}

// W4
TEST(NextRun, AnAbnormalEndIsTriedAgainUntilThereWereThreeRuns) {
  for (const Verdict verdict : {Verdict::interrupted, Verdict::failed}) {
    const Next second = decide_next(ended(verdict), {});
    const Next third = decide_next(ended(verdict), second.attempts);
    const Next last = decide_next(ended(verdict), third.attempts);

    EXPECT_EQ(second.act, Act::again);
    EXPECT_EQ(third.act, Act::again);
    EXPECT_EQ(last.act, Act::give_up);
  }
}

// W4
TEST(NextRun, WaitsAsLongAsTheySay) {
  Report report = ended(Verdict::later);
  report.wait = 2h;
  EXPECT_EQ(decide_next(report, {}).act, Act::wait);
  EXPECT_EQ(decide_next(report, {}).wait, Span(2h));
  report.wait = Span::max();
  EXPECT_EQ(decide_next(report, {}).wait, limits::wait_said_max);
}

TEST(NextRun, WaitsLongerEachTimeIfTheyDoNotSayHowLong) {
  Attempts attempts;
  Span before{};
  for (int i = 0; i < limits::waits_max; ++i) {
    const Next next = decide_next(ended(Verdict::later), attempts);
    ASSERT_EQ(next.act, Act::wait);
    EXPECT_TRUE(next.wait > before || next.wait == limits::wait_unsaid_max);
    before = next.wait;
    attempts = next.attempts;
  }
  EXPECT_EQ(decide_next(ended(Verdict::later), attempts).act, Act::give_up);
  EXPECT_EQ(attempts.abnormal, 0);
}

// W5
TEST(NextRun, AStaleConversationIsGivenUpOnceAndThatRunDoesNotCount) {
  const Next first = decide_next(ended(Verdict::failed), {});
  const Next anew = decide_next(ended(Verdict::stale), first.attempts);
  EXPECT_EQ(anew.act, Act::anew);
  EXPECT_EQ(anew.attempts.abnormal, 1);

  EXPECT_EQ(decide_next(ended(Verdict::stale), anew.attempts).act, Act::give_up);
  EXPECT_EQ(decide_next(ended(Verdict::too_long), anew.attempts).act, Act::give_up);
  EXPECT_EQ(decide_next(ended(Verdict::failed), anew.attempts).act, Act::again);
  EXPECT_EQ(decide_next(ended(Verdict::done), anew.attempts).act, Act::settle);
}

// W4
TEST(NextRun, WhatAPersonMustSeeIsNotTriedAgain) {
  for (const Verdict verdict : {Verdict::timed_out, Verdict::credentials, Verdict::mistake,
                                Verdict::limit, Verdict::stopped}) {
    EXPECT_EQ(decide_next(ended(verdict), {}).act, Act::give_up) << name(verdict);
  }
}

// Whatever comes in whatever order, it comes to an end.
TEST(NextRun, NoTaskIsTriedForEver) {
  for (int seed = 0; seed < 2'000; ++seed) {
    Attempts attempts;
    int runs = 0;
    for (unsigned mix = static_cast<unsigned>(seed) * 2'654'435'761U; runs < 1'000; ++runs) {
      mix = mix * 1'664'525U + 1'013'904'223U;
      const auto verdict = static_cast<Verdict>((mix >> 16U) % verdict_count);
      const Next next = decide_next(ended(verdict), attempts);
      if (next.act == Act::settle || next.act == Act::give_up) break;
      attempts = next.attempts;
    }
    EXPECT_LT(runs, 2 + limits::attempts_max + limits::waits_max * (limits::attempts_max + 2));
  }
}

// As three equal runs of one conversation were recorded.
TEST(UsageOfARun, IsWhatATotalGrewBy) {
  const auto claude = [](std::int64_t cost) {
    return Usage{.input = 100, .output = 4, .cost = cost, .cost_is_total = true};
  };
  EXPECT_EQ(usage_of_run({}, claude(460)), (Usage{.input = 100, .output = 4, .cost = 460}));
  EXPECT_EQ(usage_of_run(claude(460), claude(920)),
            (Usage{.input = 100, .output = 4, .cost = 460}));

  const Usage first{.input = 100, .output = 30, .cached = 10, .tokens_are_totals = true};
  const Usage second{.input = 180, .output = 61, .cached = 50, .tokens_are_totals = true};
  EXPECT_EQ(usage_of_run(first, second), (Usage{.input = 80, .output = 31, .cached = 40}));
}

// After a run that was killed a total can begin anew.
TEST(UsageOfARun, IsTheTotalIfThatBecameSmaller) {
  const Usage first{
      .input = 300, .output = 30, .cost = 9, .tokens_are_totals = true, .cost_is_total = true};
  const Usage second{
      .input = 200, .output = 40, .cost = 5, .tokens_are_totals = true, .cost_is_total = true};
  EXPECT_EQ(usage_of_run(first, second), (Usage{.input = 200, .output = 40, .cost = 5}));
  // What is of the run alone stays as it is.
  EXPECT_EQ(usage_of_run(first, {.input = 5, .output = 6, .cost = 7}),
            (Usage{.input = 5, .output = 6, .cost = 7}));
}

TEST(UsageOfARun, IsAddedUpOverItsAttemptsUnlessItIsATotal) {
  const Usage first{.input = 10, .output = 1, .cached = 2, .cost = 7};
  EXPECT_EQ(sum_of(first, {.input = 5, .output = 1, .cost = 9}),
            (Usage{.input = 15, .output = 2, .cached = 2, .cost = 16}));
  EXPECT_EQ(sum_of(first, {.input = 5, .cost = 9, .cost_is_total = true}),
            (Usage{.input = 15, .output = 1, .cached = 2, .cost = 9, .cost_is_total = true}));
}

}  // namespace
}  // namespace tyer::backend
