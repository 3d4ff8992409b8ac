#include "api/lease_access.h"

#include <gtest/gtest.h>

namespace tyer::api {
namespace {

Caller agent(const std::string& id) {
  return {.actor = {.is_agent = true, .id = id, .name = "bot"}, .credential = "cr_1"};
}

const Caller admin{.actor = {.id = "admin", .name = "admin"}};

http::Request from(const std::string& peer) {
  return {.peer = peer};
}

core::Lease taken_by(const Caller& caller, const std::string& peer) {
  core::Lease lease{.key = "lock/a", .token = 7};
  lease.holder.run = "secret";
  lease.asker = asker_of(caller, from(peer));
  return lease;
}

TEST(LeaseAccess, IsItsAskersAndPeoples) {
  const core::Lease lease = taken_by(agent("ag_1"), "203.0.113.9:80");
  EXPECT_TRUE(may_act_for(agent("ag_1"), lease));
  EXPECT_TRUE(may_act_for(admin, lease));
  EXPECT_FALSE(may_act_for(agent("ag_2"), lease));
  const core::Lease of_a_process{.key = "lock/a", .token = 7};
  EXPECT_FALSE(may_act_for(agent("ag_1"), of_a_process)) << "it was not taken through a hub";
  EXPECT_TRUE(may_act_for(admin, of_a_process));
}

TEST(LeaseAccess, OfTheTokenOfARunIsThatOfItsAgent) {
  Caller run = agent("ag_1");
  run.actor.session = "ss_1";
  EXPECT_TRUE(may_act_for(run, taken_by(agent("ag_1"), "203.0.113.9:80")));
  EXPECT_EQ(speaker_of(run).actor, "session/ss_1") << "the log says which";
}

TEST(LeaseAccess, ShowsSessionsToNobodyElse) {
  lock::Outcome outcome;
  outcome.got.push_back(taken_by(agent("ag_1"), "203.0.113.9:80"));
  outcome.held.push_back({.lease = taken_by(agent("ag_2"), "203.0.113.9:80")});
  outcome.ended.push_back({.lease = taken_by(agent("ag_1"), "203.0.113.9:80")});
  outcome.next.push_back(taken_by(admin, "203.0.113.9:80"));

  hide_sessions(agent("ag_1"), outcome);

  EXPECT_EQ(outcome.got[0].holder.run, "secret");
  EXPECT_EQ(outcome.held[0].lease.holder.run, "");
  EXPECT_EQ(outcome.ended[0].lease.holder.run, "secret");
  EXPECT_EQ(outcome.next[0].holder.run, "");
}

TEST(LeaseAccess, BelievesThatAHolderIsGoneOfWhoComesFromWhereItCameFrom) {
  const core::Lease lease = taken_by(agent("ag_1"), "203.0.113.9:80");
  const auto may = [&](const Caller& caller, const std::string& peer) {
    return may_report(asker_of(caller, from(peer)), caller, lease);
  };
  EXPECT_TRUE(may(agent("ag_1"), "198.51.100.1:80"));
  EXPECT_TRUE(may(agent("ag_2"), "203.0.113.9:1234"));
  EXPECT_FALSE(may(agent("ag_2"), "198.51.100.1:80"));
  EXPECT_TRUE(may(admin, "198.51.100.1:80"));
  const core::Lease of_a_process{.key = "lock/a", .token = 7};
  EXPECT_FALSE(
      may_report(asker_of(agent("ag_2"), from("203.0.113.9:80")), agent("ag_2"), of_a_process));
}

}  // namespace
}  // namespace tyer::api
