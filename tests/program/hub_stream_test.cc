// Streams of events over everything that can break them (H17, H18).

#include <array>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/http_peer.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

using Ids = std::vector<std::string>;

// The ids of all events of the log, up to and with the comment "the end".
Ids logged_ids(Visitor visitor, const std::string& after) {
  Ids ids;
  for (std::string cursor = after; !cursor.empty();) {
    const Json page = visitor.get("/api/events?limit=200&cursor=" + cursor).json();
    for (const Json& event : page["data"]) {
      ids.push_back(event["event_id"]);
      if (text_or(event, "content") == "the end") return ids;
    }
    cursor = page["next_cursor"].is_string() ? page["next_cursor"] : "";
  }
  return ids;
}

std::string newest_id(Visitor& visitor) {
  std::string newest = "ev_0";
  for (std::string cursor = newest; !cursor.empty();) {
    const Json page = visitor.get("/api/events?limit=200&cursor=" + cursor).json();
    for (const Json& event : page["data"]) newest = event["event_id"];
    cursor = page["next_cursor"].is_string() ? page["next_cursor"] : "";
  }
  return newest;
}

// Writers that go on while their hub is killed and comes back.
class Writers {
 public:
  Writers(std::string url, std::string post) : url_(std::move(url)), post_(std::move(post)) {}

  // `count` comments by several writers. At half of them `then` is called, once.
  void write(int count, const std::function<void()>& then) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([this, count] { run(count); });
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return written_ >= count / 2; });
    }
    then();
    {
      const std::lock_guard lock(mutex_);
      ++lives_;
      changed_.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void run(int count) {
    Visitor visitor(url_);
    while (true) {
      int life = 0;
      {
        const std::lock_guard lock(mutex_);
        if (written_ >= count) return;
        life = lives_;
      }
      const Reply reply = visitor.post("/api/posts/" + post_ + "/comments", {{"content", "more"}});
      std::unique_lock lock(mutex_);
      if (reply.status == 201) {
        ++written_;
        changed_.notify_all();
      } else {
        // Killed: it may be written or not. The log will tell.
        EXPECT_EQ(reply.status, 0) << reply.body;
        if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return lives_ > life; }))
          return;
      }
    }
  }

  const std::string url_;
  const std::string post_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int written_ = 0;
  int lives_ = 0;
};

class HubStream : public ::testing::TestWithParam<std::string> {
 protected:
  HubPlace place{GetParam()};
};

TEST_P(HubStream, GivesEveryEventOnceAndInOrderOverBrokenLinesAndAKilledHub) {
  const std::string modules = TYER_SOURCE "/build/peers";
  if (!std::filesystem::exists(modules + "/node_modules/eventsource")) {
    GTEST_SKIP() << "npm's eventsource is not there; ./dev test installs it";
  }
  // Its port is known before the line to it, whose port it must know.
  const std::string listen = RunningHub(place, {"--open-loopback"}).address();
  const std::string port = listen.substr(listen.rfind(':') + 1);
  Program readers({.words = {TYER_SOURCE "/tests/program/event_source.mjs", modules, port, "7", "4",
                             "20", "/api/events/stream?after=ev_0"},
                   .program = "node"});
  ASSERT_TRUE(readers.wait_for("."));
  const std::string line = readers.out().substr(5, readers.out().find('.') - 5);
  const std::vector<std::string> options{"--open-loopback", "--host", "127.0.0.1:" + line};
  auto hub = std::make_unique<RunningHub>(place, options, listen);
  Visitor visitor = hub->visitor();
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const std::string post = visitor.make("/api/feeds/" + feed + "/posts", {{"content", "hello"}});
  Program curl({.words = {TYER_SOURCE "/tests/program/curl_reader.sh",
                          "http://" + listen + "/api/events/stream", "ev_0"},
                .program = "sh"});

  // A comment is two events.
  Writers(hub->url(), post).write(2'500, [&] {
    hub->kill();
    hub = std::make_unique<RunningHub>(place, options, listen);
  });
  hub->visitor().make("/api/posts/" + post + "/comments", {{"content", "the end"}});

  const Ids logged = logged_ids(hub->visitor(), "ev_0");
  EXPECT_GE(logged.size(), 5'000U);
  EXPECT_EQ(split_lines(curl.finish().out), logged) << "curl";
  const ProgramResult read = readers.finish();
  EXPECT_EQ(read.code, 0) << read.err;
  const std::vector<std::string> lines = split_lines(read.out);
  ASSERT_EQ(lines.size(), 5U) << read.err;
  std::int64_t cut = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json reader = parse_json(lines[i], 1 << 20).value_or(Json());
    EXPECT_EQ(reader["ids"], Json(logged)) << "reader " << i;
    cut = std::max(cut, int_or(reader, "cut"));
  }
  EXPECT_EQ(cut, 20) << "so often did they come back";
}

