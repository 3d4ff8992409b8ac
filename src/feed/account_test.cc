#include "feed/account.h"

#include <gtest/gtest.h>

#include "support/feed_world.h"

namespace tyer::feed {
namespace {

class AccountTest : public ::testing::Test {
 protected:
  Result<> set(const std::string& hash) {
    return world.decide(
        [&](const core::View& view, Ids&, Time now) { return decide_password(view, hash, now); });
  }
  Result<> set_first(const std::string& hash) {
    return world.decide([&](const core::View& view, Ids&, Time now) {
      return decide_first_password(view, hash, now);
    });
  }
  Result<> end_more() {
    return world.decide([](const core::View& view, Ids&, Time) { return decide_end_logins(view); });
  }
  // Its key.
  std::string credential(const std::string& kind, const std::string& agent = "") {
    std::string key;
    EXPECT_TRUE(world.decide([&](const core::View&, Ids& ids, Time now) -> Result<core::Change> {
      const std::string id = ids.next("cr_");
      key = key_of("credential", id);
      return core::Change{
          .events = {make_credential({.id = id, .kind = kind, .agent = agent, .hash = "h"}, now)}};
    }));
    return key;
  }

  testing::FeedWorld world;
};

using Account = AccountTest;

TEST_F(Account, HasItsFirstPasswordOnce) {
  ASSERT_TRUE(set_first("one"));
  EXPECT_EQ(set_first("two").error().fault, Fault::conflict);
  EXPECT_EQ(world.state(account_key, "password"), "one");
}

TEST_F(Account, GetsAPasswordWhetherItHasOneOrNot) {
  ASSERT_TRUE(set("one"));
  EXPECT_EQ(world.state(account_key, "password"), "one");
  ASSERT_TRUE(set("two"));
  EXPECT_EQ(world.state(account_key, "password"), "two");
  EXPECT_EQ(world.state(account_key, "name"), "admin");
}

TEST_F(Account, EndsLoginsAndLinksWithItsPasswordAndNoKeys) {
  const std::string agent = world.agent("bot");
  const std::string login = credential("login");
  const std::string link = credential("link");
  const std::string key = credential("key", agent);

  ASSERT_TRUE(set("one"));

  EXPECT_EQ(world.status(login), "revoked");
  EXPECT_EQ(world.status(link), "revoked");
  EXPECT_EQ(world.status(key), "active");
}

TEST_F(Account, EndsMoreLoginsThanOneChangeHolds) {
  std::vector<std::string> logins;
  for (std::size_t i = 0; i <= limits::logins_ended_at_once; ++i) {
    logins.push_back(credential("login"));
  }
  ASSERT_TRUE(set("one"));
  EXPECT_EQ(world.status(logins.back()), "active");
  ASSERT_TRUE(end_more());
  for (const std::string& login : logins) ASSERT_EQ(world.status(login), "revoked");
  const std::size_t before = world.events().size();
  ASSERT_TRUE(end_more());
  EXPECT_EQ(world.events().size(), before);
}

}  // namespace
}  // namespace tyer::feed
