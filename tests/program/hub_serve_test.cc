// `tyer serve` as a program: how it starts, stops and refuses (H1, P12).

#include <sys/stat.h>

#include <csignal>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/http_peer.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class Serve : public ::testing::Test {
 protected:
  HubPlace place{"sqlite"};
};

TEST_F(Serve, StopsGracefullyWithStreamsOpenAndTellsThem) {
  RunningHub hub(place);
  Visitor admin = hub.admin();
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  Listener page(hub.url(), "/api/events/stream", admin.headers());
  Listener stream(hub.url(), "/api/events/stream",
                  {{"Authorization", "Bearer " + agent.text("key")}});
  EXPECT_FALSE(page.until("agent_online").empty());
  HttpPeer idle(hub.port());
  HttpPeer half(hub.port());
  half.send("GET / HTTP/1.1\r\nHost: ");

  const ProgramResult ended = hub.stop();

  EXPECT_EQ(ended.code, 0) << ended.err;
  for (Listener* one : {&page, &stream}) {
    const auto events = one->until_end();
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().event, "notice");
    EXPECT_TRUE(events.back().data.contains(R"("code":"stopping")")) << events.back().data;
  }
  // Nobody is left who could say that its agents are offline.
  ProgramCall log = place.call({});
  log.words = {"log", "--json", "--limit", "1000"};
  const std::string events = run_program(log).out;
  EXPECT_TRUE(events.contains("agent.offline")) << events;
  EXPECT_TRUE(events.contains("lease.released")) << events;
}

TEST_F(Serve, SaysThatAnAddressIsTaken) {
  const RunningHub first(place);

  const HubPlace other("sqlite");
  const ProgramResult second = run_program(other.call({"--listen", first.address()}));

  EXPECT_EQ(second.code, 3);
  EXPECT_EQ(second.out, "");
  EXPECT_TRUE(second.err.contains(first.address())) << second.err;
  EXPECT_TRUE(second.err.contains("--listen")) << second.err;
}

TEST_F(Serve, StartsAgainAtOnceWhereItWas) {
  RunningHub first(place);
  Listener stream(first.url(), "/skill.md");
  const std::string address = first.address();
  first.kill();

  const RunningHub second(place, {}, address);

  EXPECT_EQ(second.address(), address);
  EXPECT_EQ(second.visitor().get("/ready").status, 200);
}

TEST_F(Serve, RunsTwiceOnOneStore) {
  const RunningHub first(place, {"--open-loopback"});
  const RunningHub second(place, {"--open-loopback"});
  Listener stream(second.url(), "/api/events/stream?topics=feed");

  const std::string feed = first.visitor().make("/api/feeds", {{"name", "main"}});

  EXPECT_FALSE(stream.until("feed_created").empty());
  EXPECT_EQ(second.visitor().get("/api/feeds/" + feed).status, 200);
}

TEST_F(Serve, IsOpenToEverybodyOnThisMachineOnly) {
  for (const char* address : {"0.0.0.0:0", "192.0.2.1:7420", "[::]:0"}) {
    const ProgramResult refused = run_program(place.call({"--open-loopback", "--listen", address}));
    EXPECT_EQ(refused.code, 2) << address;
    EXPECT_TRUE(refused.err.contains("--open-loopback")) << refused.err;
  }
}

// An address of documentation, which no machine has.
TEST_F(Serve, SaysThatOthersCanReadAlongWithoutACertificate) {
  const ProgramResult refused = run_program(place.call({"--listen", "192.0.2.1:7420"}));
  EXPECT_EQ(refused.code, 3) << refused.err;
  EXPECT_TRUE(refused.err.contains("without --tls-cert and --tls-key all that is sent can be read"))
      << refused.err;
}

TEST_F(Serve, IsNotOpenUnderANameByWhichOthersCome) {
  for (const char* host :
       {"hub.example:80", "127.evil.example:80", "localhost:80,203.0.113.9:80"}) {
    const ProgramResult refused =
        run_program(place.call({"--open-loopback", "--listen", "127.0.0.1:0", "--host", host}));
    EXPECT_EQ(refused.code, 2) << host;
    EXPECT_TRUE(refused.err.contains("leave out one of --open-loopback and --host")) << refused.err;
  }
  const RunningHub tunnelled(place,
                             {"--open-loopback", "--host", "localhost:1,127.0.0.1:1,[::1]:1"});
  EXPECT_EQ(tunnelled.visitor().get("/api/feeds").status, 200);
}

