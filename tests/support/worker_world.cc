#include "support/worker_world.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "env/kin.h"
#include "env/marked.h"
#include "env/wait_readable.h"
#include "support/forked.h"

namespace tyer::testing {

namespace {

// Follows the log, and complains.
class LogJudge {
 public:
  void hear(const Json& event) {
    const std::string type = text_or(event, "event");
    const std::string key = text_or(event, "key");
    if (type.starts_with("item_")) hear_item(type, key);
    if (type == "run_started") begin(busy_[text_or(event, "session_id")], text_or(event, "run"));
    if (type == "run_finished") end(busy_[text_or(event, "session_id")], text_or(event, "run"));
    const bool is_ours = key.starts_with("session/") || key.starts_with("run/");
    if (type.starts_with("lease_") && is_ours && type != "lease_renewed") {
      type == "lease_granted" ? begin(held_[key], key) : end(held_[key], key);
    }
  }

  [[nodiscard]] std::string verdict(std::size_t answered) {
    for (const auto& [key, times] : items_) {
      if (times == 0) wrong_ += key + " is not answered\n";
    }
    for (const auto* things : {&busy_, &held_}) {
      for (const auto& [name, now] : *things) {
        if (!now.empty()) wrong_ += now + " has not ended\n";
      }
    }
    if (answered_ != answered) {
      wrong_ += fmt::format("{} answers instead of {}\n", answered_, answered);
    }
    return wrong_;
  }

 private:
  void hear_item(const std::string& type, const std::string& key) {
    if (type == "item_opened" || type == "item_retried") items_[key] = 0;
    if (type == "item_skipped" || type == "item_withdrawn" || type == "item_moved") {
      items_.erase(key);
    }
    if (type != "item_answered") return;
    ++answered_;
    if (++items_[key] > 1) wrong_ += key + " is answered twice\n";
  }

  void begin(std::string& now, const std::string& what) {
    if (!now.empty()) wrong_ += fmt::format("{} begins while {} goes on\n", what, now);
    now = what;
  }

  void end(std::string& now, const std::string& what) {
    if (now != what) wrong_ += what + " ends and did not go on\n";
    now.clear();
  }

