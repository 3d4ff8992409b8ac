// Which hub is meant, who asks, and what happens if nobody is there.

#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "http/server.h"
#include "support/hub_commands.h"
#include "support/hub_relay.h"

namespace tyer::testing {
namespace {

using HubDoor = HubCommands;

TEST_F(HubDoor, NoHubThereIsExitCode3) {
  for (const char* line : {"feed list", "agent add bot", "feed tail", "events --follow",
                           "events --follow --after 0"}) {
    const ProgramResult result = tyer(std::string(line) + " --url http://127.0.0.1:1");

    EXPECT_EQ(result.code, 3) << line;
    EXPECT_TRUE(result.err.contains("the hub http://127.0.0.1:1: ")) << result.err;
    EXPECT_TRUE(result.err.contains("hint: is it running? 'tyer serve' starts one")) << result.err;
  }
  EXPECT_FALSE(has_file(".tyer"));
}

TEST_F(HubDoor, WhatIsNoHubIsExitCode3) {
  const auto server = http::Server::start(
      "127.0.0.1:0", [](http::Request&) { return http::Response{.body = "<html>"}; }, {});
  ASSERT_TRUE(server) << server.error().what;
  environment["TYER_URL"] = "http://" + (*server)->address();

  for (const char* line : {"feed list", "feed tail", "events --follow", "agent remove bot --yes"}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 3) << line;
    EXPECT_TRUE(result.err.contains("not as a hub does")) << result.err;
  }
}

TEST_F(HubDoor, AnAddressThatIsNoneIsWrongUsage) {
  for (const char* url : {"127.0.0.1:7420", "ftp://host", "http://", "http://me:secret@host"}) {
    const ProgramResult result = tyer({"feed", "list", "--url", url});
    EXPECT_EQ(result.code, 2) << url;
    EXPECT_TRUE(result.err.contains("--url: hub.url is '")) << result.err;
  }
  EXPECT_EQ(tyer("feed list --url http://127.0.0.1:1 --store sqlite:x.db").code, 2);
}

TEST_F(HubDoor, WhoTakesTheWrongSchemeIsToldTheRightOne) {
  const auto answer = [](http::Request&) { return http::Response{.body = "{}"}; };
  const auto plain = http::Server::start("127.0.0.1:0", answer, {});
  ASSERT_TRUE(plain) << plain.error().what;
  ASSERT_EQ(shell("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 "
                  "-subj /CN=here -keyout key.pem -out cert.pem")
                .code,
            0);
  const auto secret =
      http::Server::start("127.0.0.1:0", answer, {}, http::Tls{dir / "cert.pem", dir / "key.pem"});
  ASSERT_TRUE(secret) << secret.error().what;

  for (const std::string line : {"feed list", "lock list", "run K", "events --follow"}) {
    const std::string behind = line.starts_with("run") ? " -- echo ran" : "";
    const ProgramResult one = tyer(line + " --url https://" + (*plain)->address() + behind);
    EXPECT_EQ(one.code, 3) << line;
    EXPECT_TRUE(one.err.contains("write http:// in place of https://")) << one.err;
    const ProgramResult other = tyer(line + " --url http://" + (*secret)->address() + behind);
    EXPECT_EQ(other.code, 2) << line;
    EXPECT_TRUE(other.err.contains("write https:// in place of http://")) << other.err;
    EXPECT_EQ(one.out + other.out, "");
  }
}

TEST_F(HubDoor, WithoutAStoreWhatOnlyReadsMakesNothing) {
  for (const char* line :
       {"feed list", "agent list", "events", "feed show general", "feed post general hello",
        "agent remove bot --yes", "agent sessions bot"}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 1) << line;
    EXPECT_TRUE(result.err.contains("there is no store here")) << result.err;
  }
  EXPECT_FALSE(has_file(".tyer"));
}

TEST_F(HubDoor, AHubWithALoginLetsInOnlyKeys) {
  const std::string key = line_of({"agent", "add", "bot"});
  start_hub({});

  const ProgramResult refused = tyer("feed list");
  EXPECT_EQ(refused.code, 4);
  EXPECT_TRUE(refused.err.contains("hint: an agent's key belongs in TYER_API_KEY")) << refused.err;
  EXPECT_EQ(tyer("events --follow").code, 4);
  EXPECT_EQ(tyer("feed tail").code, 4);
  environment["TYER_API_KEY"] = key;
  EXPECT_EQ(tyer("feed add general").code, 0);
  EXPECT_EQ(tyer("agent key bot --list").code, 4) << "agents see no keys";
  for (const Json& event : events("")) {
    EXPECT_FALSE(event["event"].get<std::string>().starts_with("credential")) << event;
  }
  environment["TYER_API_KEY"] = "ty_" + std::string(66, 'x');
  EXPECT_EQ(tyer("feed list").code, 4);
}

TEST_F(HubDoor, IsNamedByFlagVariableFileOrTheOldVariables) {
  const std::string key = line_of({"agent", "add", "bot"});
  start_hub({});
  environment.erase("TYER_URL");
  ASSERT_EQ(tyer("feed add here").code, 0);
  const std::string nowhere = "http://127.0.0.1:1";

  environment["AGENTFEED_URL"] = "zzz";
  EXPECT_EQ(tyer("feed list").code, 2);
  EXPECT_TRUE(tyer("feed list").err.contains("AGENTFEED_URL is 'zzz', but must be a URL"));
  environment["AGENTFEED_URL"] = nowhere;
  EXPECT_EQ(tyer("feed list").code, 3);
  EXPECT_EQ(tyer({"feed", "list", "--store", store_url()}).code, 0) << "the store itself";
  write_file(".tyer/config.toml", "[hub]\nurl = '" + url() + "'\n");
  ASSERT_EQ(tyer("trust").code, 0);
  EXPECT_EQ(tyer("feed list").code, 4) << "the hub was asked, and wants a key";
  environment["AGENTFEED_API_KEY"] = key;
  EXPECT_EQ(tyer("feed list --url " + url()).code, 0);
  environment["TYER_URL"] = nowhere;
  EXPECT_EQ(tyer("feed list").code, 3);
  EXPECT_EQ(tyer("feed list --url " + url()).code, 0);
  environment["TYER_API_KEY"] = "wrong";
  EXPECT_EQ(tyer("feed list --url " + url()).code, 4);
}

