// A run is a program of the same user as the hub, the worker and the keeper above it, and reads
// none of their secrets. Root could: so all of this runs as somebody else.

#include <unistd.h>

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/other_user.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

// Writes down what it can see of all processes above it that are tyer's, and what others were
// started with.
constexpr const char* look_around = R"sh(
cat >/dev/null
pid=$PPID
: >seen
while test "$(tr '\0' '\n' </proc/$pid/cmdline | head -n 1)" = PROGRAM;
do
  echo "above: $(tr '\0' ' ' </proc/$pid/cmdline)" >>seen
  for name in environ mem maps auxv;
do
    (exec 3</proc/$pid/$name) 2>/dev/null && echo "open: $name of $pid" >>seen
  done
  ls /proc/$pid/fd >/dev/null 2>&1 && echo "open: descriptors of $pid" >>seen
  pid=$(sed 's/.*) . \([0-9]*\) .*/\1/' /proc/$pid/stat)
done
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' >>seen
echo looked
)sh";

class RunSecrets : public WorkerTest {
 protected:
  void SetUp() override {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    GTEST_SKIP() << "a build with this sanitizer hides nothing: see env/hidden.h";
#endif
#endif
    for (const TempDir* each : {&dir, &home, &elsewhere}) OtherUser::give(each->path());
  }

  // What the agent of `bot` is: a script that looks around.
  [[nodiscard]] Json spy() const {
    std::string script = look_around;
    script.replace(script.find("PROGRAM"), 7, user.program());
    write_file("spy.sh", script);
    return {{"name", "bot"},
            {"type", "command"},
            {"command", {"sh", dir / "spy.sh"}},
            {"working_directory", dir.path()}};
  }

  // By `open`, a hub that lets everybody in.
  void begin(const ProgramCall& open) {
    hub = std::make_unique<Program>(user.call(open));
    ASSERT_TRUE(hub->wait_for("}\n")) << hub->finish().err;
    hub_url = text_or(parse_json(hub->out()).value_or(Json::object()), "url");
    key = Visitor(hub_url).post("/api/keys", spy()).text("key");
    ASSERT_NE(key, "");
  }

  // Has the agent look, and returns what it saw.
  [[nodiscard]] std::string look() const {
    Visitor people(hub_url);
    Listener events(hub_url, "/api/events/stream?author_type=bot&topics=comment");
    const std::string feed = people.make("/api/feeds", {{"name", "spies"}});
    people.make("/api/feeds/" + feed + "/posts", {{"content", "@bot look"}});
    (void)events.until("comment_created");
    return read_file("seen");
  }

  // The keeper, the process above it, and who started that.
  static void expect_nothing_is_open(const std::string& seen, const std::string& top) {
    std::vector<std::string> above;
    for (const std::string& line : split_lines(seen)) {
      if (line.starts_with("above: ")) above.push_back(line);
      EXPECT_FALSE(line.starts_with("open: ")) << line;
    }
    ASSERT_EQ(above.size(), 3U) << ::testing::PrintToString(above);
    EXPECT_TRUE(above.back().contains("/tyer " + top)) << above.back();
  }

  const OtherUser user;
  // Nobody else's: what others have on their command lines is seen as well.
  const std::string secret = fmt::format("hunter-{}", ::getpid());
  std::unique_ptr<Program> hub;
  std::string hub_url;
  std::string key;
};

TEST_F(RunSecrets, OfUpAreReadByNoRun) {
  ProgramCall up = call({"up", "--open-loopback", "--listen", "127.0.0.1:0", "--json"});
  up.environment["PGPASSWORD"] = secret;
  up.environment["ANTHROPIC_API_KEY"] = secret;
  begin(up);

  const std::string seen = look();

  expect_nothing_is_open(seen, "up --open-loopback");
  EXPECT_FALSE(seen.contains(secret));
  hub->signal(SIGINT);
  EXPECT_EQ(hub->finish().code, 0);
}

TEST_F(RunSecrets, OfAWorkerAndItsHubAreReadByNoRun) {
  ProgramCall serve = call({"serve", "--open-loopback", "--listen", "127.0.0.1:0", "--json"});
  serve.environment["PGPASSWORD"] = secret;
  begin(serve);
  const Reply other = Visitor(hub_url).post("/api/keys", {{"name", "other"}, {"type", "command"}});
  ProgramCall all = call({"worker", "--all-agents"});
  all.directory = elsewhere.path();
  all.environment["TYER_URL"] = hub_url;
  all.environment["TYER_API_KEY"] = key;
  all.environment["TYER_API_KEYS"] = other.text("key");
  all.environment["PGPASSWORD"] = secret;
  all.environment["OPENAI_API_KEY"] = secret;
  Program worker(user.call(all));

  const std::string seen = look();

  expect_nothing_is_open(seen, "worker --all-agents");
  EXPECT_FALSE(seen.contains(secret));
  EXPECT_FALSE(seen.contains(key));
  EXPECT_FALSE(seen.contains(other.text("key")));
  EXPECT_EQ(leave(worker).code, 0);
  hub->signal(SIGINT);
  EXPECT_EQ(hub->finish().code, 0);
}

}  // namespace
}  // namespace tyer::testing
