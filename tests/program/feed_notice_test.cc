// What the hub remarks in a thread, as people see it in the terminal.

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/hub_commands.h"

namespace tyer::testing {
namespace {

class FeedNotice : public HubCommands {
 protected:
  FeedNotice() {
    start_hub({"--open-loopback"});
    agent_key = line_of({"agent", "add", "bot"});
    EXPECT_EQ(tyer("feed add general").code, 0);
  }

  // A post that the bot's session was woken for until it was given up.
  std::string skipped_post() {
    std::string post = line_of({"feed", "post", "general", "@bot hello"});
    session = json({"agent", "sessions", "bot", "--json"})[0]["id"];
    Visitor bot = Visitor(url()).as(agent_key);
    for (const char* run : {"one", "two", "three", "four"}) {
      EXPECT_EQ(bot.post("/api/sessions/" + session + "/wake",
                         {{"run", run}, {"items", Json::array({post})}})
                    .status,
                200);
    }
    return post;
  }

  static std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      ++count;
    }
    return count;
  }

  std::string agent_key;
  std::string session;
};

constexpr const char* skipped_text = "skipped: woken 3 times without an answer";

TEST_F(FeedNotice, StandsInTheThreadWhereItHappened) {
  const std::string post = line_of({"feed", "post", "general", "hello"});
  ASSERT_EQ(tyer({"feed", "comment", post, "before"}).code, 0);
  for (const char* name : {"a", "b", "c", "d"}) {
    ASSERT_EQ(tyer({"agent", "sessions", "bot", "--add", name}).code, 0);
  }
  const std::string comment = line_of({"feed", "comment", post, "@bot/more please"});
  ASSERT_EQ(tyer({"feed", "comment", post, "after"}).code, 0);

  const std::string shown = tyer("feed show " + post).out;

  const std::size_t head = shown.find("  notice  about " + comment + "  on " + post + "\n    ");
  const std::size_t text = shown.find("session limit reached");
  ASSERT_NE(head, std::string::npos) << shown;
  EXPECT_LT(shown.find("@bot/more please"), head) << shown;
  EXPECT_LT(head, text) << shown;
  EXPECT_LT(text, shown.find("    after\n")) << shown;
  const Json notices = json({"feed", "show", post, "--json"})["thread_notices"];
  ASSERT_EQ(notices.size(), 2U) << "and that nobody serves the agent";
  EXPECT_EQ(notices[0]["notice"]["source_id"], comment);
}

TEST_F(FeedNotice, IsLeftOutWithTheCommentsThatAre) {
  const std::string post = skipped_post();
  ASSERT_EQ(tyer({"feed", "comment", post, "one"}).code, 0);
  ASSERT_EQ(tyer({"feed", "comment", post, "two"}).code, 0);

  EXPECT_FALSE(tyer("feed show --limit 1 " + post).out.contains(skipped_text));
  EXPECT_TRUE(tyer("feed show --limit 2 " + post).out.contains(skipped_text));
}

TEST_F(FeedNotice, OfWhatWasSkippedNamesTheCommandThatTriesItAgain) {
  const std::string post = skipped_post();
  const std::string shown = tyer("feed show " + post).out;
  const std::string command = "tyer feed retry " + post + " " + session;
  ASSERT_TRUE(shown.contains("    " + command + "\n")) << shown;

  const ProgramResult result = shell(command);

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, post + " is tried again\n");
  const Json pending = Visitor(url()).get("/api/sessions/" + session + "/pending").json();
  ASSERT_EQ(pending["data"].size(), 1U) << pending;
  EXPECT_EQ(pending["data"][0]["wakes"], 0);
}

TEST_F(FeedNotice, IsFollowedInItsFeedOnly) {
  ASSERT_EQ(tyer("feed add other").code, 0);
  const std::string post = skipped_post();
  Program tail(call({"feed", "tail", "general"}));
  Program elsewhere(call({"feed", "tail", "other"}));
  EXPECT_TRUE(tail.wait_for(skipped_text));
  ASSERT_EQ(shell("tyer feed retry " + post + " " + session).code, 0);

  const std::string again = skipped_post();
  EXPECT_TRUE(tail.wait_for("notice  about " + again));
  ASSERT_EQ(tyer({"feed", "post", "other", "the end"}).code, 0);
  EXPECT_TRUE(elsewhere.wait_for("the end"));

  for (Program* one : {&tail, &elsewhere}) {
    one->signal(SIGINT);
    EXPECT_EQ(one->finish().code, 0);
  }
  EXPECT_FALSE(elsewhere.out().contains("notice")) << elsewhere.out();
}

TEST_F(FeedNotice, RetriesOnlyWhatASessionHas) {
  const std::string post = line_of({"feed", "post", "general", "nobody is meant"});
  session = json({"agent", "sessions", "bot", "--json"})[0]["id"];

  EXPECT_EQ(tyer("feed retry " + post + " " + session).code, 1);
  EXPECT_EQ(tyer("feed retry " + post + " bot").code, 2);
  EXPECT_EQ(tyer("feed retry general " + session).code, 2);
  EXPECT_EQ(tyer("feed retry " + post).code, 2);
}

