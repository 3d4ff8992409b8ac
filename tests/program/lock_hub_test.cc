// Locks through a hub where that is not the same as on a store: hubs that are killed, clients that
// are gone, lines that both kinds of clients stand in, and machines that the hub cannot see.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/linux_env.h"
#include "store/open.h"
#include "support/forked.h"
#include "support/hub.h"
#include "support/locks.h"

namespace tyer::testing {
namespace {

class LockHub : public LockProgramTest {
 protected:
  LockHub() { start_hub(); }

  // tyer run K with `script`, which waits.
  [[nodiscard]] ProgramCall waiter(const std::string& owner, const std::string& script) const {
    return call({"run", "K", "--wait", "15s", "--owner", owner, "--", "sh", "-c", script});
  }

  [[nodiscard]] Visitor visitor() const { return Visitor(url()); }

  Program agent{idle()};
};

// A client of the API that is nothing but a connection.
class Caller {
 public:
  Caller(const std::string& url, const Json& body) {
    const int port = std::stoi(url.substr(url.rfind(':') + 1));
    fd_ = env::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string text = dump_json(body);
    const std::string request = fmt::format(
        "POST /api/leases HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n\r\n{}", port,
        text.size(), text);
    EXPECT_EQ(::write(fd_.get(), request.data(), request.size()),
              static_cast<ssize_t>(request.size()));
  }

  // All it was told, once that has `text` in it or nothing more comes.
  std::string until(const std::string& text) {
    std::array<char, 4096> piece{};
    while (!told_.contains(text)) {
      const ssize_t got = ::read(fd_.get(), piece.data(), piece.size());
      if (got <= 0) break;
      told_.append(piece.data(), static_cast<std::size_t>(got));
    }
    return told_;
  }

  void go() { fd_ = env::Fd(); }

