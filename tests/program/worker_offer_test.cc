// Keepers that wait at the hub: what they are given, and what becomes of it if they do not hear of
// it (W10, W18).

#include <atomic>
#include <csignal>
#include <semaphore>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/forked.h"
#include "support/http_peer.h"
#include "support/hub_relay.h"
#include "support/lose_lease.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class WorkerOffer : public WorkerTest {
 protected:
  WorkerOffer() { start_hub(); }

  [[nodiscard]] int port() const { return std::stoi(url().substr(url().rfind(':') + 1)); }

  // One that waits, once the hub knows.
  [[nodiscard]] HttpPeer offer(const Json& more = Json::object(), const std::string& key = "",
                               int receive_buffer = 0) const {
    Json body{{"host", "far"}, {"boot", "b"}, {"namespace", "n"}, {"pid", 7}, {"pid_start", 70}};
    body.update(more);
    const std::string text = dump_json(body);
    HttpPeer peer(port(), receive_buffer);
    peer.send(fmt::format(
        "POST /api/work HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}Content-Type: "
        "application/json\r\nContent-Length: {}\r\n\r\n{}",
        port(), key.empty() ? "" : "Authorization: Bearer " + key + "\r\n", text.size(), text));
    EXPECT_TRUE(peer.until("\r\n\r\n").contains("200 OK"));
    return peer;
  }

  // What it is given; nothing comes after it. Beats are for those who wait longer than a test.
  [[nodiscard]] static Json given(HttpPeer& peer) {
    const Json begun = next_line(peer);
    EXPECT_EQ(begun.value("begun", Json()), Json(true));
    EXPECT_EQ(peer.rest(), "\r\n0\r\n\r\n");
    return begun;
  }

  [[nodiscard]] static Json next_line(HttpPeer& peer) {
    std::string line = peer.until("}\n");
    line.erase(0, line.find('{'));
    const auto json = parse_json_object(line, line.size());
    EXPECT_TRUE(json) << line;
    return json ? *json : Json::object();
  }

  [[nodiscard]] Reply withdraw(std::int64_t pid) const {
    return people().post(
        "/api/work/withdraw",
        {{"host", "far"}, {"boot", "b"}, {"namespace", "n"}, {"pid", pid}, {"pid_start", 70}});
  }

  [[nodiscard]] std::string status_of(const std::string& session) const {
    return people().get("/api/sessions/" + session).text("status");
  }
};

TEST_F(WorkerOffer, IsGivenAllThereIsToKnowWithTheCommentItself) {
  const std::string agent = make_agent("bot");
  HttpPeer waiting = offer();

  const std::string post = write_post("@bot go");

  const Json begun = given(waiting);
  EXPECT_EQ(begun.value("begun", Json()), Json(true));
  EXPECT_EQ(text_or(begun["agent"], "id"), agent);
  EXPECT_EQ(text_or(begun["session"], "id"), session_of("bot"));
  EXPECT_EQ(text_or(begun["post"], "id"), post);
  ASSERT_EQ(begun["items"].size(), 1U);
  EXPECT_EQ(text_or(begun["items"][0], "content"), "@bot go");
  const Json run = running(session_of("bot"));
  EXPECT_EQ(text_or(run, "run"), text_or(begun, "run"));
  EXPECT_EQ(int_or(run, "pid"), 7);
  // Its token is good for answers.
  const Reply answered =
      Visitor(url())
          .as(text_or(begun, "token"))
          .post(fmt::format("/api/posts/{}/comments", post), {{"content", "yes"}});
  EXPECT_EQ(answered.status, 201);
}

TEST_F(WorkerOffer, IsGivenOneSessionAtATimeAndEachToOne) {
  make_agent("bot");
  HttpPeer first = offer();
  HttpPeer second = offer({{"pid", 8}});

  const std::string post = write_post("@bot one");
  write_comment(post, "@bot two");
  write_comment(post, "@bot/other three");

  EXPECT_EQ(text_or(given(first)["session"], "name"), "default");
  EXPECT_EQ(text_or(given(second)["session"], "name"), "other");
  EXPECT_EQ(runs(session_of("bot")).size(), 1U);
}

