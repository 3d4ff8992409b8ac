// What a run of a session sees and may do, what comes of one that fails, and what it may cost (W2,
// W4, H16, W17).

#include <algorithm>
#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/forked.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

using Texts = std::vector<std::string>;

class WorkerRun : public WorkerTest {
 protected:
  WorkerRun() { start_hub(); }

  void await_runs(const std::string& session, const std::string& wanted) const {
    await(wanted, [&] { return verdicts(session) == wanted; });
  }

  [[nodiscard]] std::size_t count(const std::string& session, const std::string& what) const {
    return list(fmt::format("/api/sessions/{}/{}", session, what)).size();
  }
};

bool has_line(const std::string& text, const std::string& line) {
  const Texts lines = split_lines(text);
  return std::ranges::find(lines, line) != lines.end();
}

TEST_F(WorkerRun, HasACleanEnvironment) {
  make_scripted("bot", R"(
cat >prompt
env >environment
cat /proc/[0-9]*/cmdline >commands 2>/dev/null
cat /proc/$PPID/environ >keeper 2>/dev/null
cat "$TYER_SYSTEM_FILE" >system
echo seen)",
                {{"environment", {"WANTED"}}});
  ProgramCall call = worker_call("bot", "");
  call.environment["SECRET"] = "hunter2";
  call.environment["OPENAI_API_KEY"] = "hunter3";
  call.environment["WANTED"] = "yes";
  Program worker(call);
  const std::string post = write_post("@bot look");
  await_answers(post, 1);
  EXPECT_EQ(leave(worker).code, 0);

  const std::string seen = read_file("environment");
  EXPECT_TRUE(has_line(seen, "TYER_URL=" + url())) << seen;
  EXPECT_TRUE(has_line(seen, "TYER_SESSION=" + session_of("bot"))) << seen;
  EXPECT_TRUE(has_line(seen, "WANTED=yes")) << seen;
  EXPECT_FALSE(seen.contains("hunter")) << seen;
  const std::size_t at = seen.find("\nTYER_API_KEY=tr_");
  ASSERT_NE(at, std::string::npos) << seen;
  const std::string token = seen.substr(at + 14, seen.find('\n', at + 1) - at - 14);
  EXPECT_TRUE(has_line(seen, "AGENTFEED_API_KEY=" + token)) << seen;
  EXPECT_TRUE(read_file("prompt").contains("@bot look"));
  EXPECT_TRUE(read_file("system").contains("/api/posts/"));
  // Root reads that of its keeper, too.
  EXPECT_FALSE(read_file("keeper").contains("hunter"));
  for (const char* name : {"prompt", "system", "commands", "environment", "keeper"}) {
    EXPECT_FALSE(read_file(name).contains(key_of("bot"))) << name;
    if (name == std::string("environment")) continue;
    EXPECT_FALSE(read_file(name).contains(token)) << name;
  }
  // It is good for the run only.
  EXPECT_EQ(people().as(token).get("/api/auth/me").status, 401);
}

TEST_F(WorkerRun, IsListedWithItsSessionAndWhatItIsAbout) {
  make_scripted("bot", "cat >/dev/null\necho yes");
  const std::unique_ptr<Program> worker = start_worker("bot", "");
  const std::string post = write_post("for nobody");
  ASSERT_NE(write_comment(post, "@bot look at the build"), "");
  await_answers(post, 1);
  EXPECT_EQ(leave(*worker).code, 0);

  // Where the worker is.
  const auto said = [&](const std::string& words) {
    ProgramCall asking = call(split_words(words));
    asking.directory = work_place;
    return run_program(asking).out;
  };
  const std::string list = said("runs list --all");
  EXPECT_TRUE(list.contains("  bot/default  done ")) << list;
  EXPECT_TRUE(list.contains("@bot look at the build")) << list;
  const Json shown = parse_json_object(said("runs show last --json")).value_or(Json());
  EXPECT_EQ(text_or(shown, "session"), "bot/default");
  EXPECT_EQ(text_or(shown, "about"), "@bot look at the build");
}

TEST_F(WorkerRun, AnswersOnceIfItsAgentDoesSoItself) {
  make_scripted("bot", R"(
post=$(grep -o 'The thread (post ps_[a-z0-9]*' | grep -o 'ps_.*')
curl -sf -H "Authorization: Bearer $TYER_API_KEY" -H 'Content-Type: application/json' \
  -d '{"content":"by myself"}' "$TYER_URL/api/posts/$post/comments" >/dev/null
echo last words)");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot hello");
  await_runs(session_of("bot"), "done");

  EXPECT_EQ(answers(post), Texts{"by myself"});
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(1);
}