TEST_F(FeedNotice, OfWhatIsNotAnsweredMakesTheThreadUnread) {
  const std::string post = skipped_post();

  EXPECT_EQ(json({"feed", "list", "--json"})[0]["unread"], 1);
  const std::string shown = tyer("feed show general").out;
  EXPECT_TRUE(shown.contains("  0 new trouble  ")) << shown;
  Visitor people(url());
  const Json unread = people.get("/api/posts/" + post).json();
  EXPECT_EQ(unread["unread"], true);
  EXPECT_TRUE(text_or(unread, "trouble").contains(skipped_text)) << unread;
  const auto notices = events("--topics notice");
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices.back()["notice"]["unread"], true);

  EXPECT_EQ(people.post("/api/posts/" + post + "/read", Json::object()).status, 200);
  const Json read = people.get("/api/posts/" + post).json();
  EXPECT_EQ(read["unread"], false);
  EXPECT_EQ(read["trouble"], Json());
}

// H5: somebody waits for an answer, whatever it was that kept it away.
TEST_F(FeedNotice, OfARunThatCameToNothingMakesTheThreadUnreadInTheShell) {
  session = json({"agent", "sessions", "bot", "--json"})[0]["id"];
  Visitor bot = Visitor(url()).as(agent_key);
  const std::string runs = "/api/sessions/" + session + "/runs";
  int count = 0;
  for (const char* verdict : {"stopped", "credentials", "budget"}) {
    const bool is_budget = std::string(verdict) == "budget";
    const std::string post = line_of({"feed", "post", "general", "@bot hello"});
    const std::string most = is_budget ? "2" : "0";
    ASSERT_EQ(tyer("agent set bot --runs-per-day " + most).code, 0);
    const std::string run = fmt::format("01a1e205-9976-7000-8000-{:012}", ++count);
    ASSERT_EQ(bot.post(runs, {{"run", run}}).status, is_budget ? 200 : 201) << verdict;
    if (!is_budget) {
      const Json end{{"verdict", verdict}, {"why", "so it is"}};
      ASSERT_EQ(bot.post(runs + "/" + run + "/finish", end).status, 200);
    }

    EXPECT_EQ(json({"feed", "list", "--json"})[0]["unread"], count) << verdict;
    const std::string told = text_or(json({"feed", "show", post, "--json"}), "trouble");
    const char* const wanted = is_budget ? "budget reached: 2 of 2 runs" : "so it is";
    EXPECT_TRUE(told.contains(wanted)) << verdict << ": " << told;
  }
  EXPECT_TRUE(tyer("feed list").out.contains(" 3 ")) << tyer("feed list").out;
  const std::string shown = tyer("feed show general").out;
  EXPECT_EQ(count_of(shown, " trouble  "), 3U) << shown;
}

TEST_F(FeedNotice, SaysThatANameIsNobodysAndThatNobodyServesAnAgent) {
  ASSERT_EQ(tyer("agent add slow --type demo").code, 0);

  const ProgramResult typo = tyer({"feed", "post", "general", "look, @slwo"});
  EXPECT_EQ(typo.code, 0);
  EXPECT_EQ(typo.err, "tyer: there is no agent @slwo; did you mean @slow?\n");
  const std::string post = typo.out.substr(0, typo.out.size() - 1);
  EXPECT_TRUE(tyer("feed show " + post).out.contains("did you mean @slow?"));

  const Json first = json({"feed", "comment", post, "@slow hello", "--json"});
  EXPECT_EQ(first["notices"],
            Json::array({"nobody serves @slow now; it answers when a worker does"}));
  EXPECT_EQ(tyer({"feed", "comment", post, "@slow hello?"}).err, "") << "it was said before";
  EXPECT_EQ(json({"feed", "show", post, "--json"})["thread_notices"].size(), 2U);
}

TEST_F(FeedNotice, IsNotNeededWhileAWorkerListens) {
  Listener worker(url(), "/api/events/stream?worker=true&topics=agent");
  worker.until("agent_online");

  EXPECT_EQ(tyer({"feed", "post", "general", "@bot hello"}).err, "");
  ASSERT_EQ(tyer("agent add late --type demo").code, 0);
  EXPECT_EQ(tyer({"feed", "post", "general", "@late hello"}).err, "");
}

// A worker of one session, as `tyer worker` is one if nobody says more, does not hear the others.
TEST_F(FeedNotice, SaysThatNobodyServesASessionOfAnAgentThatIsServed) {
  ASSERT_EQ(tyer("agent add slow --type demo").code, 0);
  environment["TYER_API_KEY"] = line_of({"agent", "key", "slow"});
  Listener log(url(), "/api/events/stream?topics=agent");
  Program worker(call({"worker"}));
  environment.erase("TYER_API_KEY");
  log.until("agent_online");

  EXPECT_EQ(tyer({"feed", "post", "general", "@slow hello"}).err, "");
  EXPECT_EQ(tyer({"feed", "post", "general", "@slow/deploy hello"}).err,
            "tyer: nobody serves @slow/deploy now; it answers when a worker does\n");

  worker.signal(SIGTERM);
  EXPECT_EQ(worker.finish().code, 0);
}

}  // namespace
}  // namespace tyer::testing
