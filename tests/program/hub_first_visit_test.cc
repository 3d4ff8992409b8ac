// Whoever sets the first password is the admin, and has programs run as the hub's user.

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/other_user.h"

namespace tyer::testing {
namespace {

TEST(FirstVisit, OfAnotherUserOfTheMachineNeedsTheCode) {
  if (!OtherUser::is_other()) GTEST_SKIP() << "it takes root to be another user";
  const OtherUser user;
  const HubPlace place("sqlite");
  const RunningHub hub(place);
  const auto ask = [&](const std::string& body) {
    return run_program(user.call({.words = {"-sS", "-H", "Content-Type: application/json", "-d",
                                            body, hub.url() + "/api/setup"},
                                  .program = "/usr/bin/curl"}))
        .out;
  };
  const std::string stolen = ask(R"({"password":"i am the admin"})");
  EXPECT_TRUE(stolen.contains("the code is wrong")) << stolen;
  EXPECT_EQ(hub.visitor().get("/api/setup").json()["needs_code"], false) << "of its own user";
  EXPECT_EQ(hub.visitor().post("/api/setup", {{"password", "long enough"}}).status, 200);
  EXPECT_TRUE(ask(R"({"password":"i am the admin"})").contains("the password is set already"));
}

}  // namespace
}  // namespace tyer::testing
