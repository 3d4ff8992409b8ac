// `tyer password` and `tyer login`: the way in for whoever has the store (H1).

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/screen.h"

namespace tyer::testing {
namespace {

constexpr const char* new_password = "another battery";

class HubLogin : public ::testing::TestWithParam<std::string> {
 protected:
  // A command on the store, with `input` as its standard input.
  [[nodiscard]] ProgramResult tyer(const std::vector<std::string>& words,
                                   const std::string& input = "") const {
    const std::string file = place.dir() / "input";
    std::ofstream(file) << input;
    ProgramCall call = place.call({});
    call.words.erase(call.words.begin());
    call.words.insert(call.words.begin(), words.begin(), words.end());
    call.words.insert(call.words.begin(),
                      {"-c", "file=$1; shift; exec \"$0\" \"$@\" <\"$file\"", call.program, file});
    call.program = "/bin/sh";
    return run_program(call);
  }

  static int log_in(const RunningHub& hub, const std::string& password) {
    return hub.visitor().post("/api/auth/login", {{"password", password}}).status;
  }

  // The secret of a link.
  [[nodiscard]] std::string link() const {
    const ProgramResult made = tyer({"login", "--json"});
    EXPECT_EQ(made.code, 0) << made.err;
    const std::string url = text_or(parse_json(made.out).value_or(Json::object()), "url");
    EXPECT_TRUE(url.starts_with("http://127.0.0.1:7420/#login=tk_")) << made.out;
    return url.substr(url.find('=') + 1);
  }

