// Asking for leases through a hub: what is whose.

#include <gtest/gtest.h>

#include "core/acquire.h"
#include "core/limits.h"
#include "support/known_leases.h"

namespace tyer::core {
namespace {

const Place here{"laptop", "boot-1", "ns-1"};
constexpr Time t0 = from_micros(1'700'000'000'000'000);

Grant wish_of(const std::string& key, const std::string& who) {
  return {.key = key,
          .holder = {here, 100, 100, "run-me"},
          .silence_max = limits::silence_max,
          .hold_max = limits::hold_max,
          .asker = {.who = who}};
}

struct AcquireForAskers : ::testing::Test {
  void put(const std::string& key, std::uint64_t token, std::int64_t pid, const std::string& run,
           const std::string& who) {
    view.all[key] = {.key = key,
                     .token = token,
                     .holder = {here, pid, pid, run},
                     .granted_at = t0,
                     .heard_at = t0,
                     .silence_max = limits::silence_max,
                     .hold_max = limits::hold_max,
                     .asker = {.who = who}};
  }

  testing::KnownLeases view;
  testing::KnownDeaths witness;
};

TEST_F(AcquireForAskers, LetsNobodyHaveThePlaceOfAnother) {
  put("lock/a", 1, 1, "run-1", "");
  put(ticket_key("lock/a", "place"), 2, 100, "place", "agent/ag_1");
  Asking asking{.wishes = {wish_of("lock/a", "agent/ag_2")}, .place = "place"};
  asking.ticket = asking.wishes.front();

  const auto refused = decide_acquire(view, witness, asking, t0 + 1s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault, Fault::conflict);

  asking.ticket->asker.who = "agent/ag_1";
  const auto found = decide_acquire(view, witness, asking, t0 + 1s);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->found.size(), 1U);
}

TEST_F(AcquireForAskers, DoesNotFindWhatAnotherHasOfAny) {
  put("lock/a", 1, 100, "run-me", "agent/ag_1");
  const Asking asking{.wishes = {wish_of("lock/a", "agent/ag_2"), wish_of("lock/b", "agent/ag_2")},
                      .any = true};

  const auto answer = decide_acquire(view, witness, asking, t0 + 1s);

  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->mine.empty());
  ASSERT_EQ(answer->change.grants.size(), 1U);
  EXPECT_EQ(answer->change.grants[0].key, "lock/b");
}

}  // namespace
}  // namespace tyer::core
