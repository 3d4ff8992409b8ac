// Visits from elsewhere, which no test makes over a network: the hub is asked directly (H1).

#include "api/guard.h"

#include <gtest/gtest.h>

#include "api/limits.h"
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

  // The password is wrong.
  int guess(const std::string& peer) {
    return ask("POST", "/api/auth/login", R"({"password":"wrong guess"})", peer).status;
  }

  struct Login {
    std::string cookie;
    std::string csrf;

    [[nodiscard]] std::vector<http::Header> headers() const {
      return {{"cookie", cookie}, {"x-csrf-token", csrf}};
    }
  };
  static Login log_in(const http::Response& answer) {
    const std::string cookie(answer.header("set-cookie"));
    return {cookie.substr(0, cookie.find(';')),
            text_or(parse_json(answer.body).value_or(Json::object()), "csrf_token")};
  }

  // As `tyer login` does.
  std::string make_link() {
    Secret secret;
    EXPECT_TRUE(world.decide([&](const core::View&, feed::Ids& ids, Time now) {
      const std::string id = ids.next("cr_");
      secret = make_secret("tk", id, world.engine.env().random);
      return Result<core::Change>(
          {.events = {feed::make_credential({.id = id,
                                             .kind = "link",
                                             .hash = secret.hash,
                                             .expires_at = now + limits::link_time},
                                            now)}});
    }));
    return secret.text;
  }

  const std::string password = R"({"password":"long enough"})";
  testing::FeedWorld world;
  const Log log{Log::Form::text, Level::error, [] { return Time{}; }, [](std::string_view) {}};
  Hub hub{world.engine,
          log,
          {.hosts = {"hub.example:7420"},
           .setup_code = "code1234",
           .trusts = [](std::string_view peer) { return peer != "127.0.0.1:33"; }},
          nullptr};
};

using Guard = GuardTest;

TEST_F(Guard, AsksWhoeverSetsTheHubUpFromElsewhereForTheCode) {
  EXPECT_TRUE(ask("GET", "/api/setup", "").body.contains(R"("needs_code":true)"));
  EXPECT_TRUE(ask("GET", "/api/setup", "", "127.0.0.1:9").body.contains(R"("needs_code":false)"));
  EXPECT_TRUE(ask("GET", "/api/setup", "", "127.0.0.1:33").body.contains(R"("needs_code":true)"));
  EXPECT_EQ(ask("POST", "/api/setup", password, "127.0.0.1:33").status, 403) << "another user";

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

TEST_F(Guard, LetsNoStrangersKeepTheAdminOutHoweverManyTheyAre) {
  ASSERT_EQ(ask("POST", "/api/setup", password, "127.0.0.1:9").status, 200);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(guess("203.0.113." + std::to_string(i) + ":1"), 401);
  }
  EXPECT_EQ(ask("POST", "/api/auth/login", password, "198.51.100.1:1").status, 200);
}

TEST_F(Guard, SlowsDownGuessesFromOneAddress) {
  ASSERT_EQ(ask("POST", "/api/setup", password, "127.0.0.1:9").status, 200);
  std::vector<int> answers;
  for (int i = 0; i < 6; ++i) answers.push_back(guess("203.0.113.9:" + std::to_string(i)));
  EXPECT_EQ(answers, (std::vector{401, 401, 401, 401, 401, 429}));
  const http::Response right = ask("POST", "/api/auth/login", password);
  EXPECT_EQ(right.status, 429) << "else one could go on guessing";
  EXPECT_TRUE(right.body.contains("tyer login")) << right.body;
  EXPECT_EQ(guess("203.0.113.10:1"), 401);
}

// Behind a proxy, or on one machine with agents, everybody has one address.
TEST_F(Guard, LetsABrowserInThatWasLoggedInBeforeWhereOthersHaveUsedUpItsAddress) {
  const Login before = log_in(ask("POST", "/api/setup", password, "127.0.0.1:9"));
  ASSERT_EQ(ask("POST", "/api/auth/logout", "", "127.0.0.1:9", before.headers()).status, 200);
  for (int i = 0; i < 6; ++i) (void)guess("127.0.0.1:1");
  ASSERT_EQ(ask("POST", "/api/auth/login", password, "127.0.0.1:9").status, 429);

  const std::vector<http::Header> known{{"x-csrf-token", before.csrf}};
  EXPECT_EQ(ask("POST", "/api/auth/login", password, "127.0.0.1:9", known).status, 200);

  std::string wrong = before.csrf;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  const std::vector<http::Header> unknown{{"x-csrf-token", wrong}};
  EXPECT_EQ(ask("POST", "/api/auth/login", password, "127.0.0.1:9", unknown).status, 429);
}

TEST_F(Guard, LetsALinkLogInOnce) {
  const std::string link = make_link();
  const http::Response first = ask("POST", "/api/auth/link", R"({"secret":")" + link + "\"}");
  ASSERT_EQ(first.status, 200) << first.body;
  const Login login = log_in(first);
  EXPECT_EQ(ask("GET", "/api/auth/me", "", "203.0.113.9:1", login.headers()).status, 200);

  const http::Response again = ask("POST", "/api/auth/link", R"({"secret":")" + link + "\"}");
  EXPECT_EQ(again.status, 401);
  EXPECT_TRUE(again.body.contains("'tyer login' makes another")) << again.body;
}

TEST_F(Guard, LetsNoLinkLogInThatIsOldOrNone) {
  const std::string link = make_link();
  std::string wrong = make_link();
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  const Login login = log_in(ask("POST", "/api/setup", password, "127.0.0.1:9"));
  for (const std::string& secret : {wrong, login.csrf, std::string("x"), std::string()}) {
    EXPECT_EQ(ask("POST", "/api/auth/link", R"({"secret":")" + secret + "\"}").status, 401);
  }
  world.pass(limits::link_time);
  EXPECT_EQ(ask("POST", "/api/auth/link", R"({"secret":")" + link + "\"}").status, 401);
}

TEST_F(Guard, TakesALinkForNothingElse) {
  const std::string link = make_link();
  for (const http::Header& header : {http::Header{"authorization", "Bearer " + link},
                                     http::Header{"cookie", "tyer_login=" + link}}) {
    EXPECT_EQ(
        ask("GET", "/api/auth/me", "", "127.0.0.1:9", {header, {"x-csrf-token", link}}).status, 401)
        << header.name;
  }
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
