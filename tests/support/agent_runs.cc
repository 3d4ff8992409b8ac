#include "support/agent_runs.h"

#include <fstream>
#include <iterator>
#include <map>

#include "base/json.h"
#include "env/marked.h"

namespace tyer::testing {
namespace {

Json parsed(const std::string& text) {
  return parse_json(text, text.size()).value_or(Json());
}

// The events of this type. Looking at the log settles nothing.
std::vector<Json> log_of(const std::string& lines, const std::string& type) {
  std::vector<Json> events;
  for (const std::string& line : split_lines(lines)) {
    Json event = parsed(line);
    if (text_or(event, "type") == type) events.push_back(std::move(event));
  }
  return events;
}

std::string id_of(const Json& event) {
  return text_or(event, "key").substr(4);
}

}  // namespace

AgentRunTest::~AgentRunTest() {
  // Whatever went wrong, nothing of this test goes on.
  for (const Json& run : parsed(tyer("runs list --json").out)) {
    (void)tyer("runs stop " + text_or(run, "run"));
    (void)follow(text_or(run, "run"));
  }
}

ProgramCall AgentRunTest::agent(const std::string& prompt, const std::string& options) const {
  std::vector<std::string> words = split_words("agent run --backend demo " + options);
  words.insert(words.end(), {"--prompt", prompt});
  return call(words);
}

ProgramResult AgentRunTest::ask(const std::string& prompt, const std::string& options) const {
  return run_program(agent(prompt, options));
}

std::string AgentRunTest::detach(const std::string& prompt) const {
  const ProgramResult result = ask(prompt, "--detach");
  EXPECT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  return lines.empty() ? "" : lines.front();
}

ProgramResult AgentRunTest::follow(const std::string& id) const {
  return tyer("runs follow " + id);
}

std::vector<std::string> AgentRunTest::ids() const {
  std::vector<std::string> all;
  for (const Json& event : log_of(tyer("log --json run").out, "run.created"))
    all.push_back(id_of(event));
  return all;
}

std::string AgentRunTest::verdicts() const {
  std::map<std::string, std::string> by_id;
  for (const Json& event : log_of(tyer("log --json run").out, "run.ended")) {
    by_id[id_of(event)] = text_or(event["body"], "verdict", text_or(event["body"], "outcome"));
  }
  std::string all;
  for (const std::string& id : ids()) {
    all += (all.empty() ? "" : " ") + (by_id.contains(id) ? by_id[id] : "open");
  }
  return all;
}

std::string AgentRunTest::shown(const std::string& id, const char* member) const {
  return text_or(parsed(tyer("runs show --json " + id).out), member);
}

std::int64_t AgentRunTest::keeper_of(const std::string& id) const {
  const std::vector<Json> created = log_of(tyer("log --json run/" + id).out, "run.created");
  return created.empty() ? 0 : int_or(created.front()["body"]["keeper"], "pid");
}

std::int64_t AgentRunTest::front_of(const std::string& id) const {
  const std::vector<Json> created = log_of(tyer("log --json run/" + id).out, "run.created");
  return created.empty() ? 0 : int_or(created.front()["body"]["front"], "pid");
}

std::size_t AgentRunTest::events(const std::string& id, const std::string& type) const {
  return log_of(tyer("log --json run/" + id).out, type).size();
}

void AgentRunTest::expect_nothing_is_left() const {
  for (const std::string& id : ids()) {
    EXPECT_EQ(events(id, "run.created"), 1U) << id;
    EXPECT_EQ(events(id, "run.ended"), 1U) << id;
    const std::size_t ended = events(id, "lease.released") + events(id, "lease.lapsed");
    EXPECT_EQ(events(id, "lease.granted"), ended) << id;
    EXPECT_EQ(env::marked_processes("TYER_RUN=" + id), std::vector<std::int64_t>()) << id;
  }
  const std::string check = tyer("store check").out;
  EXPECT_TRUE(check.contains(" 0 leases") && check.contains("Nothing is wrong")) << check;
}

std::string AgentRunTest::read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string AgentRunTest::transcript(const std::string& id) const {
  return read_file(dir / (".tyer/runs/" + id + "/transcript.jsonl"));
}

void AgentRunTest::be_impatient() {
  environment["TYER_LEASE_SILENCE"] = "4s";
  environment["TYER_LEASE_HEARTBEAT"] = "1s";
}

}  // namespace tyer::testing