TEST_P(HubStream, BeginsWhereItsReaderWasLetIn) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  for (int i = 0; i < 30; ++i) {
    Listener stream(hub.url(), "/api/events/stream?topics=feed");
    const std::string feed = visitor.make("/api/feeds", {{"name", fmt::format("feed {}", i)}});
    const auto events = stream.until("feed_created");
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(text_or(parse_json(events.back().data).value_or(Json()), "id"), feed);
  }
}

TEST_P(HubStream, CanBeResumedBeforeItsFirstEvent) {
  auto hub = std::make_unique<RunningHub>(place, std::vector<std::string>{"--open-loopback"});
  const std::string listen = hub->address();
  HttpPeer reader(hub->port());
  reader.send("GET /api/events/stream HTTP/1.1\r\nHost: " + listen + "\r\n\r\n");
  const std::string hello = reader.until(": welcome");
  const std::size_t at = hello.find("id: ev_");
  ASSERT_NE(at, std::string::npos) << hello;
  const std::string id = hello.substr(at + 4, hello.find('\n', at) - at - 4);
  hub->kill();
  hub = std::make_unique<RunningHub>(place, std::vector<std::string>{"--open-loopback"}, listen);
  const std::string feed = hub->visitor().make("/api/feeds", {{"name", "main"}});

  Listener again(hub->url(), "/api/events/stream?topics=feed", {{"Last-Event-ID", id}});

  const auto events = again.until("feed_created");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(text_or(parse_json(events[0].data).value_or(Json()), "id"), feed);
}

TEST_P(HubStream, OfAReaderThatPausesLosesNothingAndDelaysNobody) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const std::string after = newest_id(visitor);
  HttpPeer slow(hub.port(), 4'096);
  slow.send("GET /api/events/stream?topics=post&after=" + after +
            " HTTP/1.1\r\nHost: " + hub.address() + "\r\n\r\n");
  Listener quick(hub.url(), "/api/events/stream?topics=post&after=" + after);
  const std::string large(90'000, 'x');
  for (int i = 0; i < 40; ++i) {
    visitor.make("/api/feeds/" + feed + "/posts", {{"content", i < 39 ? large : "the end"}});
  }

  EXPECT_EQ(quick
                .until([](const http::ServerEvent& event) {
                  return event.data.contains(R"("content":"the end")");
                })
                .size(),
            40U);
  const std::string all = slow.until(R"("content":"the end")");
  std::size_t count = 0;
  for (std::size_t at = 0; (at = all.find("event: post_created", at)) != std::string::npos; ++at) {
    ++count;
  }
  EXPECT_EQ(count, 40U);
}

TEST_P(HubStream, EndsWithinASecondWhenItsKeyIsRevoked) {
  const RunningHub hub(place);
  Visitor admin = hub.admin();
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  const std::map<std::string, std::string> key{{"Authorization", "Bearer " + agent.text("key")}};
  Listener stream(hub.url(), "/api/events/stream", key);
  Listener other(hub.url(), "/api/events/stream", admin.headers());
  ASSERT_EQ(stream.status(), 200);

  const auto start = std::chrono::file_clock::now();
  EXPECT_EQ(admin.ask("DELETE", "/api/keys/" + agent.text("key_id")).status, 204);
  const auto events = stream.until_end();

  EXPECT_LT(std::chrono::file_clock::now() - start, std::chrono::seconds(1));
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(events.back().data.contains("revoked")) << events.back().data;
  EXPECT_EQ(Listener(hub.url(), "/api/events/stream", key).status(), 401);
  const std::string feed = admin.make("/api/feeds", {{"name", "main"}});
  EXPECT_FALSE(other.until("feed_created").empty()) << "the admin's goes on";
}

TEST_P(HubStream, ShowsAnAgentOfflineWhenItsHubWasKilled) {
  const std::vector<std::string> none;
  auto hub = std::make_unique<RunningHub>(place, none);
  const std::string listen = hub->address();
  Visitor admin = hub->admin();
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  const std::string path = "/api/agents/" + agent.text("id");
  const std::map<std::string, std::string> key{{"Authorization", "Bearer " + agent.text("key")}};
  Listener page(hub->url(), "/api/events/stream?topics=agent", admin.headers());
  auto stream = std::make_unique<Listener>(hub->url(), "/api/events/stream", key);
  EXPECT_FALSE(page.until("agent_online").empty());
  EXPECT_EQ(admin.get(path).json()["online"], true);

  hub->kill();
  stream.reset();
  hub = std::make_unique<RunningHub>(place, none, listen);

  Listener later(hub->url(), "/api/events/stream?topics=agent&after=ev_0", admin.headers());
  EXPECT_EQ(later.until("agent_offline").back().event, "agent_offline");
  EXPECT_EQ(admin.get(path).json()["online"], false);
}

INSTANTIATE_TEST_SUITE_P(On, HubStream, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
