// The commands for people and scripts: on a local store, and through a real hub.

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/limits.h"
#include "feed/limits.h"
#include "support/hub_commands.h"

namespace tyer::testing {
namespace {

// Everything here is the same on a store, whatever its kind, and through a hub.
class HubCli : public HubCommands, public ::testing::WithParamInterface<const char*> {
 protected:
  void start() {
    const std::string way = GetParam();
    if (way == "files") environment["TYER_STORE"] = "files:plain";
    if (way == "hub") start_hub({"--open-loopback"});
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, HubCli, ::testing::Values("sqlite", "files", "hub"),
                         [](const auto& way) { return std::string(way.param); });

TEST_P(HubCli, AddingAnAgentPrintsItsKeyAndSaysWhereToPutIt) {
  start();
  std::filesystem::create_directory(dir / "src");

  const ProgramResult result = tyer("agent add research-bot --type demo --dir work/../src");

  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("ty_")) << result.out;
  EXPECT_EQ(split_lines(result.out).size(), 1U) << result.out;
  EXPECT_TRUE(result.err.contains("research-bot (ag_")) << result.err;
  EXPECT_TRUE(result.err.contains("TYER_API_KEY")) << result.err;
  EXPECT_TRUE(result.err.contains("TYER_URL")) << result.err;
  EXPECT_FALSE(result.err.contains(result.out.substr(0, result.out.size() - 1)));
  const Json agents = json({"agent", "list", "--json"});
  ASSERT_EQ(agents.size(), 1U);
  EXPECT_EQ(agents[0]["name"], "research-bot");
  EXPECT_EQ(agents[0]["type"], "demo");
  EXPECT_EQ(agents[0]["working_directory"], dir / "src");
}

TEST_P(HubCli, AKeyIsTheAgent) {
  start();
  const Json made =
      json({"agent", "add", "번역 봇", "--model", "opus", "--permission", "edit", "--json"});
  EXPECT_TRUE(made["id"].get<std::string>().starts_with("ag_"));
  EXPECT_TRUE(made["key_id"].get<std::string>().starts_with("cr_"));
  EXPECT_EQ(made["model"], "opus");
  EXPECT_EQ(made["permission_mode"], "edit");

  environment["TYER_API_KEY"] = made["key"];
  const Json feed = json({"feed", "add", "일반", "--json"});

  EXPECT_EQ(feed["author_name"], "번역 봇");
  EXPECT_EQ(feed["author_type"], "bot");
  EXPECT_EQ(tyer("agent add another").code, 4) << "agents make no agents";
  environment["TYER_API_KEY"].back() = '!';
  EXPECT_EQ(tyer("feed list").code, 4);
  environment["TYER_API_KEY"] = "a\nb";
  EXPECT_EQ(tyer("feed list").code, 2);
}

TEST_P(HubCli, RefusesAgentsThatCannotBe) {
  start();
  ASSERT_EQ(tyer("agent add bot").code, 0);

  const ProgramResult taken = tyer("agent add BOT --json");
  EXPECT_EQ(taken.code, 4);
  EXPECT_EQ(parse_json(taken.err).value_or(Json())["error"]["code"], "conflict") << taken.err;
  EXPECT_EQ(tyer("agent add a/b").code, 2);
  EXPECT_EQ(tyer("agent add @bot").code, 2);
  EXPECT_EQ(tyer({"agent", "add", ""}).code, 2);
  EXPECT_EQ(tyer({"agent", "add", std::string(101, 'x')}).code, 2);
  EXPECT_EQ(tyer({"agent", "add", "\xff"}).code, 2);
  EXPECT_EQ(tyer("agent add x --type cluade").code, 2);
  EXPECT_EQ(tyer("agent add").code, 2);
}

TEST_P(HubCli, OnlyAgentsThatCanUseACommandGetOne) {
  start();
  ASSERT_EQ(tyer("agent add demo --type demo").code, 0);
  ASSERT_EQ(tyer("agent add cat --type command -- cat").code, 0);

  const ProgramResult refused = tyer("agent set demo -- cat");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.contains("an agent of type demo takes no command")) << refused.err;
  EXPECT_EQ(tyer("agent add other --type demo -- cat").code, 2);
  EXPECT_EQ(tyer("agent set cat --type demo").code, 2);
  EXPECT_EQ(tyer("agent set demo --type command -- cat").code, 0);
  EXPECT_EQ(tyer("agent set cat --type demo --").code, 0);
  const Json agents = json({"agent", "list", "--json"});
  EXPECT_EQ(agents[0]["command"], Json::array({"cat"}));
  EXPECT_EQ(agents[1]["command"], Json::array());
}

TEST_P(HubCli, ListsAreAlignedAndSayIfThereIsNothing) {
  start();
  ASSERT_EQ(tyer("feed add 일반").code, 0);
  EXPECT_EQ(tyer("agent list").out, "No agents.\n");
  EXPECT_EQ(tyer("agent list --json").out, "[]\n");
  EXPECT_EQ(tyer("feed show 일반").out, "No posts.\n");

  ASSERT_EQ(tyer("agent add 리서치봇").code, 0);
  ASSERT_EQ(tyer("agent add b").code, 0);
  const ProgramResult result = tyer("agent list");

  EXPECT_TRUE(is_trimmed(result.out)) << result.out;
  EXPECT_TRUE(result.out.contains("  리서치봇  claude  not served")) << result.out;
  EXPECT_TRUE(result.out.contains("  b         claude  not served")) << result.out;
}

TEST_P(HubCli, KeysAreMadeListedAndRevoked) {
  start();
  const std::string first = line_of({"agent", "add", "bot"});
  const std::string second = line_of({"agent", "key", "Bot"});
  ASSERT_NE(first, second);
  ASSERT_EQ(tyer("agent add other").code, 0);

  const ProgramResult listed = tyer("agent key bot --list --json");
  const Json keys = parse_json(listed.out).value_or(Json());
  ASSERT_EQ(keys.size(), 2U) << listed.err;
  EXPECT_FALSE(listed.out.contains("hash"));
  EXPECT_FALSE(listed.out.contains(first) || listed.out.contains(second));
  const std::string id = keys[0]["id"];
  EXPECT_EQ(tyer("agent key other --revoke " + id).code, 1) << "it is another agent's";
  EXPECT_EQ(tyer("agent key bot --revoke cr_none").code, 1);
  EXPECT_EQ(tyer({"agent", "key", "bot", "--revoke", ""}).code, 1);
  EXPECT_EQ(tyer("agent key bot --list --revoke " + id).code, 2);

  EXPECT_EQ(json({"agent", "key", "bot", "--revoke", id, "--json"}),
            Json({{"id", id}, {"status", "revoked"}}));
  environment["TYER_API_KEY"] = first;
  EXPECT_EQ(tyer("feed list").code, 4);
  environment["TYER_API_KEY"] = second;
  EXPECT_EQ(tyer("feed list").code, 0);
  environment.erase("TYER_API_KEY");
  EXPECT_EQ(tyer({"agent", "key", "bot", "--revoke", keys[1]["prefix"]}).code, 0);
  EXPECT_TRUE(tyer("agent key bot --list").out.contains("revoked"));
}

TEST_P(HubCli, SessionsAreMadeAndDeletedByName) {
  start();
  ASSERT_EQ(tyer("agent add bot").code, 0);
  ASSERT_EQ(tyer("agent add other").code, 0);

  const std::string id = line_of({"agent", "sessions", "bot", "--add", "리팩토링"});
  EXPECT_TRUE(id.starts_with("ss_")) << id;
  ASSERT_EQ(tyer("agent sessions bot --add Deploy").code, 0);
  EXPECT_EQ(tyer("agent sessions bot --add deploy").code, 4);
  EXPECT_EQ(tyer({"agent", "sessions", "bot", "--add", "two words"}).code, 2);
  EXPECT_EQ(tyer("agent sessions bot --add a --remove b").code, 2);
  const Json sessions = json({"agent", "sessions", "bot", "--json"});
  ASSERT_EQ(sessions.size(), 3U);
  EXPECT_EQ(sessions[0]["is_default"], true);
  EXPECT_EQ(sessions[1]["name"], "리팩토링");
  EXPECT_TRUE(tyer("agent sessions bot").out.contains("  리팩토링  idle")) << "a table";

  EXPECT_EQ(tyer("agent sessions other --remove " + id).code, 1) << "it is another agent's";
  EXPECT_EQ(tyer("agent sessions bot --remove 리팩토링").code, 0);
  EXPECT_EQ(tyer("agent sessions bot --remove DEPLOY").code, 0);
  EXPECT_EQ(tyer("agent sessions bot --remove default").code, 4);
  const ProgramResult none = tyer("agent sessions bot --remove deploy");
  EXPECT_EQ(none.code, 1);
  EXPECT_EQ(none.err, "tyer: there is no session 'deploy'; there are default\n");
}

TEST_P(HubCli, TheLimitOfSessionsIsASetting) {
  environment["TYER_HUB_SESSIONS_MAX"] = "2";
  start();
  ASSERT_EQ(tyer("agent add bot").code, 0);
  ASSERT_EQ(tyer("agent sessions bot --add one").code, 0);
  EXPECT_EQ(tyer("agent sessions bot --add two").code, 5);
  ASSERT_EQ(tyer("feed add general").code, 0);

  const ProgramResult result = tyer({"feed", "post", "general", "@bot/three hello"});

  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.out.starts_with("ps_"));
  EXPECT_TRUE(result.err.contains("session limit reached")) << result.err;
}

