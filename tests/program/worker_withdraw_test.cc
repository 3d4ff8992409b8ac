// What becomes of a run that its keeper gives back while the hub is still committing it (W10).

#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/http_peer.h"
#include "support/hub.h"
#include "support/postgres_server.h"

namespace tyer::testing {
namespace {

// A commit that grants a session takes a while.
constexpr const char* slow_commits = R"(
CREATE FUNCTION take_a_while() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON tyer_lease
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.key LIKE 'session/%') EXECUTE FUNCTION take_a_while();)";

// Until somebody commits it.
constexpr const char* slow_commit_runs = R"(
DO $$ BEGIN
  FOR i IN 1..3000 LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN EXISTS (SELECT FROM pg_stat_activity
                      WHERE wait_event = 'PgSleep' AND pid <> pg_backend_pid());
    PERFORM pg_sleep(0.01);
  END LOOP;
END $$;)";

TEST(Withdrawal, GivesBackARunThatIsBeingCommitted) {
  const HubPlace place("postgres");
  const RunningHub hub(place, {"--open-loopback"});
  const std::string store = place.call({}).words.back();
  ASSERT_TRUE(shared_postgres().sql(store, slow_commits).has_value());
  Visitor people = hub.visitor();
  const Reply agent = people.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  const std::string feed = people.make("/api/feeds", {{"name", "work"}});
  const Json who{{"host", "far"}, {"boot", "b"}, {"namespace", "n"}, {"pid", 7}, {"pid_start", 70}};
  const std::string body = dump_json(who);
  HttpPeer waiting(hub.port());
  waiting.send(
      fmt::format("POST /api/work HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\n\r\n{}",
                  hub.address(), body.size(), body));
  ASSERT_TRUE(waiting.until("\r\n\r\n").contains("200 OK"));

  std::jthread writer([&] {
    hub.visitor().make("/api/feeds/" + feed + "/posts", {{"title", ""}, {"content", "@bot go"}});
  });
  ASSERT_TRUE(shared_postgres().sql(store, slow_commit_runs).has_value());
  EXPECT_EQ(people.post("/api/work/withdraw", who).status, 200);
  writer.join();

  const Json runs =
      people.get("/api/sessions/" + agent.text("default_session") + "/runs").json()["data"];
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(text_or(runs[0], "status"), "ended");
  EXPECT_EQ(text_or(runs[0], "verdict"), "lost");
}

}  // namespace
}  // namespace tyer::testing
