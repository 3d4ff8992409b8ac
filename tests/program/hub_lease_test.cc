// A lock that was taken through a hub is its asker's: nobody else renews it or gives it back there.

#include <unistd.h>

#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/json.h"
#include "env/linux_env.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubLease : public ::testing::TestWithParam<std::string> {
 protected:
  struct Agent {
    std::string id;
    std::string key;
  };

  Agent add_agent(const char* name) {
    const Reply made = admin.post("/api/keys", {{"name", name}, {"type", "command"}});
    EXPECT_EQ(made.status, 201) << made.body;
    return {made.text("id"), made.text("key")};
  }

  Visitor as(const Agent& agent) const { return hub->visitor().as(agent.key); }

  // What a lock is asked for with, by a process that lives as long as the test.
  static Json wish(const std::string& session) {
    env::LinuxEnv env;
    const core::Holder self = env.env().processes.self(session);
    return {{"names", {"K"}},
            {"session", session},
            {"host", self.place.host},
            {"boot", self.place.boot},
            {"namespace", self.place.pid_namespace},
            {"pid", self.pid},
            {"pid_start", self.pid_start}};
  }

  // The newest event of the lock, as `reader` sees it.
  static Json last_event(Visitor reader) {
    const Json events = reader.get("/api/events?key=lock/K").json();
    return events["data"].empty() ? Json() : events["data"].back();
  }

  static std::string release_path(const std::string& session) {
    return "/api/leases?name=K&session=" + session;
  }

  HubPlace place{GetParam()};
  std::optional<RunningHub> hub{std::in_place, place};
  Visitor admin = hub->admin();
  Agent holder = add_agent("holder");
  Agent other = add_agent("other");
};

INSTANTIATE_TEST_SUITE_P(Backends, HubLease, ::testing::ValuesIn(hub_backends()),
                         [](const auto& one) { return one.param; });

TEST_P(HubLease, IsRenewedAndGivenBackOnlyByTheAgentThatTookIt) {
  const Reply taken = as(holder).post("/api/leases", wish("s-1"));
  ASSERT_EQ(taken.status, 201) << taken.body;
  const Json token = taken.json()["leases"][0]["token"];
  const Json by_name{{"name", "K"}, {"session", "s-1"}};
  const Json by_key{{"key", "lock/K"}, {"session", "s-1"}, {"token", token}};

  EXPECT_EQ(as(other).ask("DELETE", release_path("s-1")).status, 403);
  for (const Json& renewal : {by_name, by_key}) {
    const Reply refused = as(other).post("/api/leases/renew", renewal);
    EXPECT_EQ(refused.status, 403) << refused.body;
    EXPECT_EQ(refused.json()["error"]["code"], "denied");
    EXPECT_EQ(as(holder).post("/api/leases/renew", renewal).status, 200);
  }
  EXPECT_EQ(last_event(admin.again())["event"], "lease_granted") << "nothing has happened";
  EXPECT_EQ(last_event(admin.again())["actor"], "agent/" + holder.id);

  EXPECT_EQ(as(holder).ask("DELETE", release_path("s-1")).status, 200);
  EXPECT_EQ(last_event(admin.again())["event"], "lease_released");
  EXPECT_EQ(last_event(admin.again())["actor"], "agent/" + holder.id);
}

TEST_P(HubLease, GivenBackByAPersonIsToldAsTheirs) {
  ASSERT_EQ(as(holder).post("/api/leases", wish("s-1")).status, 201);
  EXPECT_EQ(admin.ask("DELETE", release_path("s-1")).status, 200);
  const Json event = last_event(as(other));
  EXPECT_EQ(event["actor"], "human/admin");
  EXPECT_EQ(event["holder"], "agent/" + holder.id);
}