TEST_F(WorkerRun, FollowsWhatItsAgentPosts) {
  make_scripted("bot", R"(
cat >/dev/null
if mkdir once; then
  feed=$(curl -sf -H "Authorization: Bearer $TYER_API_KEY" "$TYER_URL/api/feeds" |
    grep -o 'fd_[a-z0-9]*' | head -n 1)
  curl -sf -H "Authorization: Bearer $TYER_API_KEY" -H 'Content-Type: application/json' \
    -d '{"title":"Mine","content":"news"}' "$TYER_URL/api/feeds/$feed/posts" |
    grep -o 'ps_[a-z0-9]*' | head -n 1 >posted
fi
echo done)");
  const auto worker = start_worker("bot");
  await_answers(write_post("@bot/writer post something"), 1);
  const std::string own = split_lines(read_file("posted")).at(0);
  write_comment(own, "tell us more");
  await_answers(own, 1);

  EXPECT_EQ(verdicts(session_of("bot/writer")), "done done");
  EXPECT_EQ(verdicts(session_of("bot")), "");
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_F(WorkerRun, RestsAfterFailuresAndIsTriedAgainWithTheNextMessage) {
  make_scripted("bot", R"(
cat >/dev/null
echo x >>calls
test -e good || exit 3
echo fine)");
  const std::string bot = session_of("bot");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot one");
  await_runs(bot, "failed");
  // At once again, three times in all.
  EXPECT_EQ(split_lines(read_file("calls")).size(), 3U);
  ASSERT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("exit code 3")) << notices(post)[0];
  EXPECT_EQ(count(bot, "pending"), 1U);
  write_comment(post, "two");
  await_runs(bot, "failed failed");
  write_comment(post, "three");
  await_runs(bot, "failed failed failed");
  EXPECT_EQ(count(bot, "skipped"), 1U);
  const Texts told = notices(post);
  EXPECT_TRUE(std::ranges::any_of(told, [](const std::string& one) {
    return one.starts_with("skipped: woken 3 times without an answer") &&
           one.ends_with("exit code 3; it can be tried again");
  }));

  write_file("good", "");
  const Reply retried =
      people().post(fmt::format("/api/sessions/{}/items/{}/retry", bot, post), Json::object());
  EXPECT_EQ(retried.status, 200) << retried.body;
  await_runs(bot, "failed failed failed done");
  // The post and both comments.
  EXPECT_EQ(answers(post), Texts{"fine"});
  EXPECT_EQ(count(bot, "pending"), 0U);
  EXPECT_EQ(count(bot, "skipped"), 0U);
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(3);
}

TEST_F(WorkerRun, SaysSoIfItEndsWithoutAnAnswer) {
  make_scripted("bot", "cat >/dev/null");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot say something");
  await_runs(session_of("bot"), "done");

  EXPECT_TRUE(answers(post).empty());
  ASSERT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("ended without an answer")) << notices(post)[0];
  EXPECT_EQ(count(session_of("bot"), "pending"), 1U);
}

TEST_F(WorkerRun, SaysSoIfItsProgramIsNotThere) {
  make_agent("bot", {{"type", "command"}, {"command", {"/nowhere/agent"}}});
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot hello");
  await_runs(session_of("bot"), "mistake");
  ASSERT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("/nowhere/agent")) << notices(post)[0];
}

TEST_F(WorkerRun, EndsWhenItIsAskedTo) {
  make_agent("bot");
  auto worker = start_worker("bot");
  const std::string post = write_post("@bot\ndemo: daemonise\ndemo: say here\ndemo: hang");
  const std::string bot = session_of("bot");
  Json run = await_run(bot);
  const std::string path = fmt::format("/api/sessions/{}/runs/{}/stop", bot, text_or(run, "run"));
  EXPECT_EQ(people().post(path, Json::object()).status, 200);
  await_runs(bot, "stopped");
  ASSERT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("the run was stopped")) << notices(post)[0];
  // One that is held for what was about to begin is let go of after that was said.
  for (const std::int64_t pid : agents_of(bot)) EXPECT_TRUE(has_ended(static_cast<pid_t>(pid)));
  EXPECT_EQ(people().post(path, Json::object()).status, 409);

  // Also by a worker that has not started it.
  write_comment(post, "again");
  run = await_run(bot);
  worker->signal(SIGKILL);
  (void)worker->finish();
  const std::string again = fmt::format("/api/sessions/{}/runs/{}/stop", bot, text_or(run, "run"));
  EXPECT_EQ(people().post(again, Json::object()).status, 200);
  worker = start_worker("bot");
  await_runs(bot, "stopped stopped");
  // One that is stopped before its agent has begun lets go of it after it has said so.
  for (const std::int64_t pid : agents_of(bot)) EXPECT_TRUE(has_ended(static_cast<pid_t>(pid)));
}

