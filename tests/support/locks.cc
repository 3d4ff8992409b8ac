#include "support/locks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/check.h"
#include "base/json.h"
#include "env/wait_readable.h"
#include "support/forked.h"
#include "support/postgres_server.h"

namespace tyer::testing {
namespace {

env::Fd make_fifo(const std::string& path, int flags) {
  TYER_CHECK(::mkfifo(path.c_str(), 0600) == 0, "a fifo can be made");
  env::Fd fd(::open(path.c_str(), flags | O_CLOEXEC));
  TYER_CHECK(static_cast<bool>(fd), "a fifo can be opened");
  return fd;
}

}  // namespace

// Not blocking, or it would wait for the first writer here.
Fifo::Fifo(const std::string& path) : reading_(make_fifo(path, O_RDONLY | O_NONBLOCK)) {}

std::string Fifo::line() {
  while (!waiting_.contains('\n')) {
    std::array<char, 4096> piece{};
    const auto ready = env::wait_readable(reading_.get(), give_up_after);
    const ssize_t got = ready && *ready ? ::read(reading_.get(), piece.data(), piece.size()) : 0;
    if (got <= 0) return waiting_ + " (and no more came)";
    waiting_.append(piece.data(), static_cast<std::size_t>(got));
  }
  const std::size_t end = waiting_.find('\n');
  std::string line = waiting_.substr(0, end);
  waiting_.erase(0, end + 1);
  return line;
}

bool Fifo::everybody_is_gone() {
  while (true) {
    std::array<char, 4096> piece{};
    const auto ready = env::wait_readable(reading_.get(), give_up_after);
    if (!ready || !*ready) return false;
    if (::read(reading_.get(), piece.data(), piece.size()) == 0) return true;
  }
}

LockProgramTest::LockProgramTest() : go_(make_fifo(dir / "go", O_RDWR)) {
  environment["TYER"] = TYER_PROGRAM;
  environment["TYER_DURABILITY"] = "normal";
  use_store("sqlite");
}

void LockProgramTest::use_store(const std::string& kind) {
  static int spaces = 0;
  if (kind == "hub") {
    start_hub();
    become_agent();
    return;
  }
  environment["TYER_STORE"] =
      kind == "postgres" ? shared_postgres().url() : kind + ":" + (dir / "store");
  if (kind == "postgres") environment["TYER_SPACE"] = fmt::format("locks{}", ++spaces);
}

void LockProgramTest::start_hub(const std::string& listen) {
  hub_ =
      std::make_unique<Program>(call({"serve", "--open-loopback", "--listen", listen, "--json"}));
  ASSERT_TRUE(hub_->wait_for("}\n")) << hub_->finish().err;
  url_ = text_or(parse_json(hub_->out()).value_or(Json::object()), "url");
  environment["TYER_URL"] = url_;
  // Its own lease, which it takes when it has started, is the first in the log.
  EXPECT_TRUE(Program(follow()).wait_for("\"command\":\"tyer serve\""));
}

void LockProgramTest::end_hub(int signal) {
  hub_->signal(signal);
  (void)hub_->finish();
}

void LockProgramTest::restart_hub() {
  start_hub(url_.substr(sizeof("http://") - 1));
}

void LockProgramTest::become_agent() {
  const ProgramResult made = tyer("agent add lock-bot --type demo");
  EXPECT_EQ(made.code, 0) << made.err;
  environment["TYER_API_KEY"] = made.out.substr(0, made.out.find('\n'));
}

ProgramCall LockProgramTest::call_on_store(std::vector<std::string> words) const {
  ProgramCall wanted = call(std::move(words));
  wanted.environment.erase("TYER_URL");
  return wanted;
}

Acquired LockProgramTest::acquire(const std::string& line) const {
  const ProgramResult result = tyer("lock acquire --no-keeper " + line);
  EXPECT_EQ(result.code, 0) << result.err;
  const auto words = split_words(result.out);
  if (words.size() != 3) {
    ADD_FAILURE() << "not a key, a session and a token: " << result.out;
    return {};
  }
  return {words[0], words[1], words[2]};
}

ProgramCall LockProgramTest::shell(const std::string& script) const {
  ProgramCall shell = call({"-c", script});
  shell.program = "sh";
  return shell;
}

void LockProgramTest::tell_go() const {
  EXPECT_EQ(::write(go_.get(), "go\n", 3), 3);
}

ProgramCall LockProgramTest::idle() const {
  ProgramCall idle = call({"-f", "/dev/null"});
  idle.program = "tail";
  return idle;
}

ProgramCall LockProgramTest::follow() const {
  return call({"log", "--follow", "--json", "--since", "0"});
}

std::string LockProgramTest::story(const std::string& key) const {
  const ProgramResult result = tyer({"log", key, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::string story;
  for (const std::string& line : split_lines(result.out)) {
    const Json event = parse_json(line).value_or(Json());
    const std::string type = text_or(event, "type");
    story += (story.empty() ? "" : " ") + type.substr(type.find('.') + 1);
    if (event["body"].contains("verdict")) story += ":" + text_or(event["body"], "verdict");
  }
  return story;
}

std::string LockProgramTest::lease(const std::string& member) const {
  const Json locks = parse_json(tyer("lock list --json").out).value_or(Json());
  if (!locks.is_array() || locks.size() != 1) return "";
  const Json& value = locks[0].at(member);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string LockProgramTest::read_file(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(dir / name, std::ios::binary).rdbuf();
  return std::move(text).str();
}

void LockProgramTest::be_impatient() {
  environment["TYER_LEASE_HEARTBEAT"] = "100ms";
  environment["TYER_LEASE_SILENCE"] = "400ms";
}

}  // namespace tyer::testing
