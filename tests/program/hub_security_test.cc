// Who may come in, and who may not (H1, H2, P14).

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubSecurity : public ::testing::Test {
 protected:
  // A new agent: its id and its key.
  std::pair<std::string, std::string> agent(Visitor& admin, const std::string& name) {
    const Reply made = admin.post("/api/keys", {{"name", name}, {"type", "demo"}});
    EXPECT_EQ(made.status, 201) << made.body;
    return {made.text("id"), made.text("key")};
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place};
};

TEST_F(HubSecurity, LetsNoPageOfAnotherSiteChangeAnything) {
  Visitor admin = hub.admin();
  const Json feed{{"name", "main"}};
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"Origin", "http://evil.example"},
                                                        {"Origin", "null"},
                                                        {"Origin", "http://127.0.0.1:1"},
                                                        {"Origin", hub.url() + ".evil.example"},
                                                        {"Sec-Fetch-Site", "cross-site"},
                                                        {"Sec-Fetch-Site", "same-site"}}) {
    Visitor page = admin.again();
    EXPECT_EQ(page.with(name, value).post("/api/feeds", feed).status, 403) << value;
  }
  EXPECT_EQ(admin.get("/api/feeds").json()["data"].size(), 0U);

  admin.with("Origin", hub.url()).with("Sec-Fetch-Site", "same-origin");
  EXPECT_EQ(admin.post("/api/feeds", feed).status, 201);
}

// Every route that is not for anyone, as the description has them: method, path.
std::vector<std::pair<std::string, std::string>> routes_for_known(const RunningHub& hub) {
  std::vector<std::pair<std::string, std::string>> routes;
  const Json paths = hub.visitor().get("/api/openapi.json").json()["paths"];
  for (const auto& [path, operations] : paths.items()) {
    for (const auto& [method, operation] : operations.items()) {
      if (operation.contains("security")) continue;  // For anyone.
      std::string verb = method;
      for (char& c : verb) c = static_cast<char>(std::toupper(c));
      std::string plain = path;
      for (char& c : plain) c = c == '{' || c == '}' ? '_' : c;
      routes.emplace_back(verb, plain);
    }
  }
  return routes;
}

// A browser sends the cookie of 127.0.0.1:7420 to 127.0.0.1:3000 as well, where an agent may have
// started a server.
TEST_F(HubSecurity, GivesNothingToAServerOnAnotherPortForTheCookieThatItIsSent) {
  Visitor admin = hub.admin();
  const std::string key = agent(admin, "bot").second;
  const std::string cookie = admin.headers().at("Cookie");
  const auto routes = routes_for_known(hub);
  ASSERT_GE(routes.size(), 40U);

  std::vector<std::string> tokens{"", "x", std::string(64, '0'),
                                  cookie.substr(cookie.find('=') + 1), key};
  for (const std::string& token : tokens) {
    Visitor server = hub.visitor().with("Cookie", cookie);
    if (!token.empty()) server.with("X-CSRF-Token", token);
    for (const auto& [verb, path] : routes) {
      const Reply refused = server.ask(verb, path, verb == "GET" ? "" : "{}");
      EXPECT_EQ(refused.status, 401) << verb << " " << path << ": " << refused.body;
    }
    EXPECT_EQ(server.get("/health").body, R"({"status":"ok"})") << "it is told what is there";
  }
  EXPECT_EQ(admin.get("/api/auth/me").status, 200);
}

TEST_F(HubSecurity, TellsTheSecondSecretOfALoginOnceAndWritesItNowhere) {
  Visitor admin = hub.admin();
  const std::string token = admin.headers().at("X-CSRF-Token");
  ASSERT_GE(token.size(), 40U);

  const Reply me = admin.get("/api/auth/me");
  EXPECT_EQ(me.status, 200);
  EXPECT_EQ(me.json()["logged_in"], true);
  EXPECT_FALSE(me.body.contains("csrf")) << me.body;
  EXPECT_EQ(admin.post("/api/feeds", {{"name", "main"}}).status, 201);
  EXPECT_FALSE(admin.get("/api/events?limit=200").body.contains("csrf"));
  Visitor without_cookie = hub.visitor().with("X-CSRF-Token", token);
  EXPECT_EQ(without_cookie.get("/api/auth/me").status, 401);
  const ProgramResult ended = hub.stop();
  EXPECT_FALSE(ended.err.contains(token)) << ended.err;
  for (const auto& file : std::filesystem::recursive_directory_iterator(place.dir().path())) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_FALSE(bytes.contains(token)) << file.path();
  }
}

