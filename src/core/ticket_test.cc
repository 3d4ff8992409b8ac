// Places in the queue of a key.

#include <gtest/gtest.h>

#include "core/acquire.h"
#include "support/known_leases.h"

namespace tyer::core {
namespace {

TEST(Ticket, KnowsItsKey) {
  EXPECT_EQ(key_of_ticket(ticket_key("lock/a/b", "id")), "lock/a/b");
  EXPECT_EQ(key_of_ticket("lock/a/b"), "");
  EXPECT_EQ(key_of_ticket("wait/a"), "");
}

TEST(Ticket, IsInTheQueueOfItsOwnKeyAlone) {
  testing::KnownLeases view;
  const auto queue = [&](const std::string& key) {
    const std::string ticket = ticket_key(key, "id");
    view.all[ticket] = {.key = ticket, .token = 1};
  };
  for (const char* key : {"lock/a", "git/a", "lock/a/b"}) queue(key);

  for (const char* key : {"lock/a", "git/a", "lock/a/b"}) {
    const auto waiting = tickets(view, key);
    ASSERT_TRUE(waiting);
    ASSERT_EQ(waiting->size(), 1U) << key;
    EXPECT_EQ(waiting->front().key, ticket_key(key, "id"));
  }
  EXPECT_TRUE(tickets(view, "git/a/b")->empty());
}

}  // namespace
}  // namespace tyer::core
