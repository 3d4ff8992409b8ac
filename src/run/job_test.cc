#include "run/job.h"

#include <gtest/gtest.h>

namespace tyer::run {
namespace {

Job some_job() {
  return {.id = "1",
          .backend = "demo",
          .task = {.prompt = "do\n\"it\"\t한",
                   .conversation = "c",
                   .model = "m",
                   .permission = backend::Permission::edit,
                   .argv = {"a", ""},
                   .extra = {"--x"}},
          .directory = "/d",
          .worktree = "w",
          .base = "main",
          .repository = "/r",
          .folder = "/f",
          .kept = 9,
          .bounds = {.wall = 90s, .idle = 5s, .output = 7},
          .environment = {{"EMPTY", ""}, {"LINES", "a\n한\"b"}, {"RAW", "\xff\x01="}},
          .store = "sqlite:/s",
          .space = "p",
          .is_durable = false,
          .heartbeat = 60s,
          .silence = 180s};
}

TEST(Job, ComesBackAsItWas) {
  const auto job = decode_job(encode(some_job()));

  ASSERT_TRUE(job) << job.error().what;
  EXPECT_EQ(encode(*job), encode(some_job()));
  EXPECT_EQ(job->task.prompt, some_job().task.prompt);
  EXPECT_EQ(job->task.permission, backend::Permission::edit);
  EXPECT_EQ(job->task.argv, some_job().task.argv);
  EXPECT_EQ(job->environment, some_job().environment);
  EXPECT_EQ(job->worktree, "w");
  EXPECT_EQ(job->base, "main");
  EXPECT_EQ(job->kept, 9U);
  EXPECT_FALSE(job->is_durable);
}

TEST(Job, ThatIsNotWholeIsRefused) {
  EXPECT_FALSE(decode_job(""));
  EXPECT_FALSE(decode_job("{}"));
  EXPECT_FALSE(decode_job("[1]"));
  Job job = some_job();
  job.directory = "relative";
  EXPECT_FALSE(decode_job(encode(job)));
  job = some_job();
  job.repository = "";
  EXPECT_FALSE(decode_job(encode(job)));
}

}  // namespace
}  // namespace tyer::run