TEST_F(WorkerOffer, IsGivenOnlyWhatItIsFor) {
  const std::string wanted = make_agent("wanted");
  make_agent("other");
  HttpPeer of_agent = offer({{"agents", Json::array({wanted})}});
  HttpPeer with_key = offer({{"pid", 8}}, key_of("wanted"));
  HttpPeer of_session = offer({{"pid", 9}, {"sessions", Json::array({session_of("other")})}});

  const std::string post = write_post("@other/new one");
  EXPECT_EQ(running(session_of("other/new")), Json());
  write_comment(post, "@wanted two");
  write_comment(post, "@wanted/more three");
  write_comment(post, "@other four");

  EXPECT_EQ(text_or(given(of_agent)["session"], "id"), session_of("wanted"));
  EXPECT_EQ(text_or(given(with_key)["session"], "id"), session_of("wanted/more"));
  EXPECT_EQ(text_or(given(of_session)["session"], "id"), session_of("other"));
}

TEST_F(WorkerOffer, WithAKeyThatWasRevokedIsGivenNothing) {
  const std::string agent = make_agent("bot");
  const Reply key = people().ask("POST", fmt::format("/api/agents/{}/keys", agent));
  HttpPeer revoked = offer(Json::object(), key.text("key"));
  HttpPeer valid = offer({{"pid", 8}}, key_of("bot"));
  ASSERT_EQ(people().ask("DELETE", "/api/keys/" + key.text("id")).status, 204);

  EXPECT_EQ(revoked.rest(), "0\r\n\r\n");
  ASSERT_NE(write_post("@bot go"), "");
  EXPECT_EQ(text_or(given(valid)["session"], "id"), session_of("bot"));
}

// H14, W12
TEST_F(WorkerOffer, WithdrawnGivesBackWhatASessionHadThatIsDeletedMeanwhile) {
  make_agent("bot");
  HttpPeer deaf = offer();
  const std::string post = write_post("@bot/gone go");
  ASSERT_EQ(people().ask("DELETE", "/api/sessions/" + session_of("bot/gone")).status, 204);
  HttpPeer next = offer({{"pid", 8}});

  EXPECT_EQ(withdraw(7).status, 200);

  ASSERT_NE(write_comment(post, "@bot and?"), "");
  EXPECT_EQ(text_or(given(next)["items"][0], "id"), post);
}

// A run is told the whole thread, and that can be more than a connection takes at once.
TEST_F(WorkerOffer, IsToldAllHoweverMuchThatIs) {
  make_agent("bot");
  const std::string post = write_post("Something long");
  // Twice as long as JSON: in all more than this machine takes for one who does not read.
  const std::string large(95 << 10, '"');
  for (int i = 0; i < 20; ++i) ASSERT_NE(write_comment(post, large), "");
  constexpr int small_buffer = 4096;
  HttpPeer waiting = offer(Json::object(), "", small_buffer);

  ASSERT_NE(write_comment(post, "@bot go"), "");

  EXPECT_EQ(given(waiting)["comments"].size(), 20U);
}

TEST_F(WorkerOffer, OfAnotherAgentIsRefused) {
  make_agent("bot");
  const std::string other = make_agent("other");

  const Reply refused =
      Visitor(url()).as(key_of("bot")).post("/api/work", {{"agents", Json::array({other})}});

  EXPECT_EQ(refused.status, 403);
}

TEST_F(WorkerOffer, ThatWasWithdrawnIsGivenNothing) {
  make_agent("bot");
  HttpPeer gone = offer();
  HttpPeer there = offer({{"pid", 8}});
  gone.reset();
  ASSERT_EQ(withdraw(7).status, 200);

  ASSERT_NE(write_post("@bot go"), "");

  EXPECT_EQ(given(there).value("begun", Json()), Json(true));
}

