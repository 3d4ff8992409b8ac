// Visits from elsewhere, which no test makes over a network: the hub is asked directly (H1).

#include "api/guard.h"

#include <gtest/gtest.h>

#include "api/secrets.h"
#include "base/json.h"
#include "support/feed_world.h"

namespace tyer::api {
namespace {

class GuardTest : public ::testing::Test {
 protected:
  http::Response ask(const std::string& method, const std::string& path, const std::string& body,
                     const std::string& peer = "203.0.113.9:4711",
                     const std::vector<http::Header>& more = {}) {
    http::Request request{.method = method,
                          .path = path,
                          .headers = {{"host", "hub.example:7420"}},
                          .body = body,
                          .peer = peer};
    for (const http::Header& header : more) request.headers.push_back(header);
    return hub.handle(request);
  }

  testing::FeedWorld world;
  const Log log{Log::Form::text, Level::error, [] { return Time{}; }, [](std::string_view) {}};
  Hub hub{world.engine,
          log,
          {.hosts = {"hub.example:7420"}, .setup_code = "code1234", .trusts_machine = true},
          nullptr};
};

using Guard = GuardTest;

TEST_F(Guard, AsksWhoeverSetsTheHubUpFromElsewhereForTheCode) {
  EXPECT_TRUE(ask("GET", "/api/setup", "").body.contains(R"("needs_code":true)"));
  EXPECT_TRUE(ask("GET", "/api/setup", "", "127.0.0.1:9").body.contains(R"("needs_code":false)"));

  EXPECT_EQ(ask("POST", "/api/setup", R"({"password":"long enough"})").status, 403);
  EXPECT_EQ(ask("POST", "/api/setup", R"({"password":"long enough","code":""})").status, 403);
  EXPECT_EQ(ask("POST", "/api/setup", R"({"password":"long enough","code":"code1235"})").status,
            403);
  EXPECT_EQ(ask("POST", "/api/setup", R"({"password":"long enough","code":"code1234"})").status,
            200);
  EXPECT_EQ(ask("POST", "/api/setup", R"({"password":"long enough","code":"code1234"})").status,
            409);
}

TEST_F(Guard, SetsUpNothingFromElsewhereWithoutACode) {
  Hub closed(world.engine, log, {.hosts = {"hub.example:7420"}}, nullptr);
  http::Request request{.method = "POST",
                        .path = "/api/setup",
                        .headers = {{"host", "hub.example:7420"}},
                        .body = R"({"password":"long enough","code":""})",
                        .peer = "203.0.113.9:4711"};
  EXPECT_EQ(closed.handle(request).status, 403);
}

TEST_F(Guard, SlowsDownGuessesFromAllAddressesTogether) {
  ASSERT_EQ(ask("POST", "/api/setup", R"({"password":"long enough"})", "127.0.0.1:9").status, 200);
  std::vector<int> answers;
  for (int i = 0; i < 6; ++i) {
    answers.push_back(ask("POST", "/api/auth/login", R"({"password":"wrong guess"})",
                          "203.0.113." + std::to_string(i) + ":1")
                          .status);
  }
  EXPECT_EQ(answers, (std::vector{401, 401, 401, 401, 401, 429}));
}

TEST_F(Guard, IsCalledByTheNamesOfItsOwnMachineWhereItListensOnEverything) {
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(own_hosts("0.0.0.0:7"), (Hosts{"0.0.0.0:7", "127.0.0.1:7", "localhost:7", "[::1]:7"}));
  EXPECT_EQ(own_hosts("[::]:7"), (Hosts{"[::]:7", "127.0.0.1:7", "localhost:7", "[::1]:7"}));
  EXPECT_EQ(own_hosts("203.0.113.9:7"), (Hosts{"203.0.113.9:7"}));
}

TEST_F(Guard, KnowsItsOwnMachine) {
  for (const char* peer : {"127.0.0.1:80", "127.1.2.3:80", "[::1]:80"}) {
    EXPECT_TRUE(is_loopback(peer)) << peer;
  }
  for (const char* peer : {"128.0.0.1:80", "203.0.113.9:80", "[::2]:80", "", "0.0.0.0:80"}) {
    EXPECT_FALSE(is_loopback(peer)) << peer;
  }
}

}  // namespace
}  // namespace tyer::api
