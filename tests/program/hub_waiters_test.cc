// Who waits for a lock, as the hub tells it.

#include <thread>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

TEST(HubWaiters, AreToldWithTheLockInTheirOrder) {
  const HubPlace place("sqlite");
  RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  const Json wish{{"names", {"build"}}, {"owner", "first"}, {"host", "far"}, {"pid", 1}};
  ASSERT_EQ(visitor.post("/api/leases", wish).status, 201);
  EXPECT_EQ(visitor.get("/api/leases").json()["data"][0]["waiters"], Json::array());

  std::vector<std::thread> waiting;
  for (const char* owner : {"second", "third"}) {
    Listener listener(hub.url(), "/api/events/stream");
    waiting.emplace_back([&hub, owner] {
      const Json later{
          {"names", {"build"}}, {"owner", owner}, {"wait_ms", 60'000}, {"host", "far"}, {"pid", 2}};
      (void)hub.visitor().post("/api/leases", later);
    });
    listener.until([](const http::ServerEvent& event) {
      return event.event == "lease_granted" && event.data.contains("\"wait/");
    });
  }
  const Json row = visitor.get("/api/leases?name=build").json()["data"][0];
  EXPECT_EQ(row["waiting"], 2);
  ASSERT_EQ(row["waiters"].size(), 2U) << row.dump();
  EXPECT_EQ(text_or(row["waiters"][0], "owner"), "second");
  EXPECT_EQ(text_or(row["waiters"][1], "owner"), "third");
  EXPECT_EQ(text_or(row["waiters"][1], "host"), "far");

  hub.kill();  // Or they would wait on.
  for (std::thread& one : waiting) one.join();
}

}  // namespace
}  // namespace tyer::testing