TEST_P(HubCli, ARemovedAgentIsGoneWithItsKeys) {
  start();
  const std::string key = line_of({"agent", "add", "bot"});

  ASSERT_EQ(tyer("agent remove bot --yes").code, 0);

  EXPECT_EQ(tyer("agent list --json").out, "[]\n");
  const ProgramResult again = tyer("agent remove bot --yes");
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(again.err, "tyer: there is no agent 'bot'; there is no agent at all\n");
  environment["TYER_API_KEY"] = key;
  EXPECT_EQ(tyer("feed list").code, 4);
}

TEST_P(HubCli, PostsAndCommentsComeFromTheLineOrFromStandardInput) {
  start();
  const std::string feed = line_of({"feed", "add", "일반"});
  EXPECT_TRUE(feed.starts_with("fd_")) << feed;

  const std::string post = line_of({"feed", "post", "일반", "--title", "제목", "하나\n\t둘"});
  const ProgramResult piped = shell("printf '셋\\n넷\\n\\n' | tyer feed comment " + post);
  ASSERT_EQ(piped.code, 0) << piped.err;
  ASSERT_EQ(shell("echo from a pipe | tyer feed post " + feed).code, 0);

  const Json shown = json({"feed", "show", post, "--json"});
  EXPECT_EQ(shown["title"], "제목");
  EXPECT_EQ(shown["content"], "하나\n\t둘");
  EXPECT_EQ(shown["comment_count"], 1);
  ASSERT_EQ(shown["comments"].size(), 1U);
  EXPECT_EQ(shown["comments"][0]["content"], "셋\n넷");
  EXPECT_EQ(shown["last_at"], shown["comments"][0]["created_at"]);
  const std::vector<std::string> lines = split_lines(tyer("feed show " + post).out);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_TRUE(lines[0].ends_with("  " + post + "  admin  제목")) << lines[0];
  EXPECT_EQ(lines[1], "    하나");
  EXPECT_EQ(lines[2], "        둘");
  EXPECT_EQ(lines[5], "    셋");

  const Json posts = json({"feed", "show", "일반", "--json"});
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(posts[0]["id"], post) << "the newest comes last";
  EXPECT_EQ(posts[1]["content"], "from a pipe");
  EXPECT_EQ(json({"feed", "show", "일반", "--limit", "1", "--json"})[0]["content"], "from a pipe");
  EXPECT_EQ(json({"feed", "list", "--json"})[0]["name"], "일반");
  EXPECT_TRUE(tyer("feed list").out.contains(feed + "  일반  "));
}

