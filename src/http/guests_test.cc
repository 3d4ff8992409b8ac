#include "http/guests.h"

#include <gtest/gtest.h>

namespace tyer::http {
namespace {

using Welcome = Guests::Welcome;

TEST(Guests, AreLetInUntilThereIsNoRoomAndThenTold) {
  Guests guests(2, 0, 1);
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
  Guests guests(10, 1, 1);
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
  EXPECT_EQ(guests.enter("a"), Welcome::told);
  EXPECT_EQ(guests.enter("b"), Welcome::come_in);
  guests.leave("a", Welcome::told);
  guests.leave("a", Welcome::come_in);
  EXPECT_EQ(guests.enter("a"), Welcome::come_in);
}

}  // namespace
}  // namespace tyer::http