TEST_F(WorkerRun, CountsThoughItsSessionIsDeletedMeanwhile) {
  make_scripted("bot", R"(
cat >/dev/null
echo "$TYER_SESSION" >news
read -r word <gate
echo "$word")");
  const auto worker = start_worker("bot");
  const std::string post = write_post("@bot/short do it");
  const std::string session = news->line();
  EXPECT_EQ(people().ask("DELETE", "/api/sessions/" + session).status, 204);
  gate->put("it is done");
  gate->put("it is done twice");
  await_answers(post, 1);
  write_comment(post, "@bot and now?");
  await_answers(post, 2);
  EXPECT_EQ(news->line(), session_of("bot"));
  EXPECT_FALSE(news->has_line());

  EXPECT_EQ(answers(post), (Texts{"it is done", "it is done twice"}));
  EXPECT_EQ(leave(*worker).code, 0);
  expect_all_is_well(2);
}

TEST_F(WorkerRun, WaitsForABudgetWithOneWord) {
  const std::string agent = make_agent("bot", {{"type", "demo"}, {"runs_per_day", 2}});
  make_agent("other");
  ProgramCall both = worker_call("bot", "--all-agents");
  both.environment["TYER_API_KEYS"] = key_of("other");
  Program worker(both);
  await_answers(write_post("@bot one"), 1);
  await_answers(write_post("@bot two"), 1);
  const std::string post = write_post("@bot three");
  await("a word", [&] { return !notices(post).empty(); });
  write_comment(post, "well?");
  // Whoever answers this has heard of that.
  await_answers(write_post("@other hello"), 1);
  EXPECT_EQ(notices(post).size(), 1U);
  EXPECT_TRUE(notices(post)[0].contains("budget reached: 2 of 2 runs")) << notices(post)[0];
  EXPECT_TRUE(answers(post).empty());

  EXPECT_EQ(people().patch("/api/agents/" + agent, {{"runs_per_day", 10}}).status, 200);
  await_answers(post, 1);
  EXPECT_EQ(notices(post).size(), 1U);
  EXPECT_EQ(leave(worker).code, 0);
  expect_all_is_well(5);
}

TEST_F(WorkerRun, IsNobodyElsesToStartOrToEnd) {
  make_agent("bot");
  make_agent("eve");
  const auto worker = start_worker("bot");
  (void)write_post("@bot\ndemo: say here\ndemo: hang");
  const std::string bot = session_of("bot");
  const std::string run = text_or(await_run(bot), "run");
  const std::string runs_path = "/api/sessions/" + bot + "/runs";
  Visitor eve = people().as(key_of("eve"));
  const Json verdict{{"verdict", "done"}, {"text", "mine"}};

  EXPECT_EQ(eve.post(runs_path, {{"run", "01a1e16b-1e03-70bc-aaf2-08e8ae144b89"}}).status, 403);
  EXPECT_EQ(eve.post(runs_path + "/" + run + "/finish", verdict).status, 403);
  EXPECT_EQ(eve.post(runs_path + "/" + run + "/stop", Json::object()).status, 403);
  EXPECT_EQ(eve.post(runs_path + "/" + run + "/output", {{"text", "mine"}}).status, 403);
  // Nor under its name: what is left of a run of hers would be ended on that machine.
  ASSERT_NE(write_post("@eve hello"), "");
  const std::string own_path = "/api/sessions/" + session_of("eve") + "/runs";
  EXPECT_EQ(eve.post(own_path, {{"run", run}}).status, 409);
  for (const Json& event : list("/api/events")) EXPECT_FALSE(event.contains("mark")) << event;
  EXPECT_FALSE(running(bot).is_null());
}

