// tyer up: hub and agents with one command (W16), and a worker that brings its own hub.

#include <csignal>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/json.h"
#include "env/marked.h"
#include "support/demo.h"
#include "support/forked.h"
#include "support/hub.h"
#include "support/worker_world.h"

namespace tyer::testing {
namespace {

class Up : public ProgramTest {
 protected:
  // All that it has started is gone.
  ~Up() override {
    for (const std::int64_t pid : env::marked_processes("HOME=" + home.path())) {
      EXPECT_TRUE(has_ended(static_cast<pid_t>(pid))) << pid << " is left";
    }
    env::end_marked("HOME=" + home.path());
  }

  void start(const std::string& options) {
    program =
        std::make_unique<Program>(call(split_words("up --listen 127.0.0.1:0 --json " + options)));
    ASSERT_TRUE(program->wait_for("}\n")) << program->finish().err;
    url = text_or(parse_json(program->out()).value_or(Json::object()), "url");
  }

  // Writes to `whom` in the first feed; what the answer is.
  [[nodiscard]] std::string ask(Visitor people, const std::string& whom) const {
    Listener events(url, "/api/events/stream?author_type=bot&topics=comment", people.headers());
    const std::string feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
    people.make("/api/feeds/" + feed + "/posts", {{"content", whom + " hello"}});
    for (const http::ServerEvent& event : events.until("comment_created")) {
      if (event.event != "comment_created") continue;
      return text_or(parse_json(event.data).value_or(Json::object()), "content");
    }
    return "";
  }

  [[nodiscard]] int end_by(int signal) const {
    program->signal(signal);
    return program->finish().code;
  }