// Whatever listens on a port of this host can set cookies for it.
TEST_F(HubSecurity, KnowsALoginAmongCookiesThatOthersHaveSet) {
  Visitor admin = hub.admin();
  const std::string cookie = admin.headers().at("Cookie");
  std::string wrong = cookie;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  admin.with("Cookie", "tyer_login=planted; " + wrong + "; other=1; " + cookie);
  EXPECT_EQ(admin.get("/api/auth/me").status, 200);
  admin.with("Cookie", "tyer_login=planted; " + wrong);
  EXPECT_EQ(admin.get("/api/auth/me").status, 401);
}

TEST_F(HubSecurity, GivesACookieThatScriptsAndOtherSitesDoNotGet) {
  const Reply reply = hub.visitor().post("/api/setup", {{"password", hub_password}});

  const std::string cookie = reply.header("set-cookie");
  for (const char* flag : {"; HttpOnly", "; SameSite=Strict", "; Path=/"}) {
    EXPECT_TRUE(cookie.contains(flag)) << cookie;
  }
  EXPECT_FALSE(cookie.contains("Secure")) << "it would not come back without TLS";
  EXPECT_FALSE(cookie.contains("Domain")) << cookie;
}

TEST_F(HubSecurity, GivesANewLoginToWhoeverLogsInAndEndsTheOldOne) {
  Visitor planted = hub.admin();
  const std::string before = planted.headers().at("Cookie");

  const Reply again = planted.post("/api/auth/login", {{"password", hub_password}});

  ASSERT_EQ(again.status, 200) << again.body;
  EXPECT_FALSE(again.header("set-cookie").starts_with(before + ";"));
  EXPECT_EQ(planted.get("/api/auth/me").status, 401) << "the planted one is still good";
}

TEST_F(HubSecurity, EndsALoginForGood) {
  Visitor admin = hub.admin();

  const Reply out = admin.ask("POST", "/api/auth/logout");

  EXPECT_EQ(out.status, 200) << out.body;
  EXPECT_TRUE(out.header("set-cookie").contains("Max-Age=0")) << out.header("set-cookie");
  EXPECT_EQ(admin.get("/api/auth/me").status, 401);
}

TEST_F(HubSecurity, IsSetUpOnceOnly) {
  Visitor first = hub.visitor();
  EXPECT_EQ(first.get("/api/setup").json()["needs_setup"], true);
  EXPECT_EQ(first.post("/api/setup", {{"password", "short"}}).status, 400);
  EXPECT_EQ(first.post("/api/setup", {{"password", hub_password}}).status, 200);

  Visitor second = hub.visitor();
  EXPECT_EQ(second.get("/api/setup").json()["needs_setup"], false);
  EXPECT_EQ(second.post("/api/setup", {{"password", "another password"}}).status, 409);
  EXPECT_EQ(second.post("/api/auth/login", {{"password", "another password"}}).status, 401);
  EXPECT_EQ(second.post("/api/auth/login", {{"password", hub_password}}).status, 200);
}

TEST_F(HubSecurity, LetsPasswordsBeGuessedSlowlyOnly) {
  (void)hub.admin();
  Visitor guesser = hub.visitor();
  std::vector<int> answers;
  for (int i = 0; i < 6; ++i) {
    answers.push_back(
        guesser.post("/api/auth/login", {{"password", "guess " + std::to_string(i)}}).status);
  }
  EXPECT_EQ(answers, (std::vector{401, 401, 401, 401, 401, 429}));

  const Reply right = guesser.post("/api/auth/login", {{"password", hub_password}});
  EXPECT_EQ(right.status, 429) << "else one could go on guessing";
  const int wait = std::atoi(right.header("retry-after").c_str());
  EXPECT_TRUE(wait >= 1 && wait <= 10) << right.header("retry-after");
}

