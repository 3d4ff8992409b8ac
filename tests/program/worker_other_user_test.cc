// Agents as another user than the hub's, as docs/workers.md tells to set it up: a worker of that
// user, which has nothing but the agent's key.

#include <csignal>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/other_user.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

// Writes down whatever it gets of the hub at HUB, whose store is in STORE.
constexpr const char* grasp = R"sh(
cat >/dev/null
try() { what=$1; shift; "$@" >/dev/null 2>&1 && echo "$what" >>seen; }
look() { cat "$1" | grep -q .; }
: >seen
try 'its store' look STORE/tyer.db
try 'a place in its store' touch STORE/mine
try 'the names in its store' ls STORE
try 'its environment' look /proc/HUB/environ
try 'its descriptors' ls /proc/HUB/fd
try 'a signal to it' kill -0 HUB
try 'a login' PROGRAM login --store sqlite:STORE/tyer.db
try 'a key' PROGRAM agent key bot --store sqlite:STORE/tyer.db
echo looked
)sh";

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), by);
    at += by.size();
  }
  return text;
}

class WorkerOfAnotherUser : public WorkerTest {
 protected:
  // What came of the script in `folder`.
  [[nodiscard]] static std::vector<std::string> seen(const TempDir& folder) {
    const ProgramResult read = run_program({.words = {folder / "seen"}, .program = "/bin/cat"});
    EXPECT_EQ(read.code, 0) << "it was not there";
    return split_lines(read.out);
  }

  const OtherUser user;
};

TEST_F(WorkerOfAnotherUser, AnswersAndGetsNothingOfTheHub) {
  if (!OtherUser::is_other()) GTEST_SKIP() << "only root can be two users";
  Program hub(call({"serve", "--listen", "127.0.0.1:0", "--json"}));
  ASSERT_TRUE(hub.wait_for("}\n")) << hub.finish().err;
  std::string script = replaced(grasp, "STORE", dir / ".tyer");
  script = replaced(script, "HUB", std::to_string(hub.pid()));
  script = replaced(script, "PROGRAM", user.program());
  const ProgramResult made = tyer({"agent", "add", "bot", "--type", "command", "--dir",
                                   elsewhere.path(), "--", "sh", elsewhere / "bot.sh"});
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_EQ(tyer("feed add general").code, 0);
  std::ofstream(elsewhere / "bot.sh") << script;
  OtherUser::give(elsewhere.path());
  Program worker(user.call({.words = {"worker", "--all-agents"},
                            .directory = elsewhere.path(),
                            .environment = {{"HOME", elsewhere.path()},
                                            {"TYER_URL", text_or(*parse_json(hub.out()), "url")},
                                            {"TYER_API_KEYS", split_lines(made.out).front()}}}));
  Program tail(call({"feed", "tail"}));

  ASSERT_EQ(tyer({"feed", "post", "general", "@bot look"}).code, 0);

  EXPECT_TRUE(tail.wait_for("looked"));
  EXPECT_EQ(seen(elsewhere), std::vector<std::string>{});
  EXPECT_EQ(leave(worker).code, 0);

  // The same by the hub's own user, or it would show nothing.
  const ProgramResult own =
      run_program({.words = {"-c", script}, .directory = dir.path(), .program = "/bin/sh"});
  EXPECT_EQ(own.code, 0) << own.err;
  EXPECT_EQ(seen(dir).size(), 8U) << ::testing::PrintToString(seen(dir));
  hub.signal(SIGTERM);
  EXPECT_EQ(hub.finish().code, 0);
}

}  // namespace
}  // namespace tyer::testing
