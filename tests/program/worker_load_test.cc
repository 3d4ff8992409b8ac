// Many items at once: in order, once, and one run of a session at a time (W10, W11, W12).

#include <sys/resource.h>

#include <csignal>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/kin.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerLoad : public WorkerTest {
 protected:
  WorkerLoad() { start_hub(); }

  // Agents with five sessions each, whose names come into `names`, and a worker for all of them.
  ProgramCall start_five(Texts& names) {
    std::string keys;
    for (const char* agent : {"ann", "bob", "cem", "dora", "eve"}) {
      make_agent(agent);
      keys += key_of(agent) + ",";
      for (const char* session : {"default", "a", "b", "c", "d"}) {
        names.push_back(fmt::format("{}/{}", agent, session));
      }
    }
    ProgramCall all = worker_call("ann", "--all-agents");
    all.environment["TYER_API_KEYS"] = keys;
    all.err_to = "/dev/null";
    return all;
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

TEST_F(WorkerLoad, OfAThousandCommentsKeepsTheOrderOfEachOf25Sessions) {
  Texts names;
  ProgramCall call = start_five(names);
  Program one(call);
  Program two(call);
  // More than one thread each: what stands together in one is answered by one run.
  std::map<std::string, Texts> threads;
  for (const std::string& name : names) {
    for (int i = 0; i < 2; ++i) threads[name].push_back(write_post("for " + name));
  }
  std::map<std::string, Texts> written;
  std::mt19937 chance(7);
  for (std::size_t i = 0; i < 1'000; ++i) {
    const std::string& name = names[chance() % names.size()];
    const std::string& thread = threads[name][chance() % 2];
    written[name].push_back(write_comment(thread, fmt::format("@{} {}", name, i)));
  }
  Texts sessions;
  for (const std::string& name : names) sessions.push_back(session_of(name));
  await_nothing_pending(sessions);

  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(handled(sessions[i]), written[names[i]]) << names[i];
  }
  for (Program* worker : {&one, &two}) EXPECT_EQ(leave(*worker).code, 0);
  // One run of a session at a time, and each once.
  expect_all_is_well(1'000);
}

// W13: with the descriptors that a process may usually have, and though nobody does as asked.
TEST_F(WorkerLoad, OfThreeHundredRunsIsGoneOnceItsWorkerIsToldTwice) {
  end_hub(SIGTERM);
  environment["TYER_HUB_SESSIONS_MAX"] = "100";
  start_hub();
  std::string keys;
  for (const char* agent : {"ann", "bob", "cem"}) {
    make_scripted(agent, "cat >/dev/null\nsetsid sleep 600 &\necho here >>news\nsleep 600");
    keys += key_of(agent) + ",";
    for (int from = 0; from < 100; from += 50) {
      std::string text;
      for (int i = from; i < from + 50; ++i) {
        text += i == 0 ? fmt::format("@{} ", agent) : fmt::format("@{}/s{} ", agent, i);
      }
      ASSERT_NE(write_post(text), "");
    }
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit usual{.rlim_cur = 1'024, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
  ProgramCall call = worker_call("ann", "--all-agents --max-runs 300");
  call.environment["TYER_API_KEYS"] = keys;
  call.err_to = "/dev/null";
  Program worker(call);
  ::setrlimit(RLIMIT_NOFILE, &before);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(news->line(), "here");
  for (const env::Kin& one : env::kin_below(worker.pid())) {
    ::kill(static_cast<pid_t>(one.pid), SIGSTOP);
  }

  worker.signal(SIGTERM);
  worker.signal(SIGINT);

  EXPECT_EQ(worker.finish().code, 0);
  await_no_runs();
}

}  // namespace
}  // namespace tyer::testing
