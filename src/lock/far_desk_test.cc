// Locks through something that should be a hub: what is asked, what is made of the answers, and
// what happens when there are none. A real hub is in tests/program/lock_hub_test.cc.

#include <sys/eventfd.h>

#include <deque>
#include <mutex>

#include <gtest/gtest.h>

#include "base/json.h"
#include "env/linux_env.h"
#include "http/server.h"
#include "http/stream.h"
#include "lock/desk.h"
#include "lock/keeping.h"
#include "lock/lease_json.h"
#include "support/engine_world.h"

namespace tyer::lock {
namespace {

using testing::fault_of;
using testing::must;

http::Response say(int status, const Json& body) {
  return {.status = status, .body = dump_json(body)};
}

// Lines, and the end or not.
http::Response stream_of(const std::vector<Json>& lines, bool ends = true) {
  return {.stream = [lines, ends](const std::shared_ptr<http::Stream>& stream) {
    for (const Json& line : lines) {
      stream->send(std::make_shared<const std::string>(dump_json(line) + "\n"));
    }
    if (ends) stream->end();
  }};
}

struct FarDeskTest : ::testing::Test {
  FarDeskTest() {
    server = http::Server::start("127.0.0.1:0",
                                 [this](http::Request& request) {
                                   const std::lock_guard lock(mutex);
                                   asked.push_back(request);
                                   if (answers.empty()) return say(500, {{"none", "left"}});
                                   http::Response next = std::move(answers.front());
                                   answers.pop_front();
                                   return next;
                                 },
                                 {})
                 .value();
    url = "http://" + server->address();
    desk = make_far_desk(env.env(), {url, "ty_key"}).value();
  }

  core::Lease lease_of(const core::Holder& holder, std::uint64_t token = 7) {
    const Time now = env.env().clock.now();
    return {.key = "lock/a",
            .token = token,
            .holder = holder,
            .granted_at = now,
            .heard_at = now,
            .silence_max = 180s,
            .hold_max = 30min};
  }

  Request request() {
    return {.names = {"a"}, .holder = env.env().processes.self("run-1"), .owner = "alice"};
  }

  Json body_of(std::size_t index) {
    const std::lock_guard lock(mutex);
    return parse_json(asked.at(index).body).value_or(Json());
  }

  env::LinuxEnv env;
  std::mutex mutex;
  std::vector<http::Request> asked;
  std::deque<http::Response> answers;
  std::unique_ptr<http::Server> server;
  std::string url;
  std::unique_ptr<Desk> desk;
};

TEST_F(FarDeskTest, AsksWithItsKeyAndGetsALock) {
  const core::Lease lease = lease_of(request().holder);
  answers.push_back(say(201, to_wire(Outcome{.got = {lease}})));
  const Span before = env.env().clock.boot_time();

  const Outcome outcome = must(desk->acquire(request(), {}));

  EXPECT_EQ(outcome.got, std::vector{lease});
  EXPECT_GE(outcome.asked, before);
  EXPECT_EQ(asked[0].header("authorization"), "Bearer ty_key");
  EXPECT_EQ(body_of(0)["owner"], "alice");
  EXPECT_FALSE(body_of(0).contains("wait_ms"));
}

TEST_F(FarDeskTest, TellsTheAnswerNoFromAnAnswerThatIsNoHubs) {
  answers.push_back(say(500, {{"leaves", "none"}}));
  answers.push_back(say(409, to_wire(Outcome{.free = {"b"}})));

  EXPECT_EQ(fault_of(desk->acquire(request(), {})), "unavailable");
  EXPECT_EQ(must(desk->acquire(request(), {})).free, std::vector<std::string>{"b"});
}

// Its time is over by our clock, as far as we may trust it, and not yet by the hub's.
TEST_F(FarDeskTest, KeepsNothingIfAllIsLostAtOnce) {
  core::Lease lease = lease_of(request().holder);
  lease.granted_at -= lease.hold_max;
  answers.push_back(say(200, to_wire(lease)));

  EXPECT_EQ(fault_of(keep(*desk, {"a"}, "run-1", 1min, -1)), "fenced");
}

TEST_F(FarDeskTest, SaysWhichHubIsOutOfReach) {
  server.reset();

  const auto outcome = desk->acquire(request(), {.at_most = 1h});

  EXPECT_EQ(fault_of(outcome), "unavailable");
  EXPECT_TRUE(outcome.error().what.starts_with("the hub " + url)) << outcome.error().what;
}

TEST_F(FarDeskTest, PassesOnWhatTheHubRefuses) {
  answers.push_back(say(409, {{"error", {{"code", "fenced"}, {"message", "a: run-2 has it"}}}}));
  answers.push_back(say(418, {{"tea", "pot"}}));
  answers.push_back({.status = 200, .body = "hello"});

  const auto fenced = desk->release("a", "run-1");
  EXPECT_EQ(fault_of(fenced), "fenced");
  EXPECT_EQ(fenced.error().what, "a: run-2 has it");
  EXPECT_EQ(fault_of(desk->look("a")), "unavailable");
  EXPECT_EQ(fault_of(desk->list()), "unavailable");
}

// L8: it counts from when the hub asked, not from when the wait began.
TEST_F(FarDeskTest, ComesBackToItsPlaceWhenTheHubStops) {
  const core::Lease lease = lease_of(request().holder);
  Json last = to_wire(Outcome{.got = {lease}});
  last["waited_ms"] = 5'000;
  answers.push_back(stream_of({{{"waiting", true}}}));
  answers.push_back(say(503, {{"error", {{"code", "unavailable"}, {"message", "starting"}}}}));
  answers.push_back(stream_of({{{"waiting", true}}, last}));
  answers.push_back(say(200, to_wire(lease)));
  const Span before = env.env().clock.boot_time();

  const Outcome outcome = must(desk->acquire(request(), {.at_most = 1h}));

  EXPECT_EQ(outcome.got, std::vector{lease});
  EXPECT_GE(outcome.asked, before + 5s);
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_EQ(asked[3].path, "/api/leases/renew") << "it says that it knows";
  EXPECT_EQ(body_of(0)["place"], body_of(2)["place"]);
  EXPECT_EQ(body_of(0)["session"], "run-1");
  EXPECT_LT(body_of(2)["wait_ms"], body_of(0)["wait_ms"]) << "its patience is its own";
}

TEST_F(FarDeskTest, DoesNotComeBackToWhatItWasRefused) {
  answers.push_back(stream_of(
      {{{"waiting", true}}, {{"error", {{"code", "denied"}, {"message", "the key is revoked"}}}}}));
  answers.push_back({.status = 204});

  EXPECT_EQ(fault_of(desk->acquire(request(), {.at_most = 1h})), "denied");
}

TEST_F(FarDeskTest, GivesItsPlaceUpWhenItIsToldToStop) {
  const env::Fd stop(::eventfd(0, EFD_CLOEXEC));
  answers.push_back(
      {.stream = [&](const std::shared_ptr<http::Stream>&) { ::eventfd_write(stop.get(), 1); }});
  answers.push_back({.status = 204});

  const auto outcome = desk->acquire(request(), {.at_most = 1h, .stop_fds = {stop.get()}});

  EXPECT_EQ(fault_of(outcome), "cancelled");
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1].path, "/api/leases/leave");
  EXPECT_EQ(body_of(1)["place"], body_of(0)["place"]);
}