TEST_F(HubDoor, BothWaysPrintTheSame) {
  start_hub({"--open-loopback"});
  ASSERT_EQ(tyer("agent add 봇 --type demo").code, 0);
  ASSERT_EQ(tyer("feed add 일반").code, 0);
  const std::string post = line_of({"feed", "post", "일반", "--title", "T", "@봇 안녕"});
  ASSERT_EQ(tyer("feed comment " + post + " again").code, 0);

  for (const std::string& line :
       {std::string("agent list"), std::string("agent key 봇 --list"),
        std::string("agent sessions 봇"), std::string("feed list"), std::string("feed show 일반"),
        "feed show " + post, std::string("events"), std::string("events --topics post"),
        std::string("events --follow --after 0 --limit 9"), std::string("feed show none")}) {
    for (const char* form : {"", " --json"}) {
      const ProgramResult far = tyer(line + form);
      const ProgramResult near = tyer(line + form + " --store " + store_url());

      EXPECT_EQ(far.code, near.code) << line;
      EXPECT_EQ(far.out, near.out) << line;
      EXPECT_EQ(far.err, near.err) << line;
    }
  }
}

// Whoever follows sees everything once, though the hub is killed, others write meanwhile, and it
// comes back.
TEST_F(HubDoor, FollowingOutlivesTheHub) {
  start_hub({"--open-loopback"});
  const std::string address = url().substr(std::string("http://").size());
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("feed post general p0").code, 0);
  Program tail(call({"feed", "tail", "--json"}));
  ASSERT_TRUE(tail.wait_for("\"p0\""));
  Program all(call({"events", "--follow", "--after", "0", "--topics", "post", "--json"}));
  ASSERT_TRUE(all.wait_for("\"p0\""));
  const std::string store = " --store " + store_url();

  for (int i = 1; i <= 3; ++i) {
    end_hub(SIGKILL);
    ASSERT_EQ(tyer("feed post general p" + std::to_string(i) + store).code, 0);
    start_hub({"--open-loopback"}, address);
    ASSERT_TRUE(tail.wait_for("\"p" + std::to_string(i) + "\""));
    ASSERT_TRUE(all.wait_for("\"p" + std::to_string(i) + "\""));
  }
  for (Program* const follower : {&tail, &all}) {
    follower->signal(SIGTERM);
    const ProgramResult result = follower->finish();
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(split_lines(result.out).size(), 4U) << result.out;
    EXPECT_TRUE(result.err.contains("; trying again\n")) << result.err;
    EXPECT_EQ(split_lines(result.err).size(), 3U) << result.err;
  }
}

// The hub may be killed between the answer to what was written before and the stream behind it.
TEST_F(HubDoor, FollowingOutlivesAHubThatGoesBeforeItsStreamBegins) {
  start_hub({"--open-loopback"});
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("feed post general p0").code, 0);
  bool has_listed = false;
  bool has_refused = false;
  HubRelay relay(std::stoi(url().substr(url().rfind(':') + 1)), [&](std::string& said) {
    has_listed = has_listed || said.contains("\"p0\"");
    const bool is_stream = said.starts_with("HTTP/1.1 200") && said.contains("text/event-stream");
    if (!has_listed || !is_stream || std::exchange(has_refused, true)) return;
    constexpr std::string_view refusal = "HTTP/1.1 503 No\r\nContent-Length: {:04}\r\n\r\n";
    const std::size_t rest = said.size() - fmt::format(refusal, 0).size();
    said = fmt::format(refusal, rest) + std::string(rest, ' ');
  });

  Program tail(call({"feed", "tail", "--json", "--url", relay.url()}));
  ASSERT_TRUE(tail.wait_for("\"p0\""));
  ASSERT_EQ(tyer("feed post general p1").code, 0);
  EXPECT_TRUE(tail.wait_for("\"p1\""));

  tail.signal(SIGTERM);
  const ProgramResult result = tail.finish();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.err.contains("; trying again\n")) << result.err;
}

TEST_F(HubDoor, FollowingEndsWithItsKey) {
  const std::string key = line_of({"agent", "add", "bot"});
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("feed post general hello").code, 0);
  start_hub({});
  environment["TYER_API_KEY"] = key;
  Program tail(call({"feed", "tail"}));
  ASSERT_TRUE(tail.wait_for("hello"));

  environment.erase("TYER_API_KEY");
  const std::string store = " --store " + store_url();
  const Json keys = parse_json(tyer("agent key bot --list --json" + store).out).value_or(Json());
  ASSERT_EQ(tyer("agent key bot --revoke " + keys[0]["id"].get<std::string>() + store).code, 0);
  const ProgramResult result = tail.finish();

  EXPECT_EQ(result.code, 4);
  EXPECT_TRUE(result.err.contains("the key of this stream was revoked")) << result.err;
}

}  // namespace
}  // namespace tyer::testing