TEST_P(HubCli, TextsThatCannotBeAreRefused) {
  start();
  const std::string feed = line_of({"feed", "add", "general"});
  const std::string post = line_of({"feed", "post", "general", "hello"});

  EXPECT_EQ(tyer({"feed", "post", "general", ""}).code, 2);
  EXPECT_EQ(tyer("feed post general").code, 2) << "nothing on standard input";
  EXPECT_EQ(tyer({"feed", "post", "general", "\xff\xfe"}).code, 2);
  EXPECT_EQ(tyer({"feed", "post", "general", "x", "--title", std::string(301, 'x')}).code, 2);
  const std::string most = std::to_string(limits::content_bytes_max);
  const std::string more = std::to_string(limits::content_bytes_max + 1);
  const std::string flood = "head -c {} /dev/zero | tr '\\0' x | tyer feed comment " + post;
  EXPECT_EQ(shell(with_number(flood, most)).code, 0);
  EXPECT_EQ(shell(with_number(flood, more)).code, 5);
  EXPECT_EQ(shell(with_number(flood, "3000000")).code, 5);
  EXPECT_EQ(tyer("feed comment ps_1 x").code, 1);
  EXPECT_EQ(tyer("feed comment ps_00000000000000000000000000 x").code, 1);
  EXPECT_EQ(tyer("feed comment " + feed + " x").code, 1);
  EXPECT_EQ(tyer("feed show general --limit 0").code, 2);
  EXPECT_EQ(tyer("feed show general --limit 1001").code, 2);
}

TEST_P(HubCli, WhatOthersWroteDoesNotReachTheTerminalAsItIs) {
  start();
  ASSERT_EQ(tyer("feed add general").code, 0);
  const std::string evil = "\x1b]0;owned\x07 \x1b[2J";
  const std::string post = line_of({"feed", "post", "general", evil});

  for (const std::string& line : {"feed show " + post, std::string("feed show general"),
                                  std::string("events"), std::string("events --json")}) {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_FALSE(result.out.contains('\x1b')) << line;
    EXPECT_TRUE(result.out.contains("owned")) << line;
  }
  EXPECT_EQ(json({"feed", "show", post, "--json"})["content"], evil);
}