// L4, L10: what only this machine can see.
TEST_F(FarDeskTest, TellsTheHubOfAHolderThatIsGoneFromHere) {
  core::Holder dead = env.env().processes.self("run-dead");
  dead.pid_start += 1;  // Our pid, once given to another process.
  const Seen held{.lease = lease_of(dead, 6), .is_visible = false};
  const core::Lease lease = lease_of(request().holder);
  answers.push_back(say(409, to_wire(Outcome{.held = {held}})));
  answers.push_back(say(200, to_wire(held.lease)));
  answers.push_back(say(201, to_wire(Outcome{.got = {lease}})));

  const Outcome outcome = must(desk->acquire(request(), {}));

  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked[1].path, "/api/leases/gone");
  EXPECT_EQ(body_of(1)["token"], 6);
  EXPECT_EQ(body_of(1)["boot"], dead.place.boot);
  EXPECT_EQ(outcome.got, std::vector{lease});
  ASSERT_EQ(outcome.ended.size(), 1U) << "it was taken over";
  EXPECT_EQ(outcome.ended[0].judgement.verdict, core::Verdict::orphaned);
}

TEST_F(FarDeskTest, SaysNothingOfAHolderThatTheHubSeesItself) {
  core::Holder dead = env.env().processes.self("run-dead");
  dead.pid_start += 1;
  answers.push_back(say(409, to_wire(Outcome{.held = {{.lease = lease_of(dead, 6)}}})));

  EXPECT_EQ(must(desk->acquire(request(), {})).held.size(), 1U);
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(FarDeskTest, RenewsAnyLeaseByItsToken) {
  core::Lease lease = lease_of(request().holder);
  lease.key = "session/ss_1";
  answers.push_back(say(200, to_wire(lease)));
  const engine::Renew renew = desk->renewer();

  must(renew(lease, 1s));

  EXPECT_EQ(body_of(0), (Json{{"key", "session/ss_1"}, {"token", 7}, {"session", "run-1"}}));
}

// A silent hub must not hold up one who has to stop in time.
TEST_F(FarDeskTest, DoesNotWaitForTheAnswerToARenewalLongerThanItHelps) {
  answers.push_back(stream_of({}, false));
  const Span before = env.env().clock.boot_time();

  EXPECT_EQ(fault_of(desk->renewer()(lease_of(request().holder), 50ms)), "unavailable");

  EXPECT_LT(env.env().clock.boot_time() - before, 10s);
}

}  // namespace
}  // namespace tyer::lock