TEST_F(HubSecurity, LetsKeysBeGuessedSlowlyAndDoesNotPunishTheirNeighbours) {
  Visitor admin = hub.admin();
  const std::string key = agent(admin, "bot").second;
  Visitor guesser = hub.visitor().as("ty_" + std::string(66, '0'));
  std::vector<int> answers;
  Reply last;
  for (int i = 0; i < 6; ++i) answers.push_back((last = guesser.get("/api/auth/me")).status);

  EXPECT_EQ(answers, (std::vector{401, 401, 401, 401, 401, 429}));
  EXPECT_NE(last.header("retry-after"), "");
  EXPECT_EQ(hub.visitor().as(key).get("/api/auth/me").status, 200);
  EXPECT_EQ(admin.get("/api/auth/me").status, 200);
  EXPECT_EQ(hub.visitor().get("/health").status, 200);
}

TEST_F(HubSecurity, KnowsNoKeyThatIsRevokedChangedOrOfADeletedAgent) {
  Visitor admin = hub.admin();
  const auto [id, key] = agent(admin, "bot");
  std::string changed = key;
  changed.back() = changed.back() == '0' ? '1' : '0';
  EXPECT_EQ(hub.visitor().as(changed).get("/api/auth/me").status, 401);
  const Reply second = admin.post("/api/agents/" + id + "/keys", {{"name", "two"}});
  ASSERT_EQ(second.status, 201) << second.body;
  Visitor bot = hub.visitor().as(second.text("key"));
  EXPECT_EQ(bot.get("/api/auth/me").text("agent_id"), id);

  EXPECT_EQ(admin.ask("DELETE", "/api/keys/" + second.text("id")).status, 204);
  EXPECT_EQ(bot.get("/api/auth/me").status, 401);
  EXPECT_EQ(hub.visitor().as(key).get("/api/auth/me").status, 200);
  EXPECT_EQ(admin.ask("DELETE", "/api/agents/" + id).status, 204);
  EXPECT_EQ(hub.visitor().as(key).get("/api/auth/me").status, 401);
}

TEST_F(HubSecurity, ShowsASecretOnceAndNeverItsHash) {
  Visitor admin = hub.admin();
  const auto [id, key] = agent(admin, "bot");

  for (const std::string& path :
       {"/api/agents/" + id, "/api/agents/" + id + "/keys", std::string("/api/events?limit=200")}) {
    const std::string shown = admin.get(path).body;
    EXPECT_FALSE(shown.contains(key)) << path;
    EXPECT_FALSE(shown.contains("\"hash\"")) << path;
    EXPECT_FALSE(shown.contains("argon2")) << path;
  }
}

TEST_F(HubSecurity, LetsAnAgentDoWhatAgentsMayOnly) {
  Visitor admin = hub.admin();
  const auto [id, key] = agent(admin, "bot");
  const std::string other = agent(admin, "other").first;
  const std::string session =
      admin.get("/api/agents/" + other + "/sessions").json()["data"][0]["id"].get<std::string>();
  Visitor bot = hub.visitor().as(key);

  EXPECT_EQ(bot.post("/api/keys", {{"name", "mine"}}).status, 403);
  EXPECT_EQ(bot.get("/api/agents/" + id + "/keys").status, 403);
  EXPECT_EQ(bot.ask("DELETE", "/api/agents/" + other).status, 403);
  EXPECT_EQ(bot.get("/api/sessions/" + session + "/pending").status, 403);
  EXPECT_EQ(bot.post("/api/sessions/" + session + "/tokens", {{"run", "r1"}}).status, 403);
  EXPECT_EQ(bot.post("/api/agents/" + other + "/sessions", {{"name", "x"}}).status, 403);
  EXPECT_FALSE(bot.get("/api/events?limit=200").body.contains("credential_")) << "keys of others";
}