// Which process a run is says whoever begins it.
TEST_F(WorkerRun, IsNotEndedInThePlaceOfSomebodyElses) {
  make_scripted("bot", "cat >/dev/null\necho here >news\nread -r word <gate\necho \"$word\"");
  make_agent("eve");
  make_agent("other");
  const auto worker = start_worker("bot");
  ASSERT_NE(write_post("@bot hello"), "");
  EXPECT_EQ(news->line(), "here");
  const Json run = running(session_of("bot"));
  ASSERT_NE(write_post("@eve hello"), "");
  Json own{{"run", "01a1e16b-1e03-70bc-aaf2-08e8ae144b89"}, {"mark", "mine"}};
  for (const char* name : {"host", "boot", "namespace", "pid", "pid_start"}) own[name] = run[name];
  const std::string own_runs = "/api/sessions/" + session_of("eve") + "/runs";
  Visitor eve = people().as(key_of("eve"));
  ASSERT_EQ(eve.post(own_runs, own).status, 201);
  EXPECT_EQ(eve.post(own_runs + "/" + text_or(own, "run") + "/stop", Json::object()).status, 200);

  // A worker that serves her looks at what is to end before it begins with anything.
  const std::string other = write_post("@other hello");
  ProgramCall call = worker_call("eve", "--all-agents");
  call.environment["TYER_API_KEYS"] = key_of("other");
  Program hers(call);
  await_answers(other, 1);

  gate->put("go");
  await("the end of the run", [&] { return running(session_of("bot")).is_null(); });
  EXPECT_EQ(verdicts(session_of("bot")), "done");
}

TEST_F(WorkerRun, IsCounted) {
  make_agent("bot");
  make_scripted("bad", "exit 3");
  environment["TYER_URL"] = url();
  EXPECT_TRUE(tyer("stats").out.starts_with("No runs since ")) << tyer("stats").out;
  const auto worker = start_worker("bot");
  await_answers(write_post("@bot one"), 1);
  await_answers(write_post("@bot/two two"), 1);
  const auto other = start_worker("bad");
  (void)write_post("@bad three");
  await_runs(session_of("bad"), "failed");

  const ProgramResult text = tyer("stats");
  EXPECT_EQ(text.code, 0) << text.err;
  const Texts lines = split_lines(text.out);
  ASSERT_EQ(lines.size(), 3U) << text.out;
  EXPECT_EQ(split_words(lines[0]),
            (Texts{"agent", "runs", "failed", "input", "output", "cached", "USD"}));
  EXPECT_TRUE(lines[1].starts_with("bad")) << text.out;
  EXPECT_EQ(split_words(lines[2]).at(1), "2") << text.out;
  EXPECT_EQ(split_words(lines[2]).at(2), "0") << text.out;
  EXPECT_TRUE(is_trimmed(text.out));

  const Json rows = parse_json(tyer("stats --by session --json").out).value_or(Json())["rows"];
  ASSERT_EQ(rows.size(), 3U);
  for (const Json& row : rows) EXPECT_EQ(int_or(row, "runs"), 1) << row;
  EXPECT_EQ(text_or(rows[0], "session"), "bad/default");
  EXPECT_EQ(int_or(rows[0], "failed"), 1);
  EXPECT_GT(int_or(rows[1], "input_tokens"), 0);
  EXPECT_EQ(parse_json(tyer("stats --by day --json").out).value_or(Json())["rows"].size(), 1U);
  EXPECT_EQ(tyer("stats --by moon").code, 2);
}

TEST_F(WorkerRun, IsCountedSinceADayThatThereIs) {
  environment["TYER_URL"] = url();
  for (const std::string day : {"yesterday", "2026-13-40", "2026-02-30", "2026-11-15T00:00:00Z"}) {
    const ProgramResult result = tyer("stats --since " + day);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_TRUE(result.err.contains("--since '" + day + "' is not a day like 2026-11-15"))
        << result.err;
    EXPECT_EQ(people().get("/api/stats?since=" + day).status, 400) << day;
  }
  EXPECT_EQ(tyer("stats --since 2026-02-28").out, "No runs since 2026-02-28.\n");
}

// W4: nothing of a worker is taken by a session whose service is used too much.
TEST_F(WorkerRun, ThatHasToWaitLongLeavesItsPlaceToOthers) {
  make_scripted("bot", R"(
cat >/dev/null
mkdir asked 2>/dev/null || exec echo fine
echo '{"status":"later","error":"too many requests","retry_after":3600}')");
  const auto worker = start_worker("bot", "--all-sessions --max-runs 1");
  const std::string first = write_post("@bot/a hello");
  const std::string session = session_of("bot/a");
  await_runs(session, "later");

  const std::string second = write_post("@bot/b hello");
  await_answers(second, 1);

  write_comment(first, "now?");
  EXPECT_EQ(count(session, "pending"), 2U);
  EXPECT_EQ(verdicts(session), "later");
  EXPECT_NE(people().get("/api/sessions/" + session).text("not_before"), "");
  ASSERT_EQ(notices(first).size(), 1U);
  EXPECT_TRUE(notices(first).front().contains("too many requests")) << notices(first).front();
  EXPECT_TRUE(notices(first).front().starts_with("it goes on at ")) << notices(first).front();
  EXPECT_EQ(leave(*worker).code, 0);
}

}  // namespace
}  // namespace tyer::testing