  std::map<std::string, int> items_;
  std::map<std::string, std::string> busy_;  // By session.
  std::map<std::string, std::string> held_;  // Leases.
  std::size_t answered_ = 0;
  std::string wrong_;
};

}  // namespace

NamedPipe::NamedPipe(const std::string& path) {
  TYER_CHECK(::mkfifo(path.c_str(), 0600) == 0, "a pipe can be made");
  fd_ = env::Fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  TYER_CHECK(fd_, "a pipe can be opened");
}

void NamedPipe::put(const std::string& line) const {
  const std::string text = line + "\n";
  EXPECT_EQ(::write(fd_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

std::string NamedPipe::line() const {
  std::string text;
  for (char c = 0; c != '\n';) {
    const auto is_there = env::wait_readable(fd_.get(), give_up_after);
    if (!is_there || !*is_there || ::read(fd_.get(), &c, 1) != 1) {
      ADD_FAILURE() << "no line comes";
      return text;
    }
    if (c != '\n') text += c;
  }
  return text;
}

bool NamedPipe::has_line() const {
  return env::wait_readable(fd_.get(), Span::zero()).value_or(false);
}

WorkerTest::WorkerTest()
    : news(std::make_unique<NamedPipe>(dir / "news")),
      gate(std::make_unique<NamedPipe>(dir / "gate")) {}

WorkerTest::~WorkerTest() {
  // Whatever went wrong, nothing of this test goes on.
  hub_.reset();
  env::end_marked("HOME=" + home.path());
}

void WorkerTest::start_hub() {
  const std::string listen = url_.empty() ? "127.0.0.1:0" : url_.substr(sizeof("http://") - 1);
  hub_ =
      std::make_unique<Program>(call({"serve", "--open-loopback", "--listen", listen, "--json"}));
  ASSERT_TRUE(hub_->wait_for("}\n")) << hub_->finish().err;
  url_ = text_or(parse_json(hub_->out()).value_or(Json::object()), "url");
  if (feed_.empty()) feed_ = people().make("/api/feeds", {{"name", "work"}});
}

void WorkerTest::end_hub(int signal) {
  hub_->signal(signal);
  (void)hub_->finish();
  hub_.reset();
}

std::string WorkerTest::make_agent(const std::string& name) {
  return make_agent(name, {{"type", "demo"}});
}

std::string WorkerTest::make_agent(const std::string& name, Json settings) {
  settings["name"] = name;
  const Reply made = people().post("/api/keys", settings);
  EXPECT_EQ(made.status, 201) << made.body;
  keys_[name] = made.text("key");
  ids_[name] = made.text("id");
  return ids_[name];
}

std::string WorkerTest::make_scripted(const std::string& name, const std::string& script) {
  return make_scripted(name, script, Json::object());
}

std::string WorkerTest::make_scripted(const std::string& name, const std::string& script,
                                      Json settings) {
  settings["type"] = "command";
  write_file(name + ".sh", script);
  settings["command"] = {"sh", dir / (name + ".sh")};
  settings["working_directory"] = dir.path();
  return make_agent(name, std::move(settings));
}

std::string WorkerTest::session_of(const std::string& name) const {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string wanted = slash == name.size() ? "" : name.substr(slash + 1);
  const auto sessions = list("/api/agents/" + ids_.at(name.substr(0, slash)) + "/sessions");
  for (const Json& session : sessions) {
    const bool is_default = session.value("is_default", false);
    if (wanted.empty() ? is_default : text_or(session, "name") == wanted) {
      return text_or(session, "id");
    }
  }
  ADD_FAILURE() << "there is no session " << name;
  return "";
}

ProgramCall WorkerTest::worker_call(const std::string& agent, const std::string& options) const {
  std::vector<std::string> words = split_words("worker " + options);
  ProgramCall wanted = call(std::move(words));
  wanted.directory = work_place;
  wanted.environment["TYER_URL"] = url_;
  wanted.environment["TYER_API_KEY"] = key_of(agent);
  return wanted;
}

std::unique_ptr<Program> WorkerTest::start_worker(const std::string& agent,
                                                  const std::string& options) const {
  return std::make_unique<Program>(worker_call(agent, options));
}

ProgramResult WorkerTest::leave(Program& worker) {
  worker.signal(SIGTERM);
  return worker.finish();
}

std::vector<pid_t> WorkerTest::stop_worker(const Program& worker, const std::string& session) {
  ::kill(worker.pid(), SIGSTOP);
  std::vector<pid_t> all{worker.pid()};
  const auto agents = agents_of(session);
  for (const auto& kin : env::kin_below(worker.pid())) {
    const bool is_agent = std::ranges::find(agents, kin.pid) != agents.end();
    if (!is_agent) all.push_back(static_cast<pid_t>(kin.pid));
  }
  return all;
}

std::string WorkerTest::read_file(const std::string& name) const {
  std::ifstream file(dir / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string WorkerTest::write_post(const std::string& text) const {
  return people().make("/api/feeds/" + feed_ + "/posts", {{"title", "Work"}, {"content", text}});
}

std::string WorkerTest::write_comment(const std::string& post, const std::string& text) const {
  return people().make("/api/posts/" + post + "/comments", {{"content", text}});
}

std::vector<Json> WorkerTest::list(const std::string& path) const {
  std::vector<Json> rows;
  Visitor visitor = people();
  const std::string mark = path.contains('?') ? "&" : "?";
  std::string cursor;
  do {
    const Reply page = visitor.get(
        fmt::format("{}{}limit=200{}", path, mark, cursor.empty() ? "" : "&cursor=" + cursor));
    EXPECT_EQ(page.status, 200) << path << ": " << page.body;
    const Json read = page.json();
    if (!read.is_object()) break;
    for (const Json& row : read.value("data", Json::array())) rows.push_back(row);
    cursor = text_or(read, "next_cursor");
  } while (!cursor.empty());
  return rows;
}

std::vector<std::string> WorkerTest::answers(const std::string& post) const {
  std::vector<std::string> texts;
  for (const Json& comment : list("/api/posts/" + post + "/comments?order=asc")) {
    if (text_or(comment, "author_type") == "bot") texts.push_back(text_or(comment, "content"));
  }
  return texts;
}

std::vector<std::string> WorkerTest::notices(const std::string& post) const {
  std::vector<std::string> texts;
  for (const Json& event : list("/api/events?topics=notice")) {
    const std::string text = text_or(event["notice"], "text");
    const bool is_about_it = text_or(event, "key") == "thread/" + post;
    if (is_about_it && !text.starts_with("nobody serves ")) texts.push_back(text);
  }
  return texts;
}

std::vector<Json> WorkerTest::runs(const std::string& session) const {
  std::vector<Json> rows = list("/api/sessions/" + session + "/runs");
  // Ids are made by workers, before they know who is first.
  std::ranges::sort(rows, {}, [](const Json& run) { return text_or(run, "started_at"); });
  return rows;
}

Json WorkerTest::running(const std::string& session) const {
  for (const Json& run : runs(session)) {
    if (text_or(run, "status") == "running") return run;
  }
  return {};
}

std::string WorkerTest::verdicts(const std::string& session) const {
  std::string all;
  for (const Json& run : runs(session)) {
    all += (all.empty() ? "" : " ") + text_or(run, "verdict", "running");
  }
  return all;
}

std::vector<std::string> WorkerTest::handled(const std::string& session) const {
  std::vector<std::string> all;
  for (const Json& run : runs(session)) {
    if (text_or(run, "verdict") != "done") continue;
    for (const Json& item : run["items"]) all.push_back(item.get<std::string>());
  }
  return all;
}

void WorkerTest::await(const std::string& what, const std::function<bool()>& holds) const {
  Listener events(url_, "/api/events/stream?topics=run,comment,notice");
  if (holds()) return;
  bool held = false;
  events.until([&](const http::ServerEvent&) { return held = holds(); });
  EXPECT_TRUE(held) << what;
}

void WorkerTest::await_answers(const std::string& post, std::size_t count) const {
  await(fmt::format("{} answers", count), [&] { return answers(post).size() >= count; });
}

void WorkerTest::await_nothing_pending(const std::vector<std::string>& sessions) const {
  for (const std::string& session : sessions) {
    const auto count = [&] { return list("/api/sessions/" + session + "/pending").size(); };
    // However much there is to do, some of it is done in time.
    for (std::size_t left = count(), before = left + 1; left > 0 && left < before;) {
      Listener events(url_, "/api/events/stream?topics=run,item");
      before = left;
      const auto is_less = [&] { return (left = count()) < before; };
      if (is_less()) continue;
      events.until([&](const http::ServerEvent& event) {
        const bool is_end = event.event == "run_finished" || event.event == "item_skipped";
        return is_end && event.data.contains(session) && is_less();
      });
    }
    EXPECT_EQ(count(), 0U) << session;
  }
}

Json WorkerTest::await_run(const std::string& session) const {
  Json run;
  await("a run that says something", [&] {
    run = running(session);
    return !run.is_null() && !text_or(run, "output").empty();
  });
  return run;
}

pid_t WorkerTest::front_of(const Json& run) {
  return static_cast<pid_t>(int_or(run, "pid"));
}

pid_t WorkerTest::keeper_of(const Json& run) {
  const auto kin = env::kin_below(front_of(run));
  EXPECT_FALSE(kin.empty());
  return kin.empty() ? 0 : static_cast<pid_t>(kin.front().pid);
}

std::vector<std::int64_t> WorkerTest::agents_of(const std::string& session) {
  return env::marked_processes("TYER_SESSION=" + session);
}

void WorkerTest::kill_together(const std::vector<pid_t>& pids) {
  for (const int signal : {SIGSTOP, SIGKILL}) {
    for (const pid_t pid : pids) {
      if (pid > 1) ::kill(pid, signal);
    }
  }
  for (const pid_t pid : pids) EXPECT_TRUE(has_ended(pid));
}

// The hub knows that a run is over a moment before its processes are gone. All that this test has
// started has its home; the hub is to stay.
void WorkerTest::await_no_runs() const {
  for (const std::int64_t pid : env::marked_processes("HOME=" + home.path())) {
    if (pid == hub_->pid()) continue;
    EXPECT_TRUE(has_ended(static_cast<pid_t>(pid))) << pid << " is left";
  }
}

void WorkerTest::expect_all_is_well(std::size_t answered) const {
  await("the end of all runs", [&] {
    return std::ranges::all_of(ids_, [&](const auto& agent) {
      const auto sessions = list("/api/agents/" + agent.second + "/sessions");
      return std::ranges::all_of(
          sessions, [&](const Json& session) { return running(text_or(session, "id")).is_null(); });
    });
  });
  await_no_runs();
  EXPECT_EQ(judge_log(list("/api/events?topics=item,run,lease"), answered), "");
  ProgramCall look = call({"store", "check"});
  look.directory = work_place;
  // Workers may be another user's: then root looks for that user, as by sudo.
  struct stat owner{};
  EXPECT_EQ(::stat(work_place.c_str(), &owner), 0);
  look.environment["SUDO_UID"] = std::to_string(owner.st_uid);
  const std::string check = run_program(look).out;
  // A hub has one of its own.
  EXPECT_TRUE(work_place == dir.path() || check.contains(" 0 leases")) << check;
  EXPECT_TRUE(check.contains("Nothing is wrong")) << check;
}

std::string judge_log(const std::vector<Json>& events, std::size_t answered) {
  LogJudge judge;
  for (const Json& event : events) judge.hear(event);
  return judge.verdict(answered);
}

}  // namespace tyer::testing