// What a proxy on this machine adds, whoever it asks for.
const std::vector<std::pair<std::string, std::string>> forwarding{
    {"Forwarded", "for=203.0.113.9"}, {"X-Forwarded-For", "203.0.113.9"},
    {"X-Forwarded-Proto", "https"},   {"X-Forwarded-Host", "hub.example"},
    {"X-Real-IP", "203.0.113.9"},     {"Via", "1.1 proxy"}};

TEST_F(Serve, LetsNobodyBeTheAdminThroughAProxyIfItIsOpen) {
  const RunningHub hub(place, {"--open-loopback"});
  for (const auto& [name, value] : forwarding) {
    Visitor stranger = hub.visitor().with(name, value);
    EXPECT_EQ(stranger.get("/api/feeds").status, 401) << name;
    EXPECT_EQ(stranger.post("/api/feeds", {{"name", "main"}}).status, 401) << name;
    EXPECT_EQ(stranger.post("/api/setup", {{"password", hub_password}}).status, 403) << name;
    const Reply login = stranger.post("/api/auth/login", {{"password", hub_password}});
    EXPECT_EQ(login.status, 409) << name;
    EXPECT_TRUE(login.body.contains("--open-loopback")) << login.body;
  }
  EXPECT_EQ(hub.visitor().get("/api/feeds").status, 200);
}

TEST_F(Serve, AsksWhoeverComesFirstThroughAProxyForTheCode) {
  const RunningHub hub(place);
  for (const auto& [name, value] : forwarding) {
    Visitor stranger = hub.visitor().with(name, value);
    EXPECT_EQ(stranger.get("/api/setup").json()["needs_code"], true) << name;
    EXPECT_EQ(stranger.post("/api/setup", {{"password", hub_password}}).status, 403) << name;
    EXPECT_EQ(
        stranger.post("/api/setup", {{"password", hub_password}, {"code", "0123456789abcdef"}})
            .status,
        403)
        << name;
  }
  EXPECT_EQ(hub.visitor().get("/api/setup").json()["needs_code"], false);
  EXPECT_EQ(hub.visitor()
                .with("X-Forwarded-For", "203.0.113.9")
                .post("/api/setup", {{"password", hub_password}, {"code", hub.setup_code()}})
                .status,
            200);
}

TEST_F(Serve, AsksWhoeverComesFirstForTheCodeIfItIsCalledByOtherNames) {
  {
    const RunningHub hub(place, {"--host", "hub.example:80"});
    Visitor visitor = hub.visitor();
    EXPECT_EQ(visitor.get("/api/setup").json()["needs_code"], true);
    EXPECT_EQ(visitor.post("/api/setup", {{"password", hub_password}}).status, 403);
    ASSERT_EQ(hub.setup_code().size(), 16U);
    const Json right{{"password", hub_password}, {"code", hub.setup_code()}};
    EXPECT_EQ(visitor.post("/api/setup", right).status, 200);
  }
  const RunningHub again(place, {"--host", "hub.example:80"});
  EXPECT_EQ(again.setup_code(), "") << "nobody needs it any more";
}

TEST_F(Serve, PrintsTheCodeWhereItStarts) {
  Program hub(place.call({"--listen", "127.0.0.1:0"}));
  ASSERT_TRUE(hub.wait_for("Ctrl+C ends it.")) << hub.out();
  EXPECT_TRUE(hub.out().contains("\nCode for a first visit from elsewhere: ")) << hub.out();
  Program open(place.call({"--listen", "127.0.0.1:0", "--open-loopback"}));
  ASSERT_TRUE(open.wait_for("Ctrl+C ends it.")) << open.out();
  EXPECT_FALSE(open.out().contains("Code")) << open.out();
}

TEST_F(Serve, RefusesWhatItCannotDo) {
  for (const auto& [words, code] : std::vector<std::pair<std::vector<std::string>, int>>{
           {{"--listen", "nowhere"}, 2},
           {{"--listen", "127.0.0.1:99999"}, 2},
           {{"--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"}, 2},
           {{"--listen", "127.0.0.1:0", "--store", "postgres://127.0.0.1:1/none"}, 3}}) {
    const ProgramResult refused = run_program(place.call(words));
    EXPECT_EQ(refused.code, code) << words[1] << ": " << refused.err;
    EXPECT_EQ(refused.out, "");
  }
}

