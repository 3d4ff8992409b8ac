#include "api/attempts.h"

#include <vector>

#include <gtest/gtest.h>

#include "api/limits.h"

namespace tyer::api {
namespace {

// Of `count` attempts, one after the other, how many may be made.
int try_often(Attempts& attempts, const std::string& peer, const std::string& known, int count) {
  int made = 0;
  for (int i = 0; i < count; ++i) made += attempts.begin(peer, known, 0s).wait == Span::zero();
  return made;
}

TEST(Attempts, AreCountedForEachAddress) {
  Attempts attempts;
  EXPECT_EQ(try_often(attempts, "203.0.113.1:80", "", 20), limits::guesses_at_once);
  EXPECT_EQ(try_often(attempts, "203.0.113.2:80", "", 20), limits::guesses_at_once);
}

// Who can take ever new addresses gets no further by it, nor keeps anybody else out.
TEST(Attempts, LeaveRoomForOneMoreAddressHoweverManyTry) {
  Attempts attempts;
  for (std::size_t i = 0; i < limits::throttled_max + 1'000; ++i) {
    const std::string peer = "203." + std::to_string(i / 65'536) + "." +
                             std::to_string(i / 256 % 256) + "." + std::to_string(i % 256) + ":80";
    ASSERT_EQ(attempts.begin(peer, "", 0s).wait, Span::zero()) << i;
  }
  EXPECT_EQ(attempts.begin("198.51.100.1:80", "", 0s).wait, Span::zero());
  EXPECT_EQ(attempts.begin("198.51.100.2:80", "cr_1", 0s).wait, Span::zero());
}

TEST(Attempts, OfABrowserThatIsKnownAreCountedApartFromItsAddress) {
  Attempts attempts;
  (void)try_often(attempts, "127.0.0.1:80", "", 20);
  EXPECT_EQ(try_often(attempts, "127.0.0.1:80", "cr_1", 20), limits::guesses_at_once);
  EXPECT_EQ(try_often(attempts, "127.0.0.1:80", "cr_2", 1), 1);
}

TEST(Attempts, HoldAFewPlacesAtOnceAndThoseOfStrangersAreNotThoseOfTheKnown) {
  Attempts attempts;
  std::vector<Attempts::Attempt> held;
  for (int i = 0; i < limits::hash_places; ++i) {
    held.push_back(attempts.begin("203.0.113." + std::to_string(i) + ":80", "", 0s));
    EXPECT_EQ(held.back().wait, Span::zero());
  }
  EXPECT_EQ(attempts.begin("198.51.100.1:80", "", 0s).wait, limits::hash_pause);
  EXPECT_EQ(attempts.begin("198.51.100.1:80", "cr_1", 0s).wait, Span::zero());
  held.pop_back();
  EXPECT_EQ(attempts.begin("198.51.100.1:80", "", 0s).wait, Span::zero());
}

TEST(Attempts, ThatFoundNoPlaceDoNotCount) {
  Attempts attempts;
  {
    std::vector<Attempts::Attempt> held;
    for (int i = 0; i < limits::hash_places; ++i) {
      held.push_back(attempts.begin("203.0.113." + std::to_string(i) + ":80", "", 0s));
    }
    EXPECT_EQ(try_often(attempts, "198.51.100.1:80", "", 20), 0);
  }
  EXPECT_EQ(try_often(attempts, "198.51.100.1:80", "", 20), limits::guesses_at_once);
}

TEST(Attempts, AreForgivenIfThePasswordWasRight) {
  Attempts attempts;
  for (int i = 0; i < 20; ++i) {
    const auto attempt = attempts.begin("203.0.113.1:80", "", 0s);
    ASSERT_EQ(attempt.wait, Span::zero());
    Attempts::forgive(attempt);
  }
}

TEST(Attempts, KnowTheNetworkOfAPeer) {
  EXPECT_EQ(network_of("203.0.113.9:80"), "203.0.113.9");
  EXPECT_EQ(network_of("[2001:db8:0:1:2:3:4:5]:80"), "2001:db8:0:1::/64");
  EXPECT_EQ(network_of("[::ffff:203.0.113.9]:80"), "203.0.113.9");
}

}  // namespace
}  // namespace tyer::api
