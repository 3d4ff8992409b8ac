#include "http/guests.h"

#include <gtest/gtest.h>

namespace tyer::http {
namespace {

using Welcome = Guests::Welcome;

TEST(Guests, AreLetInUntilThereIsNoRoomAndThenTold) {
  Guests guests({.all = 2, .told = 1});
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
  EXPECT_EQ(guests.enter("b"), Welcome::told);
  EXPECT_EQ(guests.enter("b"), Welcome::ignored);

  guests.leave("b", Welcome::told);
  EXPECT_EQ(guests.enter("b"), Welcome::told);
  guests.leave("a", Welcome::come_in);
  EXPECT_EQ(guests.enter("b"), Welcome::come_in);
}

TEST(Guests, OfOneAddressDoNotTakeTheRoomOfOthers) {
  Guests guests({.all = 10, .per_peer = 1, .told = 1});
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
  EXPECT_EQ(guests.enter("a"), Welcome::told);
  EXPECT_EQ(guests.enter("b"), Welcome::come_in);
  guests.leave("a", Welcome::told);
  guests.leave("a", Welcome::come_in);
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
}

TEST(Guests, OfThisMachineHaveABoundOfTheirOwn) {
  Guests guests({.all = 10, .per_peer = 1, .per_loopback = 3});
  EXPECT_EQ(guests.enter("127.0.0.1"), Welcome::come_in);
  EXPECT_EQ(guests.enter("127.0.0.2"), Welcome::come_in);
  EXPECT_EQ(guests.enter("::1"), Welcome::come_in);
  EXPECT_EQ(guests.enter("127.0.0.3"), Welcome::ignored);
  EXPECT_EQ(guests.enter("203.0.113.9"), Welcome::come_in);
  guests.leave("::1", Welcome::come_in);
  EXPECT_EQ(guests.enter("127.0.0.1"), Welcome::come_in);
}

TEST(Guests, OfOneCustomersAddressesAreCountedTogether) {
  Guests guests({.all = 10, .per_peer = 1});
  EXPECT_EQ(guests.enter("2001:db8:0:1::1"), Welcome::come_in);
  EXPECT_EQ(guests.enter("2001:db8:0:1:ffff::1"), Welcome::ignored);
  EXPECT_EQ(guests.enter("2001:db8:0:2::1"), Welcome::come_in);
  EXPECT_EQ(guests.enter("203.0.113.9"), Welcome::come_in);
  EXPECT_EQ(guests.enter("::ffff:203.0.113.9"), Welcome::ignored);
}

TEST(Network, IsWhatOneCustomerHasOfAddresses) {
  EXPECT_EQ(network_of("203.0.113.9"), "203.0.113.9");
  EXPECT_EQ(network_of("2001:db8:0:1:2:3:4:5"), "2001:db8:0:1::/64");
  EXPECT_EQ(network_of("2001:db8:0:1::"), network_of("2001:db8:0:1:ffff::1"));
  EXPECT_NE(network_of("2001:db8:0:1::1"), network_of("2001:db8:0:2::1"));
  EXPECT_EQ(network_of("::ffff:203.0.113.9"), "203.0.113.9");
  for (const char* here : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.2"}) {
    EXPECT_EQ(network_of(here), "127.0.0.1") << here;
  }
}

}  // namespace
}  // namespace tyer::http
