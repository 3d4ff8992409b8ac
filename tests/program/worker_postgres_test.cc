// Two machines with hub and workers on one PostgreSQL: they share an agent's sessions, and one goes
// on where the other died (W10, W15).

#include <array>
#include <csignal>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/kin.h"
#include "support/forked.h"
#include "support/hub.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class Orchestrators : public ::testing::Test {
 protected:
  // One "machine": `tyer up` with all that it starts.
  struct Machine {
    std::unique_ptr<Program> up;
    std::string url;

    [[nodiscard]] bool has(std::int64_t pid) const {
      for (const env::Kin& one : env::kin_below(up->pid())) {
        if (one.pid == pid) return true;
      }
      return false;
    }
    // Everything at once, as when it loses its power.
    void die() const {
      std::vector<pid_t> all{static_cast<pid_t>(up->pid())};
      for (const env::Kin& one : env::kin_below(up->pid())) {
        all.push_back(static_cast<pid_t>(one.pid));
      }
      for (const int signal : {SIGSTOP, SIGKILL}) {
        for (const pid_t pid : all) ::kill(pid, signal);
      }
    }
  };

  Orchestrators() {
    for (Machine& machine : machines) start(machine);
    Visitor people(machines[0].url);
    std::ofstream(place.dir() / "work.sh")
        << fmt::format("cat > /dev/null\necho \"$TYER_SESSION\" > {}\nread word < {}\necho done\n",
                       place.dir() / "news", place.dir() / "gate");
    const Json made = people
                          .post("/api/keys", {{"name", "bot"},
                                              {"type", "command"},
                                              {"command", {"sh", place.dir() / "work.sh"}}})
                          .json();
    bot = text_or(made, "id");
    feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
  }

  void start(Machine& machine) const {
    ProgramCall call =
        place.call({"--open-loopback", "--listen", "127.0.0.1:0", "--json", "--max-runs", "2"});
    call.words.front() = "up";
    machine.up = std::make_unique<Program>(call);
    if (machine.up->wait_for("}\n")) {
      machine.url = text_or(parse_json(machine.up->out()).value_or(Json()), "url");
    } else {
      ADD_FAILURE() << machine.up->finish().err;
    }
  }

  static std::vector<Json> rows(const std::string& url, const std::string& path) {
    std::vector<Json> all;
    for (const Json& row : Visitor(url).get(path).json().value("data", Json::array())) {
      all.push_back(row);
    }
    return all;
  }

  // So many answers under the post, as the hub at `url` tells.
  static void await_answers(const std::string& url, const std::string& post, std::size_t count) {
    const auto has_all = [&] {
      std::size_t answers = 0;
      for (const Json& row : rows(url, "/api/posts/" + post + "/comments?limit=200")) {
        answers += text_or(row, "author_type") == "bot" ? 1 : 0;
      }
      return answers >= count;
    };
    Listener events(url, "/api/events/stream?topics=comment,run");
    if (has_all()) return;
    events.until([&](const http::ServerEvent&) { return has_all(); });
    EXPECT_TRUE(has_all());
  }

  const HubPlace place{"postgres"};
  const NamedPipe news{place.dir() / "news"};
  const NamedPipe gate{place.dir() / "gate"};
  std::array<Machine, 2> machines;
  std::string bot;
  std::string feed;
};

TEST_F(Orchestrators, ShareTheSessionsOfAnAgentAndOneGoesOnWhereTheOtherDied) {
  Visitor people(machines[0].url);
  const std::string post =
      people.make("/api/feeds/" + feed + "/posts",
                  {{"title", "work"}, {"content", "@bot @bot/one @bot/two @bot/three go"}});
  // Four sessions, of which each machine may run two at a time.
  std::set<std::string> sessions;
  for (int i = 0; i < 4; ++i) sessions.insert(news.line());
  ASSERT_EQ(sessions.size(), 4U);
  std::array<std::size_t, 2> shares{};
  for (const std::string& session : sessions) {
    const Json run = rows(machines[1].url, "/api/sessions/" + session + "/runs").at(0);
    for (std::size_t i = 0; i < machines.size(); ++i) {
      shares[i] += machines[i].has(int_or(run, "pid")) ? 1U : 0U;
    }
  }
  EXPECT_EQ(shares, (std::array<std::size_t, 2>{2, 2}));

  machines[0].die();
  // Its two begin anew, as soon as those of the other are done.
  for (int i = 0; i < 2; ++i) gate.put("go");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(sessions.contains(news.line()));
  for (int i = 0; i < 2; ++i) gate.put("go");
  await_answers(machines[1].url, post, 4);

  for (const std::string& session : sessions) {
    const std::vector<Json> runs = rows(machines[1].url, "/api/sessions/" + session + "/runs");
    std::size_t done = 0;
    for (const Json& run : runs) {
      const std::string verdict = text_or(run, "verdict");
      EXPECT_TRUE(verdict == "done" || verdict == "lost") << verdict;
      done += verdict == "done" ? 1 : 0;
    }
    EXPECT_EQ(done, 1U) << session;
    EXPECT_EQ(rows(machines[1].url, "/api/sessions/" + session + "/pending").size(), 0U);
  }
  EXPECT_EQ(rows(machines[1].url, "/api/posts/" + post + "/comments").size(), 4U);
  machines[1].up->signal(SIGTERM);
  EXPECT_EQ(machines[1].up->finish().code, 0);
}

}  // namespace
}  // namespace tyer::testing