 private:
  env::Fd fd_;
  std::string told_;
};

// The body of one who waits for K, held by a process that lives as long as the test does.
Json wish_of(const std::string& place, const std::string& session = "session-of-the-test") {
  env::LinuxEnv env;
  const core::Holder self = env.env().processes.self(session);
  return {{"names", {"K"}},
          {"session", session},
          {"wait_ms", 60'000},
          {"place", place},
          {"host", self.place.host},
          {"boot", self.place.boot},
          {"pid", self.pid},
          {"pid_start", self.pid_start},
          {"owner", place},
          {"confirms", true},
          {"namespace", self.place.pid_namespace}};
}

// L8: one line for all, whichever way they come.
TEST_F(LockHub, ServesThoseWhoWaitThroughItAndOnTheStoreInTheOrderTheyCame) {
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  std::vector<std::unique_ptr<Program>> waiters;
  for (const std::string name : {"hub1", "store1", "hub2", "store2"}) {
    std::vector<std::string> words{"run", "K",  "--wait",          "15s", "--owner", name, "--",
                                   "sh",  "-c", "echo $0 >>order", name};
    waiters.push_back(
        std::make_unique<Program>(name.starts_with("hub") ? call(words) : call_on_store(words)));
    ASSERT_TRUE(is_queued(follower, name));
  }

  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);
  for (const auto& each : waiters) EXPECT_EQ(each->finish().code, 0);

  EXPECT_EQ(read_file("order"), "hub1\nstore1\nhub2\nstore2\n");
}

// Whoever waits keeps its place, and its patience.
TEST_F(LockHub, MayBeKilledAndStartedAgainWhileOthersWait) {
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  for (const int signal : {SIGKILL, SIGTERM}) {
    const std::string number = std::to_string(signal);
    Program first(waiter("first" + number, "echo first >>order" + number));
    ASSERT_TRUE(is_queued(follower, "first" + number));
    end_hub(signal);
    Program second(call_on_store({"run", "K", "--wait", "15s", "--owner", "second" + number, "--",
                                  "sh", "-c", "echo second >>order" + number}));
    ASSERT_TRUE(is_queued(follower, "second" + number));

    restart_hub();
    const Acquired again = signal == SIGKILL ? held : Acquired{"K", "again", ""};
    EXPECT_EQ(tyer("lock release K --session " + again.session).code, 0);

    EXPECT_EQ(first.finish().code, 0);
    EXPECT_EQ(second.finish().code, 0);
    EXPECT_EQ(read_file("order" + number), "first\nsecond\n");
    (void)acquire("K --session again --pid " + std::to_string(agent.pid()));
  }
}

// L9: the lease is renewed as soon as somebody answers again.
TEST_F(LockHub, MayBeKilledAndStartedAgainWhileALockIsHeld) {
  environment["TYER_LEASE_HEARTBEAT"] = "50ms";
  Program running(call({"run", "K", "--ttl", "30s", "--", "sh", "-c", "echo ready; read x <go"}));
  ASSERT_TRUE(running.wait_for("ready"));

  end_hub(SIGKILL);
  const std::string before = parse_json(run_program(call_on_store({"lock", "list", "--json"})).out)
                                 .value_or(Json())[0]["heartbeatAt"];
  restart_hub();

  env::LinuxEnv env;
  const auto store = store::open(environment["TYER_STORE"], env.env(), {});
  ASSERT_TRUE(store);
  const auto watch = (*store)->watch();
  ASSERT_TRUE(watch);
  while (lease("heartbeatAt") <= before) ASSERT_TRUE((*watch)->wait(give_up_after).value_or(false));
  tell_go();
  const ProgramResult ended = running.finish();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(story("lock/K"), "granted released");
}

// L13: who cannot renew stops before anybody else may start.
TEST_F(LockHub, EndsARunThatItCannotBeReachedByInTime) {
  Program running(
      call({"run", "K", "--ttl", "1s", "--", "sh", "-c", "echo ready; exec tail -f /dev/null"}));
  ASSERT_TRUE(running.wait_for("ready"));

  end_hub(SIGKILL);
  const ProgramResult ended = running.finish();

  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_TRUE(ended.err.contains("the lock K was lost: the hub http://")) << ended.err;
}

// L8
TEST_F(LockHub, PassesOverAClientThatWasKilledWhileItWaited) {
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  Program dead(waiter("dead", "echo dead >>order"));
  ASSERT_TRUE(is_queued(follower, "dead"));
  Program next(waiter("next", "echo next >>order"));
  ASSERT_TRUE(is_queued(follower, "next"));

  // Its parent, too: that is what a shell sees.
  dead.signal(SIGKILL);
  EXPECT_EQ(dead.finish().code, 128 + SIGKILL);
  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);