TEST_P(HubLease, ShowsItsSessionOnlyToItsHolderAndToPeople) {
  ASSERT_EQ(as(holder).post("/api/leases", wish("secret-1")).status, 201);
  EXPECT_EQ(text_or(as(holder).get("/api/leases").json()["data"][0], "session"), "secret-1");
  EXPECT_EQ(text_or(admin.get("/api/leases").json()["data"][0], "session"), "secret-1");

  Visitor stranger = as(other);
  const Json renewal{{"name", "K"}, {"session", "mine"}};
  Json patient = wish("mine");
  patient["wait_ms"] = 0;
  for (const Reply& reply :
       {stranger.get("/api/leases"), stranger.get("/api/leases?name=K"),
        stranger.post("/api/leases", wish("mine")), stranger.post("/api/leases", patient),
        stranger.post("/api/leases/renew", renewal), stranger.get("/api/events?key=lock/K"),
        stranger.ask("DELETE", release_path("mine"))}) {
    EXPECT_NE(reply.body, "");
    EXPECT_FALSE(reply.body.contains("secret-1")) << reply.body;
  }
  Listener stream(hub->url(), "/api/events/stream?after=0&topics=lease", stranger.headers());
  ASSERT_EQ(as(holder).ask("DELETE", release_path("secret-1")).status, 200);
  for (const http::ServerEvent& event : stream.until("lease_released")) {
    EXPECT_FALSE(event.data.contains("secret-1")) << event.data;
  }
}

TEST_P(HubLease, IsNotTakenByWhoSaysToBeItsHolder) {
  ASSERT_EQ(as(holder).post("/api/leases", wish("s-1")).status, 201);
  EXPECT_EQ(as(other).post("/api/leases", wish("s-1")).status, 409) << "the same session";
  EXPECT_EQ(as(other).post("/api/leases", wish("s-2")).status, 409) << "the same process";
  EXPECT_EQ(as(holder).post("/api/leases", wish("s-1")).status, 201) << "it has it already";
  EXPECT_EQ(as(holder).post("/api/leases", wish("s-2")).status, 201) << "the same process";
}

TEST_P(HubLease, OfAProcessThatHasTheStoreIsNotGivenBackByAgents) {
  ProgramCall call = place.call({"lock", "acquire", "K", "--session", "s-1", "--no-keeper", "--pid",
                                 std::to_string(::getpid())});
  call.words.erase(call.words.begin());  // "serve"
  const ProgramResult acquired = run_program(call);
  ASSERT_EQ(acquired.code, 0) << acquired.err;
  EXPECT_EQ(as(holder).ask("DELETE", release_path("s-1")).status, 403);
  const Json renewal{{"name", "K"}, {"session", "s-1"}};
  EXPECT_EQ(as(holder).post("/api/leases/renew", renewal).status, 403);
  EXPECT_EQ(last_event(as(other))["actor"], "run") << "without its session";
  EXPECT_EQ(admin.ask("DELETE", release_path("s-1")).status, 200);
}

TEST_P(HubLease, KeepsAPlaceInLineForWhoseItIs) {
  ASSERT_EQ(as(holder).post("/api/leases", wish("s-1")).status, 201);
  const Agent waiter = add_agent("waiter");
  Json wait = wish("s-2");
  wait["wait_ms"] = 60'000;
  wait["place"] = "place123";
  {
    Listener waiting(hub->url(), "/api/events/stream?topics=lease", admin.headers());
    std::thread asking([&] { (void)as(waiter).post("/api/leases", wait); });
    waiting.until(
        [](const http::ServerEvent& event) { return event.data.contains("wait/lock/K/"); });
    hub->kill();
    asking.join();
  }
  hub.emplace(place);
  Visitor again = hub->visitor();
  const Json leave{{"names", {"K"}}, {"place", "place123"}};
  EXPECT_EQ(as(other).post("/api/leases/leave", leave).status, 204) << "it has none there";
  const Reply refused = as(other).post("/api/leases", wait);
  EXPECT_TRUE(refused.body.contains("somebody else waits at this place")) << refused.body;
  const Json row = as(waiter).get("/api/leases?name=K").json()["data"][0];
  EXPECT_EQ(row["waiting"], 1) << row.dump();
  EXPECT_EQ(as(waiter).post("/api/leases/leave", leave).status, 204);
  EXPECT_EQ(as(waiter).get("/api/leases?name=K").json()["data"][0]["waiting"], 0);
}

}  // namespace
}  // namespace tyer::testing