TEST_F(HubSecurity, HoldsARunToItsSession) {
  Visitor admin = hub.admin();
  const auto [id, key] = agent(admin, "bot");
  Visitor bot = hub.visitor().as(key);
  const std::string own = bot.make("/api/agents/" + id + "/sessions", {{"name", "own"}});
  const std::string other = bot.make("/api/agents/" + id + "/sessions", {{"name", "other"}});
  const Reply token = bot.post("/api/sessions/" + own + "/tokens", {{"run", "r1"}});
  ASSERT_EQ(token.status, 201) << token.body;
  Visitor run = hub.visitor().as(token.text("token"));

  EXPECT_EQ(run.get("/api/auth/me").text("session_id"), own);
  EXPECT_EQ(run.get("/api/sessions/" + own + "/pending").status, 200);
  EXPECT_EQ(run.patch("/api/sessions/" + own, {{"status", "running"}}).status, 200);
  EXPECT_EQ(run.get("/api/sessions/" + other + "/pending").status, 403);
  EXPECT_EQ(run.patch("/api/sessions/" + other, {{"claude_session_id", "c1"}}).status, 403);
  EXPECT_EQ(run.ask("DELETE", "/api/sessions/" + other).status, 403);
  EXPECT_EQ(run.post("/api/agents/" + id + "/sessions", {{"name", "third"}}).status, 403);
  EXPECT_EQ(run.post("/api/sessions/" + own + "/tokens", {{"run", "r2"}}).status, 403)
      << "it could live for ever";
}

// Its next run would go on with it, and tell what was said there.
TEST_F(HubSecurity, LetsNoRunChooseTheConversationOfTheNext) {
  Visitor admin = hub.admin();
  const auto [id, key] = agent(admin, "bot");
  const std::string foreign =
      admin.get("/api/agents/" + agent(admin, "other").first).text("default_session");
  Visitor bot = hub.visitor().as(key);
  const std::string own = bot.make("/api/agents/" + id + "/sessions", {{"name", "own"}});
  const Reply token = bot.post("/api/sessions/" + own + "/tokens", {{"run", "r1"}});
  Visitor run = hub.visitor().as(token.text("token"));
  const auto conversation = [&] {
    return bot.get("/api/sessions/" + own).text("claude_session_id");
  };

  EXPECT_EQ(bot.patch("/api/sessions/" + own, {{"claude_session_id", "c1"}}).status, 200);
  EXPECT_EQ(conversation(), "c1");
  for (const char* other : {"c2", ""}) {
    const Reply refused = run.patch("/api/sessions/" + own, {{"claude_session_id", other}});
    EXPECT_EQ(refused.status, 403);
    EXPECT_TRUE(refused.body.contains("agent's key")) << refused.body;
  }
  EXPECT_EQ(bot.patch("/api/sessions/" + foreign, {{"claude_session_id", "c2"}}).status, 403);
  for (const std::string& wrong : {std::string("--model=x"), std::string("two words"),
                                   std::string("대화"), std::string(201, 'x')}) {
    EXPECT_EQ(bot.patch("/api/sessions/" + own, {{"claude_session_id", wrong}}).status, 400)
        << wrong;
  }
  EXPECT_EQ(conversation(), "c1");
  EXPECT_EQ(bot.patch("/api/sessions/" + own, {{"claude_session_id", ""}}).status, 200);
  EXPECT_EQ(conversation(), "");
}

TEST_F(HubSecurity, ServesWhatPeopleWroteAsDataOnly) {
  const std::string script = "<script>alert(1)</script>\u2028</textarea>\r\nX-Evil: 1";
  Visitor admin = hub.admin();
  const std::string feed = admin.make("/api/feeds", {{"name", "<img src=x onerror=alert(1)>"}});
  const std::string post =
      admin.make("/api/feeds/" + feed + "/posts", {{"title", "<b>"}, {"content", script}});
  agent(admin, "<script>bot");

  const Reply shown = admin.get("/api/posts/" + post);

  EXPECT_EQ(shown.text("content"), script) << "stored as it was written";
  EXPECT_EQ(shown.header("content-type"), "application/json");
  EXPECT_EQ(shown.header("x-content-type-options"), "nosniff");
  EXPECT_TRUE(shown.header("content-security-policy").starts_with("default-src 'none'"));
  EXPECT_EQ(shown.header("x-evil"), "");
  EXPECT_EQ(shown.header("cache-control"), "no-store");
}

}  // namespace
}  // namespace tyer::testing
