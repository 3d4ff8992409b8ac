// Many items at once: in order, once, and one run of a session at a time (W10, W11, W12).

#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerLoad : public WorkerTest {
 protected:
  WorkerLoad() { start_hub(); }

  // What the session's runs were to answer, in the order they did it.
  [[nodiscard]] Texts handled(const std::string& session) const {
    Texts all;
    for (const Json& run : runs(session)) {
      for (const Json& item : run["items"]) all.push_back(item.get<std::string>());
    }
    return all;
  }

  void await_nothing_pending(const Texts& sessions) const {
    await("that nothing is pending", [&] {
      return std::ranges::all_of(sessions, [&](const std::string& session) {
        return people().get("/api/sessions/" + session + "/pending?limit=1").json()["data"].empty();
      });
    });
  }
};

TEST_F(WorkerLoad, BeginsWithTheOldestOfWhatWasWrittenWithoutIt) {
  make_agent("bot");
  Texts written;
  for (int i = 0; i < 10; ++i) written.push_back(write_post(fmt::format("@bot {}", i)));
  const std::string post = write_post("a thread");
  for (int i = 0; i < 20; ++i) written.push_back(write_comment(post, fmt::format("@bot {}", i)));
  const auto worker = start_worker("bot");
  await_nothing_pending({session_of("bot")});

  EXPECT_EQ(handled(session_of("bot")), written);
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(30);
}

TEST_F(WorkerLoad, KeepsTheOrderOfEachSession) {
  make_agent("ann");
  make_agent("bob");
  Texts names;
  for (const char* agent : {"ann", "bob"}) {
    for (const char* session : {"default", "a", "b", "c", "d"}) {
      names.push_back(fmt::format("{}/{}", agent, session));
    }
  }
  const auto one = start_worker("ann");
  const auto two = start_worker("bob");
  const auto three = start_worker("bob");
  std::map<std::string, std::string> threads;
  for (const std::string& name : names) threads[name] = write_post("for " + name);
  std::map<std::string, Texts> written;
  std::mt19937 chance(7);
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string& name = names[chance() % names.size()];
    const std::string text = fmt::format("@{} {}", name, i);
    const bool is_post = chance() % 4 == 0;
    written[name].push_back(is_post ? write_post(text) : write_comment(threads[name], text));
  }
  Texts sessions;
  for (const std::string& name : names) sessions.push_back(session_of(name));
  await_nothing_pending(sessions);

  for (const std::string& name : names) {
    EXPECT_EQ(handled(session_of(name)), written[name]) << name;
  }
  for (Program* worker : {one.get(), two.get(), three.get()}) EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(200);
}

}  // namespace
}  // namespace tyer::testing
