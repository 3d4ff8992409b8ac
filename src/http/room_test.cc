#include "http/room.h"

#include <gtest/gtest.h>

namespace tyer::http {
namespace {

using Given = Room::Given;

TEST(Room, IsGivenUntilAllHaveWhatThereIs) {
  Room room({.all = 10, .each = 10});
  EXPECT_EQ(room.take("a", 6), Given::yes);
  EXPECT_EQ(room.take("b", 5), Given::no_more);
  EXPECT_EQ(room.take("b", 4), Given::yes);
  EXPECT_EQ(room.take("b", 1), Given::no_more);
  room.give_back("a", 6);
  EXPECT_EQ(room.take("b", 6), Given::yes);
  EXPECT_EQ(room.taken(), 10U);
}

TEST(Room, OfOneNameIsNotTakenFromOthers) {
  Room room({.all = 10, .each = 4});
  EXPECT_EQ(room.take("a", 4), Given::yes);
  EXPECT_EQ(room.take("a", 1), Given::not_for_this);
  EXPECT_EQ(room.take("b", 5), Given::not_for_this);
  EXPECT_EQ(room.take("b", 4), Given::yes);
}

TEST(Room, IsNotGivenForMoreThanCanBeCounted) {
  Room room({.all = 10, .each = 4});
  EXPECT_EQ(room.take("a", 1), Given::yes);
  EXPECT_EQ(room.take("a", ~0ULL), Given::no_more);
  EXPECT_EQ(room.taken(), 1U);
}

TEST(Share, GrowsAndShrinksAndGoesBackAtItsEnd) {
  Room room({.all = 10, .each = 10});
  {
    Share share(room, "a");
    EXPECT_EQ(share.hold(3), Given::yes);
    EXPECT_EQ(share.hold(8), Given::yes);
    EXPECT_EQ(room.taken(), 8U);
    EXPECT_EQ(share.hold(11), Given::no_more);
    EXPECT_EQ(room.taken(), 8U) << "as it was";
    EXPECT_EQ(share.hold(2), Given::yes);
    EXPECT_EQ(room.taken(), 2U);
  }
  EXPECT_EQ(room.taken(), 0U);
}

}  // namespace
}  // namespace tyer::http