TEST_F(Serve, KeepsItsFilesToItsOwner) {
  const RunningHub hub(place);
  for (const char* name : {".tyer", ".tyer/tyer.db"}) {
    struct stat facts{};
    ASSERT_EQ(::stat((place.dir() / name).c_str(), &facts), 0) << name;
    EXPECT_EQ(facts.st_mode & 0077U, 0U) << name;
  }
}

// Two hubs on one PostgreSQL, as on two machines.
class HubPair : public ::testing::Test {
 protected:
  HubPlace place{"postgres"};
  std::unique_ptr<RunningHub> one = std::make_unique<RunningHub>(place);
  std::unique_ptr<RunningHub> two = std::make_unique<RunningHub>(place);
};

TEST_F(HubPair, ShowsTheSameAndGoesOnWhenOneIsKilled) {
  Visitor admin = one->admin();
  Visitor elsewhere = two->visitor();
  for (const auto& [name, value] : admin.headers()) elsewhere.with(name, value);
  Listener first(one->url(), "/api/events/stream?topics=feed,post", admin.headers());
  Listener second(two->url(), "/api/events/stream?topics=feed,post", admin.headers());
  const std::string feed = admin.make("/api/feeds", {{"name", "main"}});
  for (int i = 0; i < 20; ++i) {
    Visitor& writer = i % 2 == 0 ? admin : elsewhere;
    writer.make("/api/feeds/" + feed + "/posts", {{"content", i < 19 ? "more" : "last"}});
  }
  const auto last = [](const http::ServerEvent& event) {
    return event.data.contains(R"("content":"last")");
  };
  const auto events = first.until(last);
  EXPECT_EQ(events, second.until(last));
  EXPECT_EQ(events.size(), 21U);
  EXPECT_EQ(admin.get("/api/feeds").body, elsewhere.get("/api/feeds").body);

  one->kill();

  const std::string post = elsewhere.make("/api/feeds/" + feed + "/posts", {{"content", "alone"}});
  Listener moved(two->url(), "/api/events/stream?topics=feed,post&after=" + events[10].id,
                 admin.headers());
  const auto rest = moved.until(
      [&](const http::ServerEvent& event) { return event.data.contains("\"" + post + "\""); });
  ASSERT_EQ(rest.size(), 11U) << "what came after the eleventh, and the new one";
  EXPECT_EQ(rest.front().id, events[11].id);
}

TEST_F(HubPair, TakesAnAgentOfflineWhoseHubWasKilledAndKeepsOneThatIsAtTheOther) {
  Visitor admin = one->admin();
  const Reply gone = admin.post("/api/keys", {{"name", "gone"}, {"type", "demo"}});
  const Reply here = admin.post("/api/keys", {{"name", "here"}, {"type", "demo"}});
  const auto key = [](const Reply& agent) {
    return std::map<std::string, std::string>{{"Authorization", "Bearer " + agent.text("key")}};
  };
  Listener page(two->url(), "/api/events/stream?topics=agent&after=ev_0", admin.headers());
  const Listener of_gone(one->url(), "/api/events/stream", key(gone));
  const Listener of_here(one->url(), "/api/events/stream", key(here));
  const auto is = [](const Reply& agent, const std::string& type) {
    return [id = agent.text("id"), type](const http::ServerEvent& event) {
      return event.event == type && event.data.contains("\"id\":\"" + id + "\"");
    };
  };
  (void)page.until(is(gone, "agent_online"));
  (void)page.until(is(here, "agent_online"));
  const Listener also_here(two->url(), "/api/events/stream", key(here));
  // It is told by the other hub, too.
  (void)page.until([&, seen = 0](const http::ServerEvent& event) mutable {
    return is(here, "agent_online")(event) && ++seen == 2;
  });

  one->kill();

  (void)page.until(is(gone, "agent_offline"));
  Visitor elsewhere = two->visitor();
  for (const auto& [name, value] : admin.headers()) elsewhere.with(name, value);
  EXPECT_EQ(elsewhere.get("/api/agents/" + gone.text("id")).json()["online"], false);
  EXPECT_EQ(elsewhere.get("/api/agents/" + here.text("id")).json()["online"], true);
}

}  // namespace
}  // namespace tyer::testing