TEST_P(HubCli, EventsAreFilteredByTopicAgentAndPlace) {
  start();
  ASSERT_EQ(tyer("agent add bot").code, 0);
  ASSERT_EQ(tyer("agent add 다른").code, 0);
  ASSERT_EQ(tyer("feed add general").code, 0);
  const std::string post = line_of({"feed", "post", "general", "@다른 hello"});
  ASSERT_EQ(tyer("feed comment " + post + " again").code, 0);

  const auto written = events("--topics post,comment");
  ASSERT_EQ(written.size(), 2U);
  EXPECT_EQ(written[0]["event"], "post_created");
  EXPECT_EQ(written[0]["id"], post);
  EXPECT_EQ(written[1]["event"], "comment_created");
  const std::string place = written[0]["event_id"];
  EXPECT_EQ(events("--topics post,comment --after " + place).size(), 1U);
  EXPECT_EQ(events("--limit 1")[0]["event_id"], "ev_0000000000000001");
  EXPECT_EQ(events("--topics comment --agents bot").size(), 0U);
  EXPECT_EQ(events("--topics comment --agents bot,다른").size(), 1U);
  const ProgramResult lines = tyer("events --topics post");
  EXPECT_TRUE(lines.out.starts_with(place + "  20")) << lines.out;
  EXPECT_TRUE(lines.out.contains("  post_created        post/" + post)) << lines.out;

  EXPECT_EQ(tyer("events --after yesterday").code, 2);
  EXPECT_EQ(tyer("events --agents nobody").code, 1);
  EXPECT_EQ(tyer("events --agents ,").code, 2);
  EXPECT_EQ(tyer("events --limit 0").code, 2);
}

TEST_P(HubCli, FollowingEventsGoesOnAndEndsAtItsLimit) {
  start();
  ASSERT_EQ(tyer("feed add general").code, 0);
  Program follower(call({"events", "--follow", "--after", "0", "--topics", "feed,post,comment",
                         "--limit", "3", "--json"}));
  ASSERT_TRUE(follower.wait_for("feed_created"));

  const std::string post = line_of({"feed", "post", "general", "eins"});
  ASSERT_TRUE(follower.wait_for("eins"));
  ASSERT_EQ(tyer("feed comment " + post + " zwei").code, 0);

  const ProgramResult result = follower.finish();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::vector<std::string> types;
  for (const std::string& line : split_lines(result.out)) {
    types.push_back(parse_json(line).value_or(Json())["event"]);
  }
  EXPECT_EQ(types, (std::vector<std::string>{"feed_created", "post_created", "comment_created"}));
}

TEST_P(HubCli, TailShowsTheNewestAndGoesOnUntilItIsTold) {
  start();
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("feed add other").code, 0);
  const std::string post = line_of({"feed", "post", "general", "eins"});
  const std::string gone = line_of({"feed", "post", "other", "elsewhere"});
  for (const char* text : {"zwei", "drei"}) {
    ASSERT_EQ(tyer("feed comment " + post + " " + text).code, 0);
  }

  for (const int signal : {SIGTERM, SIGINT}) {
    Program tail(call({"feed", "tail", "GENERAL", "--last", "2"}));
    ASSERT_TRUE(tail.wait_for("    drei\n"));
    ASSERT_EQ(tyer("feed comment " + gone + " nothing").code, 0);
    ASSERT_EQ(tyer("feed comment " + post + " vier").code, 0);
    EXPECT_TRUE(tail.wait_for("    vier\n"));
    tail.signal(signal);
    const ProgramResult result = tail.finish();

    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_FALSE(result.out.contains("eins")) << result.out;
    EXPECT_FALSE(result.out.contains("nothing")) << result.out;
    EXPECT_TRUE(result.out.contains("  admin  on " + post + "\n")) << result.out;
    ASSERT_EQ(tyer("feed comment " + post + " drei").code, 0);
  }
  EXPECT_EQ(tyer("feed tail nowhere").code, 1);
  EXPECT_EQ(tyer("feed tail --last many").code, 2);
}

TEST_P(HubCli, FollowingEndsWhenItsReaderIsGone) {
  start();
  ASSERT_EQ(tyer("feed add general").code, 0);
  ASSERT_EQ(tyer("feed post general eins").code, 0);
  Program tail(call({"feed", "tail"}));
  ASSERT_TRUE(tail.wait_for("eins"));

  tail.close_output();
  const ProgramResult result = tail.finish();

  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace tyer::testing