TEST_F(WorkerOffer, WithdrawnGivesBackWhatWasGivenAndNotHeardOf) {
  make_agent("bot");
  HttpPeer deaf = offer();
  const std::string post = write_post("@bot go");
  ASSERT_EQ(status_of(session_of("bot")), "running");
  HttpPeer next = offer({{"pid", 8}});

  EXPECT_EQ(withdraw(9).status, 200);
  EXPECT_EQ(status_of(session_of("bot")), "running") << "somebody else's";
  EXPECT_EQ(withdraw(7).status, 200);

  // Who waits has it at once.
  const Json again = given(next);
  EXPECT_EQ(text_or(again["session"], "id"), session_of("bot"));
  EXPECT_EQ(text_or(again["items"][0], "id"), post);
  EXPECT_EQ(verdicts(session_of("bot")), "lost running");
}

TEST_F(WorkerOffer, EndsWithoutAWordWhenTheHubStops) {
  make_agent("bot");
  HttpPeer waiting = offer();

  end_hub(SIGTERM);

  EXPECT_EQ(waiting.rest(), "0\r\n\r\n");
}

// Nobody has to serve the store for its rules to deal with what happens in it.
TEST_F(WorkerOffer, ThatLostItsSessionIsEndedByTheNextCommandOnTheStore) {
  make_agent("bot");
  const HttpPeer deaf = offer();
  ASSERT_NE(write_post("@bot go"), "");
  const std::string session = session_of("bot");
  end_hub(SIGTERM);
  lose_lease(store_url(), "session/" + session);
  ASSERT_FALSE(tyer("log").out.contains("shift.ended"));

  EXPECT_EQ(tyer("feed add other").code, 0);

  EXPECT_TRUE(tyer("log").out.contains("shift.ended"));
}

// W12: what it may have been given unheard is taken back before it asks for more.
TEST_F(WorkerOffer, RunsNothingThatItHasNotHeardTheBeginningOf) {
  make_scripted("bot", "cat >/dev/null\necho ran >>ran\necho yes");
  std::counting_semaphore<> waiting{0};  // Keepers that have begun to wait.
  std::atomic<bool> is_changed = false;
  const HubRelay relay(port(), [&](std::string& said) {
    if (said.contains("application/x-ndjson")) waiting.release();
    const std::size_t at = said.find("\"begun\":true");
    if (at != std::string::npos && !is_changed.exchange(true)) said.replace(at + 1, 5, "never");
  });
  ProgramCall call = worker_call("bot", "--all-sessions");
  call.environment["TYER_URL"] = relay.url();
  Program worker(call);
  ASSERT_TRUE(waiting.try_acquire_for(give_up_after));
  const std::string post = write_post("@bot go");

  await_answers(post, 1);

  EXPECT_TRUE(is_changed);
  EXPECT_EQ(answers(post), std::vector<std::string>{"yes"});
  EXPECT_EQ(read_file("ran"), "ran\n");
  EXPECT_EQ(verdicts(session_of("bot")), "lost done");
  EXPECT_EQ(leave(worker).code, 0);
}

// A worker serves one at a time, and the one that waits counts.
TEST_F(WorkerOffer, LeavesNoMoreRunsThanAWorkerMayHave) {
  make_scripted("bot", R"(
cat >/dev/null
echo begun >news
read -r word <gate
echo "{\"result\":\"$word\"}")");
  const std::unique_ptr<Program> worker = start_worker("bot", "--all-sessions --max-runs 1");
  std::vector<std::string> posts{write_post("@bot one")};
  EXPECT_EQ(news->line(), "begun");
  posts.push_back(write_post("@bot/b two"));
  posts.push_back(write_post("@bot/c three"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(agents_of(session_of("bot")).size() + agents_of(session_of("bot/b")).size() +
                  agents_of(session_of("bot/c")).size(),
              1U);
    gate->put("go");
    EXPECT_EQ(news->line(), "begun");
  }
  gate->put("go");
  for (const std::string& post : posts) await_answers(post, 1);
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(3);
}

}  // namespace
}  // namespace tyer::testing