  EXPECT_EQ(next.finish().code, 0);
  EXPECT_EQ(read_file("order"), "next\n");
}

// The holder lives, but whoever asked for it is gone: nobody else can say so.
TEST_F(LockHub, TakesBackWhatItGrantedToAClientThatIsGone) {
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Caller caller(url(), wish_of("placeofone"));
  // It is in line, and the hub writes nothing now: stopped in a commit it would hold others up.
  ASSERT_TRUE(caller.until("\"held\"").contains("200 OK"));

  hub().signal(SIGSTOP);
  caller.go();
  EXPECT_EQ(run_program(call_on_store({"lock", "release", "K", "--session", held.session})).code,
            0);
  hub().signal(SIGCONT);

  EXPECT_EQ(run_program(waiter("next", "true")).code, 0);
  EXPECT_FALSE(tyer("log lock/K --json").out.contains("lapsed"));
}

// A connection that broke is not a client that gave up.
TEST_F(LockHub, GivesTheLockToOneWhoComesBackToItsPlace) {
  const Acquired held = acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  Caller first(url(), wish_of("placeofone"));
  ASSERT_TRUE(first.until("\"held\":[{").contains("200 OK"));
  Program other(waiter("other", "true"));
  ASSERT_TRUE(is_queued(follower, "other"));
  first.go();
  EXPECT_EQ(tyer("lock release K --session " + held.session).code, 0);

  Caller again(url(), wish_of("placeofone"));

  EXPECT_TRUE(again.until("\"leases\"").contains("session-of-the-test"));
  EXPECT_EQ(lease("sessionId"), "session-of-the-test");
  EXPECT_EQ(tyer("lock release K --session session-of-the-test").code, 0);
  EXPECT_EQ(other.finish().code, 0);
}

// The same session that has it already is told so, and is no conflict with itself.
TEST_F(LockHub, TellsASessionThatAsksAgainThatItHasTheLock) {
  Json wish = wish_of("placeofone");
  Caller first(url(), wish);
  const std::string told = first.until("\"token\":2");
  EXPECT_TRUE(told.contains("\"token\":2")) << told;

  Caller again(url(), wish);

  EXPECT_TRUE(again.until("\"token\":2").contains("\"token\":2"));
  EXPECT_EQ(story("lock/K"), "granted");
}

// H2
TEST_F(LockHub, SendsThoseAwayWhoseKeyIsRevoked) {
  (void)acquire("K --pid " + std::to_string(agent.pid()));
  Program follower(follow());
  become_agent();
  Program waiting(waiter("waiter", "true"));
  ASSERT_TRUE(is_queued(follower, "waiter"));
  environment.erase("TYER_API_KEY");
  const std::string id =
      split_words(split_lines(tyer("agent key lock-bot --list").out).at(1)).front();

  EXPECT_EQ(tyer("agent key lock-bot --revoke " + id).code, 0);

  const ProgramResult ended = waiting.finish();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_TRUE(ended.err.contains("this key is not valid")) << ended.err;
}

// Law 7
TEST_F(LockHub, RefusesClearlyWhenTooManyWait) {
  (void)acquire("K --pid " + std::to_string(agent.pid()));
  std::vector<std::unique_ptr<Caller>> callers;
  for (int i = 0; i < 200; ++i) {
    callers.push_back(std::make_unique<Caller>(url(), wish_of(fmt::format("placeof{:04}", i))));
  }
  for (const auto& each : callers) EXPECT_TRUE(each->until("\"place\"").contains("200 OK"));

  const ProgramResult refused = tyer("run K --wait 10s -- true");

  EXPECT_EQ(refused.code, 5);
  EXPECT_TRUE(refused.err.contains("200 are waiting for locks through this hub already"))
      << refused.err;
  EXPECT_EQ(tyer("run other -- true").code, 0) << "who does not wait is served";
}

// Who names the store means it, whatever else is set, and so does the keeper that it leaves (L9).
class LockBesideAHub : public LockProgramTest {};

TEST_F(LockBesideAHub, IsInTheStoreThatWasNamed) {
  auto agent = std::make_unique<Program>(idle());
  environment["TYER_URL"] = "http://127.0.0.1:1";
  write_file(".tyer/config.toml", "[hub]\nurl = 'http://127.0.0.1:1'\n");
  ASSERT_EQ(tyer("trust").code, 0);
  const std::vector<std::string> words{"lock",
                                       "acquire",
                                       "K",
                                       "--pid",
                                       std::to_string(agent->pid()),
                                       "--store",
                                       environment["TYER_STORE"]};
  ASSERT_EQ(tyer(words).code, 0);
  EXPECT_EQ(tyer("lock check K").code, 3);
  Program follower(follow());

  agent.reset();

  EXPECT_TRUE(follower.wait_for("lease.lapsed"));
  EXPECT_EQ(tyer({"lock", "list", "--store", environment["TYER_STORE"], "--url", "http://x"}).code,
            2);
}

// L4, L10: what only the client's machine can see. The holder says that it is in another pid
// namespace, as it would be in a container: the hub cannot look there.
class LockElsewhere : public LockHub {
 protected:
  // A shell on a machine that is called otherwise.
  [[nodiscard]] ProgramCall there(const std::string& script) const {
    ProgramCall wanted = call({"--uts", "sh", "-c", "hostname elsewhere && " + script});
    wanted.program = "unshare";
    return wanted;
  }