  HubPlace place{GetParam()};
};

TEST_P(HubLogin, SetsAPasswordWhileTheHubServesAndEndsAllLogins) {
  RunningHub hub(place);
  Visitor admin = hub.admin();
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  Listener page(hub.url(), "/api/events/stream", admin.headers());
  const std::string unused = link();

  const ProgramResult set = tyer({"password", "--json"}, std::string(new_password) + "\n");

  ASSERT_EQ(set.code, 0) << set.err;
  const Json told = parse_json(set.out).value_or(Json::object());
  EXPECT_EQ(told["logins_ended"], 2) << set.out;
  EXPECT_FALSE(text_or(told, "store").empty()) << set.out;
  EXPECT_EQ(admin.get("/api/auth/me").status, 401);
  (void)page.until_end();
  EXPECT_EQ(hub.visitor().post("/api/auth/link", {{"secret", unused}}).status, 401);
  EXPECT_EQ(log_in(hub, hub_password), 401);
  EXPECT_EQ(log_in(hub, new_password), 200);
  EXPECT_EQ(hub.visitor().as(agent.text("key")).get("/api/auth/me").status, 200);
}

TEST_P(HubLogin, IsToldInTheLogWithoutItsSecrets) {
  const RunningHub hub(place);
  (void)hub.admin();
  const std::string secret = link();
  ASSERT_EQ(tyer({"password"}, new_password).code, 0);

  const ProgramResult log = tyer({"log", "--json", "--limit", "1000"});

  EXPECT_TRUE(log.out.contains("account.updated")) << log.out;
  EXPECT_TRUE(log.out.contains("link for one login")) << log.out;
  EXPECT_TRUE(log.out.contains("the password was changed")) << log.out;
  EXPECT_TRUE(log.out.contains("human/admin")) << log.out;
  EXPECT_FALSE(log.out.contains(secret)) << log.out;
  EXPECT_FALSE(log.out.contains("argon2")) << log.out;
}

TEST_P(HubLogin, SetsTheFirstPasswordAsWell) {
  const RunningHub hub(place);
  ASSERT_EQ(tyer({"password"}, new_password).code, 0);
  EXPECT_EQ(hub.visitor().get("/api/setup").json()["needs_setup"], false);
  EXPECT_EQ(log_in(hub, new_password), 200);
}

TEST_P(HubLogin, RefusesWhatIsNoPassword) {
  const RunningHub hub(place);
  (void)hub.admin();
  for (const std::string& wrong : {std::string("short\n"), std::string(), std::string(201, 'x'),
                                   std::string("two lines\nof it\n"), std::string(20, '\xff')}) {
    const ProgramResult refused = tyer({"password"}, wrong);
    EXPECT_EQ(refused.code, 2) << wrong << refused.err;
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(log_in(hub, hub_password), 200);
}

TEST_P(HubLogin, LogsInOnceByALink) {
  const RunningHub hub(place);
  (void)hub.admin();
  const std::string secret = link();
  Visitor visitor = hub.visitor();

  const Reply reply = visitor.post("/api/auth/link", {{"secret", secret}});

  ASSERT_EQ(reply.status, 200) << reply.body;
  const std::string cookie = reply.header("set-cookie");
  visitor.with("Cookie", cookie.substr(0, cookie.find(';')));
  visitor.with("X-CSRF-Token", reply.text("csrf_token"));
  EXPECT_EQ(visitor.get("/api/auth/me").text("id"), "admin");
  EXPECT_EQ(visitor.post("/api/feeds", {{"name", "main"}}).status, 201);
  EXPECT_EQ(hub.visitor().post("/api/auth/link", {{"secret", secret}}).status, 401);
}

// Whatever strangers do to the login by password.
TEST_P(HubLogin, LogsInByALinkWhereGuessesAreUsedUp) {
  const RunningHub hub(place);
  (void)hub.admin();
  for (int i = 0; i < 6; ++i) (void)log_in(hub, "a wrong guess");
  ASSERT_EQ(log_in(hub, hub_password), 429);
  EXPECT_EQ(hub.visitor().post("/api/auth/link", {{"secret", link()}}).status, 200);
}

INSTANTIATE_TEST_SUITE_P(On, HubLogin, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

class LoginLink : public ::testing::Test {
 protected:
  [[nodiscard]] ProgramResult login(std::vector<std::string> options,
                                    std::map<std::string, std::string> environment = {}) const {
    options.insert(options.begin(), "login");
    environment["HOME"] = place.dir().path();
    return run_program({.words = std::move(options),
                        .directory = place.dir().path(),
                        .environment = std::move(environment)});
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place};
};

TEST_F(LoginLink, NamesTheHubAsItIsToldHere) {
  for (const auto& [options, environment, start] : std::vector<
           std::tuple<std::vector<std::string>, std::map<std::string, std::string>, std::string>>{
           {{}, {}, "http://127.0.0.1:7420/#login=tk_"},
           {{"--url", "https://hub.example:1/"}, {}, "https://hub.example:1/#login=tk_"},
           {{}, {{"TYER_URL", "https://hub.example"}}, "https://hub.example/#login=tk_"},
           {{}, {{"TYER_HUB_LISTEN", "0.0.0.0:80"}}, "http://127.0.0.1:80/#login=tk_"},
           {{}, {{"TYER_HUB_LISTEN", "[::]:80"}}, "http://[::1]:80/#login=tk_"}}) {
    const ProgramResult made = login(options, environment);
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(made.out.starts_with(start)) << made.out;
    EXPECT_EQ(made.out.find('\n'), made.out.size() - 1);
    EXPECT_TRUE(made.err.contains("once, within 10 min")) << made.err;
  }
}

// A repository that was cloned may bring one.
TEST_F(LoginLink, NamesNoHubThatOnlyAFileNames) {
  std::ofstream(place.dir() / ".tyer/config.toml") << "[hub]\nurl = \"http://evil.example\"\n";
  const ProgramResult made = login({});
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with("http://127.0.0.1:7420/#")) << made.out;
  std::ofstream(place.dir() / ".tyer/config.toml") << "[hub]\nlisten = \"203.0.113.9:80\"\n";
  const ProgramResult refused = login({});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.contains("--url")) << refused.err;
}

TEST_F(LoginLink, NeedsAStoreThatIsThere) {
  const HubPlace empty("sqlite");
  for (const char* command : {"login", "password"}) {
    const ProgramResult refused = run_program({.words = {command},
                                               .directory = empty.dir().path(),
                                               .environment = {{"HOME", empty.dir().path()}}});
    EXPECT_EQ(refused.code, 1) << refused.err;
    EXPECT_TRUE(refused.err.contains("there is no store")) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(empty.dir() / ".tyer"));
}

// As somebody at a keyboard.
class PasswordOnATerminal : public ::testing::Test {
 protected:
  void start() {
    ProgramCall call = place.call({});
    call.words = {
        "-c",
        fmt::format("exec setsid --wait --ctty \"$0\" password <{0} >{0} 2>&1", screen.path()),
        TYER_PROGRAM};
    call.program = "/bin/sh";
    program = std::make_unique<Program>(call);
    (void)screen.until("New password: ");
    EXPECT_FALSE(screen.is_plain());
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place};
  Screen screen{80, 24};
  std::unique_ptr<Program> program;
};

TEST_F(PasswordOnATerminal, IsAskedForTwiceAndNotShown) {
  start();
  screen.type(std::string(new_password) + "\n");
  std::string shown = screen.until("New password, once more: ");
  screen.type(std::string(new_password) + "\n");
  shown += screen.until("0 logins ended.");
  EXPECT_EQ(program->finish().code, 0);
  EXPECT_FALSE(shown.contains("battery")) << shown;
  EXPECT_TRUE(screen.is_plain());
  EXPECT_EQ(hub.visitor().post("/api/auth/login", {{"password", new_password}}).status, 200);
}

TEST_F(PasswordOnATerminal, IsNotSetIfItWasNotTheSameTwice) {
  start();
  screen.type(std::string(new_password) + "\n");
  (void)screen.until("once more: ");
  screen.type("something else\n");
  (void)screen.until("the two are not the same");
  EXPECT_EQ(program->finish().code, 2);
  EXPECT_TRUE(screen.is_plain());
  EXPECT_EQ(hub.visitor().get("/api/setup").json()["needs_setup"], true);
}

TEST_F(PasswordOnATerminal, LeavesTheTerminalAsItWasWhenItIsInterrupted) {
  start();
  screen.type("half of it\x03");
  (void)screen.until("nothing was changed");
  EXPECT_EQ(program->finish().code, 130);
  EXPECT_TRUE(screen.is_plain());
}

}  // namespace
}  // namespace tyer::testing
