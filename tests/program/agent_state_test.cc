// Whether what is written to an agent is answered now, and if not, why (H3, H17).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"
#include "support/hub_commands.h"

namespace tyer::testing {
namespace {

class StateOfAnAgent : public HubCommands {
 protected:
  StateOfAnAgent() {
    start_hub({"--open-loopback"});
    EXPECT_EQ(tyer("feed add general").code, 0);
  }

  // Its id.
  std::string make(const std::string& name, const Json& settings) {
    Json body = settings;
    body["name"] = name;
    return Visitor(url()).post("/api/keys", body).text("id");
  }

  // A run of its default session that is written to, and what came of it.
  void run(const std::string& name, const std::string& agent, const std::string& verdict) {
    EXPECT_EQ(tyer({"feed", "post", "general", "@" + name}).code, 0);
    Visitor people(url());
    const std::string session = people.get("/api/agents/" + agent).text("default_session");
    const std::string runs = "/api/sessions/" + session + "/runs";
    const std::string id = fmt::format("01a1e205-9976-7000-8000-{:012}", ++runs_);
    EXPECT_EQ(people.post(runs, {{"run", id}}).status, 201);
    EXPECT_EQ(state(agent), "working");
    const Json finish{{"verdict", verdict}, {"why", "that is so"}};
    EXPECT_EQ(people.post(runs + "/" + id + "/finish", finish).status, 200);
  }

  std::string state(const std::string& agent) {
    return Visitor(url()).get("/api/agents/" + agent).text("state");
  }

 private:
  int runs_ = 0;
};

TEST_F(StateOfAnAgent, IsWhetherItIsServedAndWhyItDoesNotAnswer) {
  const std::string agent = make("bot", {{"type", "demo"}});
  const std::string curl = make("curl", {{"type", "command"}});
  const std::string poor = make("poor", {{"type", "demo"}, {"runs_per_day", 1}});
  EXPECT_EQ(state(agent), "unserved");
  EXPECT_EQ(state(curl), "on_its_own");
  const std::string before = tyer("agent list").out;
  EXPECT_TRUE(before.contains("  bot   demo     not served")) << before;
  EXPECT_TRUE(before.contains("  curl  command  on its own")) << before;

  Listener worker(url(), "/api/events/stream?worker=true&topics=agent");
  worker.until("agent_online");
  EXPECT_EQ(state(agent), "idle");
  EXPECT_EQ(state(curl), "on_its_own") << "no worker starts it";
  run("bot", agent, "credentials");
  const Json after = Visitor(url()).get("/api/agents/" + agent).json();
  EXPECT_EQ(text_or(after, "state"), "no_credentials");
  EXPECT_EQ(text_or(after, "state_why"), "that is so");
  EXPECT_EQ(after["served"], true);
  run("bot", agent, "done");
  EXPECT_EQ(state(agent), "idle");
  run("poor", poor, "done");
  EXPECT_EQ(state(poor), "over_budget");
  EXPECT_TRUE(tyer("agent list").out.contains("  budget used up  "));
}

TEST_F(StateOfAnAgent, IsServedOnlyAsFarAsAWorkerSays) {
  const std::string one = make("one", {{"type", "demo"}});
  const std::string two = make("two", {{"type", "demo"}});

  Listener worker(url(), "/api/events/stream?worker=true&topics=agent&agents=" + one);
  worker.until("agent_online");

  EXPECT_EQ(state(one), "idle");
  EXPECT_EQ(state(two), "unserved");
}

TEST_F(StateOfAnAgent, IsInTheLogWhoeverStartsIt) {
  const std::string agent = make("bot", {{"type", "demo"}});
  run("bot", agent, "done");

  const std::string session = Visitor(url()).get("/api/agents/" + agent).text("default_session");
  std::size_t seen = 0;
  for (const Json& event : events("--topics shift,run,item")) {
    const std::string type = event["event"];
    if (type != "run_started" && type != "run_finished" && type != "item_woken") continue;
    EXPECT_EQ(event["actor"], "session/" + session) << type;
    ++seen;
  }
  EXPECT_GE(seen, 2U);
}

}  // namespace
}  // namespace tyer::testing