  // What somebody there says: about itself, and that the holder is gone.
  [[nodiscard]] static Json place(const std::string& space) {
    return {{"host", "elsewhere"}, {"boot", "boot-1"}, {"namespace", space}};
  }

  [[nodiscard]] std::uint64_t hold() const {
    Json wish = place("one");
    wish.update({{"names", {"K"}}, {"pid", 4711}, {"pid_start", 5}, {"session", "there"}});
    return visitor().post("/api/leases", wish).json()["leases"][0]["token"];
  }

  [[nodiscard]] Reply report(Json from, std::uint64_t token) const {
    from.update({{"name", "K"}, {"token", token}, {"evidence", "no process 4711"}});
    return visitor().post("/api/leases/gone", from);
  }
};

TEST_F(LockElsewhere, IsBelievedAboutItsOwnProcesses) {
  const std::uint64_t token = hold();
  EXPECT_EQ(tyer("lock acquire K").code, 1) << "the hub cannot see that it is gone";

  EXPECT_EQ(report(place("one"), token).status, 200);

  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned");
  EXPECT_TRUE(tyer("log lock/K").out.contains("no process 4711, as admin saw there"));
  EXPECT_EQ(report(place("one"), token).status, 404);
}

TEST_F(LockElsewhere, IsNotBelievedAboutOthers) {
  const std::uint64_t token = hold();

  EXPECT_EQ(report(place("two"), token).status, 403);
  Json other = place("one");
  other["host"] = "other";
  EXPECT_EQ(report(other, token).status, 403);
  EXPECT_EQ(report(Json::object(), token).status, 403);

  EXPECT_EQ(story("lock/K"), "granted");
}

// L4, L8: the same by the commands, on a machine of another name.
TEST_F(LockElsewhere, TakesOverAtOnceFromAHolderThatDiedThere) {
  if (run_program(there("true")).code != 0) GTEST_SKIP() << "there can be no second machine here";
  Program holder(there("exec $TYER run K -- sh -c 'echo ready; exec tail -f /dev/null'"));
  ASSERT_TRUE(holder.wait_for("ready"));
  EXPECT_EQ(lease("host"), "elsewhere");
  ::kill(std::stoi(lease("pid")), SIGKILL);
  (void)holder.finish();
  EXPECT_EQ(tyer("lock acquire K").code, 1) << "from here it cannot be seen";
  const ProgramResult check = run_program(there("$TYER lock check K"));
  EXPECT_TRUE(check.out.contains("orphaned: no process ")) << check.out;

  const ProgramResult taken = run_program(there("$TYER lock acquire K --no-keeper"));
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_TRUE(taken.err.contains("tyer: took K over from pid ")) << taken.err;
  EXPECT_TRUE(taken.err.contains("no process ")) << taken.err;
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned granted");
}

// L8: also by one who waits for it already.
TEST_F(LockElsewhere, WakesOneWhoWaitsThereWhenTheHolderDies) {
  if (run_program(there("true")).code != 0) GTEST_SKIP() << "there can be no second machine here";
  Program holder(there("exec $TYER run K -- sh -c 'echo ready; exec tail -f /dev/null'"));
  ASSERT_TRUE(holder.wait_for("ready"));
  Program follower(follow());
  Program next(there("exec $TYER run K --wait 15s --owner next -- echo got it"));
  ASSERT_TRUE(is_queued(follower, "next"));

  ::kill(std::stoi(lease("pid")), SIGKILL);
  (void)holder.finish();

  const ProgramResult got = next.finish();
  EXPECT_EQ(got.out, "got it\n") << got.err;
  EXPECT_EQ(story("lock/K"), "granted lapsed:orphaned granted released");
}

// L10 step 1
TEST_F(LockElsewhere, IsBelievedThatItWasRestarted) {
  const std::uint64_t token = hold();
  Json restarted = place("one");
  restarted["boot"] = "boot-2";

  EXPECT_EQ(report(restarted, token).status, 200);
}

}  // namespace
}  // namespace tyer::testing