  std::unique_ptr<Program> program;
  std::string url;
};

TEST_F(Up, MakesAFeedAndAnAgentThatAnswers) {
  start("--open-loopback");
  const std::string answer = ask(Visitor(url), "@demo");
  EXPECT_TRUE(answer.contains("This is the demo agent, in turn 1")) << answer;
  EXPECT_TRUE(answer.contains("You wrote: `@demo")) << answer;
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, ServesItsAgentsAndTheLogSaysThatTheyDidWhatTheyDid) {
  start("--open-loopback");
  Visitor people(url);
  const Json agent = people.get("/api/agents").json()["data"][0];
  EXPECT_EQ(text_or(agent, "state"), "idle");
  EXPECT_EQ(agent["served"], true);
  const std::string feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
  Listener events(url, "/api/events/stream?topics=run,comment");
  const Json post =
      people.post("/api/feeds/" + feed + "/posts", {{"content", "@demo hello"}}).json();
  EXPECT_FALSE(post.contains("notices")) << post;
  for (const http::ServerEvent& event : events.until("run_finished")) {
    const Json told = parse_json(event.data).value_or(Json::object());
    EXPECT_EQ(text_or(told, "actor"), "session/" + text_or(agent, "default_session")) << told;
  }
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, AnswersInAWorktreeOfItsOwn) {
  const ProgramResult made =
      run_program({.words = {"-c",
                             "git init -q -b main . && git -c user.name=t -c user.email=t@t "
                             "commit -q --allow-empty -m first"},
                   .directory = dir.path(),
                   .program = "/bin/sh"});
  ASSERT_EQ(made.code, 0) << made.err;
  start("--open-loopback");
  ASSERT_EQ(tyer("agent set demo --worktree yes").code, 0);
  const std::string answer = ask(Visitor(url), "@demo");
  EXPECT_TRUE(answer.contains("This is the demo agent, in turn 1")) << answer;
  EXPECT_TRUE(tyer("worktree list").out.contains("demo-default"));
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, MakesThemOnce) {
  start("--open-loopback");
  EXPECT_EQ(end_by(SIGTERM), 0);
  start("--open-loopback");
  Visitor people(url);
  EXPECT_EQ(people.get("/api/feeds").json()["data"].size(), 1U);
  EXPECT_EQ(people.get("/api/agents").json()["data"].size(), 1U);
  EXPECT_FALSE(ask(Visitor(url), "@demo/again").empty());
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, LetsNobodyInWithoutThePassword) {
  start("");
  Visitor people(url);
  EXPECT_EQ(people.get("/api/feeds").status, 401);
  const Reply reply = people.post("/api/setup", {{"password", hub_password}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const std::string cookie = reply.header("set-cookie");
  people.with("Cookie", cookie.substr(0, cookie.find(';')));
  people.with("X-CSRF-Token", reply.text("csrf_token"));
  EXPECT_TRUE(ask(people.again(), "@demo").contains("This is the demo agent"));
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, SaysWhereItIs) {
  Program plain(call({"up", "--listen", "127.0.0.1:0"}));
  EXPECT_TRUE(plain.wait_for("Ctrl+C")) << plain.out();
  EXPECT_TRUE(plain.out().starts_with("Tyer is at http://127.0.0.1:")) << plain.out();
  EXPECT_TRUE(plain.out().contains("The first visit sets the password.")) << plain.out();
  plain.signal(SIGINT);
  EXPECT_EQ(plain.finish().code, 0);
}

TEST_F(Up, SaysNothingThatIsNotSoAnyMore) {
  start("");
  EXPECT_EQ(Visitor(url).post("/api/setup", {{"password", hub_password}}).status, 200);
  EXPECT_EQ(end_by(SIGINT), 0);
  ASSERT_EQ(tyer("agent remove demo --yes").code, 0);

  Program plain(call({"up", "--listen", "127.0.0.1:0"}));
  EXPECT_TRUE(plain.wait_for("Ctrl+C"));
  plain.signal(SIGINT);
  const ProgramResult result = plain.finish();

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_FALSE(result.out.contains("The first visit")) << result.out;
  EXPECT_FALSE(result.out.contains("@demo")) << result.out;
}

TEST_F(Up, DoesNotMakeAgainWhatWasDeleted) {
  start("--open-loopback");
  EXPECT_EQ(end_by(SIGINT), 0);
  ASSERT_EQ(tyer("agent remove demo --yes").code, 0);
  ASSERT_EQ(tyer("feed remove general --yes").code, 0);

  start("--open-loopback");

  EXPECT_TRUE(Visitor(url).get("/api/agents").json()["data"].empty());
  EXPECT_TRUE(Visitor(url).get("/api/feeds").json()["data"].empty());
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, NeedsNoCertificateForWhereItListens) {
  const ProgramResult made =
      run_program({.words = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                             "-nodes", "-days", "1", "-subj", "/CN=hub.example", "-addext",
                             "subjectAltName=DNS:hub.example", "-keyout", dir / "key.pem", "-out",
                             dir / "cert.pem"},
                   .program = "/usr/bin/openssl"});
  ASSERT_EQ(made.code, 0) << made.err;
  start("--tls-cert cert.pem --tls-key key.pem");
  EXPECT_TRUE(url.starts_with("https://127.0.0.1:")) << url;
  Program tail(call({"feed", "tail"}));

  ASSERT_EQ(tyer({"feed", "post", "general", "@demo hello"}).code, 0);

  EXPECT_TRUE(tail.wait_for("This is the demo agent"));
  const ProgramResult reached =
      run_program({.words = {"-sk", "-o", "/dev/null", "-w", "%{http_code}", url + "/api/feeds"},
                   .program = "/usr/bin/curl"});
  EXPECT_EQ(reached.out, "401");
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, IsNeverOpenToTheWorld) {
  EXPECT_EQ(tyer("up --open-loopback --listen 0.0.0.0:0").code, 2);
  EXPECT_EQ(tyer("up --open-loopback --listen 127.0.0.1:0 --host hub.example:80").code, 2);
}

TEST_F(Up, AsksWhoeverComesFirstThroughAProxyForTheCodeThatItPrints) {
  start("");
  const std::string code =
      text_or(parse_json(program->out()).value_or(Json::object()), "setup_code");
  EXPECT_EQ(code.size(), 16U) << program->out();
  Visitor stranger = Visitor(url).with("X-Forwarded-For", "203.0.113.9");
  EXPECT_EQ(stranger.post("/api/setup", {{"password", hub_password}}).status, 403);
  const Json right{{"password", hub_password}, {"code", code}};
  EXPECT_EQ(stranger.post("/api/setup", right).status, 200);
  EXPECT_EQ(end_by(SIGINT), 0);
}

// Behind its certificate there is a hub for its own agents, who know where it is.
TEST_F(Up, LetsItsAgentsSetNoPassword) {
  const ProgramResult made =
      run_program({.words = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                             "-nodes", "-days", "1", "-subj", "/CN=hub.example", "-keyout",
                             dir / "key.pem", "-out", dir / "cert.pem"},
                   .program = "/usr/bin/openssl"});
  ASSERT_EQ(made.code, 0) << made.err;
  write_file("bot.sh",
             "cat >/dev/null; curl -s -d '{\"password\":\"taken by a bot\"}' "
             "-H 'Content-Type: application/json' $TYER_URL/api/setup >said\n"
             "echo '{\"result\":\"asked\"}'\n");
  start("--tls-cert cert.pem --tls-key key.pem");
  ASSERT_EQ(tyer({"agent", "add", "bot", "--type", "command", "--dir", dir.path(), "--", "sh",
                  dir / "bot.sh"})
                .code,
            0);
  Program tail(call({"feed", "tail"}));

  ASSERT_EQ(tyer({"feed", "post", "general", "@bot hello"}).code, 0);

  EXPECT_TRUE(tail.wait_for("asked"));
  std::ifstream said(dir / "said");
  const std::string answer{std::istreambuf_iterator<char>(said), {}};
  EXPECT_TRUE(answer.contains("denied")) << answer;
  EXPECT_EQ(end_by(SIGINT), 0);
}

TEST_F(Up, EndsARunOnTheSecondInterrupt) {
  start("--open-loopback");
  Visitor people(url);
  Listener events(url, "/api/events/stream?topics=run");
  const std::string feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
  people.make("/api/feeds/" + feed + "/posts",
              {{"content", "@demo\ndemo: daemonise\ndemo: say here\ndemo: hang"}});
  (void)events.until("run_output");
  program->signal(SIGINT);
  program->signal(SIGTERM);
  EXPECT_EQ(program->finish().code, 0);
}

// Killed while its agent is at work, which knows nothing of it.
class UpKilled : public Up {
 protected:
  UpKilled() : news(dir / "news"), gate(dir / "gate") {
    write_file("bot.sh", R"(
cat >/dev/null
echo started >>starts
echo $$ >news
read -r word <gate
echo "{\"result\":\"$word\"}")");
    start("--open-loopback");
    Visitor people(url);
    people.make("/api/keys", {{"name", "bot"},
                              {"type", "command"},
                              {"command", {"sh", dir / "bot.sh"}},
                              {"working_directory", dir.path()}});
    const std::string feed = text_or(people.get("/api/feeds").json()["data"][0], "id");
    post = people.make("/api/feeds/" + feed + "/posts", {{"content", "@bot hello"}});
    agent = static_cast<pid_t>(std::atoi(news.line().c_str()));
    program->signal(SIGKILL);
    (void)program->finish();
  }

  [[nodiscard]] std::vector<std::string> answers() const {
    std::vector<std::string> all;
    const Json page = Visitor(url).get("/api/posts/" + post + "/comments").json();
    for (const Json& comment : page.value("data", Json::array())) {
      all.push_back(text_or(comment, "content"));
    }
    return all;
  }

  void expect_one_run() const {
    Listener events(url, "/api/events/stream?topics=comment");
    if (answers().empty()) (void)events.until("comment_created");
    EXPECT_EQ(answers(), std::vector<std::string>{"fine"});
    const Json runs = Visitor(url).get("/api/runs").json().value("data", Json::array());
    EXPECT_EQ(runs.size(), 1U) << runs;
    EXPECT_EQ(runs.empty() ? "none" : text_or(runs[0], "verdict"), "done") << runs;
    EXPECT_EQ(end_by(SIGTERM), 0);
    std::ifstream starts(dir / "starts");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(starts), {}), "started\n");
  }

  NamedPipe news;
  NamedPipe gate;
  std::string post;
  pid_t agent = 0;
};

TEST_F(UpKilled, HasWhatItsAgentSaidBeforeItIsStartedAgain) {
  gate.put("fine");
  EXPECT_TRUE(has_ended(agent));
  start("--open-loopback");
  expect_one_run();
}

TEST_F(UpKilled, HasWhatItsAgentSaysAfterItIsStartedAgain) {
  start("--open-loopback");
  gate.put("fine");
  expect_one_run();
}

}  // namespace
}  // namespace tyer::testing
