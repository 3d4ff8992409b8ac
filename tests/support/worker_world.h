// What the tests of workers share: a hub, people who write to it, agents that answer below a
// worker, and what must hold when all is over.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "env/fd.h"
#include "support/demo.h"
#include "support/hub.h"

namespace tyer::testing {

// A pipe with a name, for agents and tests to wait for each other. Neither end ever closes.
class NamedPipe {
 public:
  explicit NamedPipe(const std::string& path);

  void put(const std::string& line) const;
  // The next one. Fails the test after a minute.
  [[nodiscard]] std::string line() const;
  // Whether there is one now.
  [[nodiscard]] bool has_line() const;

 private:
  env::Fd fd_;
};

class WorkerTest : public ProgramTest {
 protected:
  WorkerTest();
  ~WorkerTest() override;

  // An open hub on the store of this directory; again where it was, if there was one.
  void start_hub();
  void end_hub(int signal);
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] Visitor people() const { return Visitor(url_); }

  // Its id; its key is known from then on. The demo agent, if nobody says more.
  std::string make_agent(const std::string& name);
  std::string make_agent(const std::string& name, Json settings);
  // The same for a script that a shell runs. It works where `news` and `gate` are.
  std::string make_scripted(const std::string& name, const std::string& script);
  std::string make_scripted(const std::string& name, const std::string& script, Json settings);
  [[nodiscard]] std::string key_of(const std::string& name) const { return keys_.at(name); }
  // The id of "bot" or "bot/session".
  [[nodiscard]] std::string session_of(const std::string& name) const;

  // `tyer worker OPTIONS` with the agent's key, in `work_place`.
  [[nodiscard]] ProgramCall worker_call(const std::string& agent, const std::string& options) const;
  [[nodiscard]] std::unique_ptr<Program> start_worker(
      const std::string& agent, const std::string& options = "--all-sessions") const;
  // SIGTERM, and how it ended.
  static ProgramResult leave(Program& worker);
  // Stops it, so that it starts nobody any more: it, and all fronts and keepers that it has, also
  // those that wait for something to do. Agents of `session` are left out.
  [[nodiscard]] static std::vector<pid_t> stop_worker(const Program& worker,
                                                      const std::string& session);

  // What is in a file of `dir`; nothing if there is none.
  [[nodiscard]] std::string read_file(const std::string& name) const;

  [[nodiscard]] std::string write_post(const std::string& text) const;
  std::string write_comment(const std::string& post, const std::string& text) const;

  // All pages of a list.
  [[nodiscard]] std::vector<Json> list(const std::string& path) const;
  // What agents have written under the post, the oldest first.
  [[nodiscard]] std::vector<std::string> answers(const std::string& post) const;
  // What the thread was told, but for what was so before a worker had found its way to the hub.
  [[nodiscard]] std::vector<std::string> notices(const std::string& post) const;
  // Of a session, the oldest first.
  [[nodiscard]] std::vector<Json> runs(const std::string& session) const;
  [[nodiscard]] Json running(const std::string& session) const;  // Null: none.
  [[nodiscard]] std::string verdicts(const std::string& session) const;

  // What the session's runs have answered, in the order they did it.
  [[nodiscard]] std::vector<std::string> handled(const std::string& session) const;

  // Waits until `holds`, looking after every comment, notice and news of a run. Fails the test
  // after a minute.
  void await(const std::string& what, const std::function<bool()>& holds) const;
  void await_answers(const std::string& post, std::size_t count) const;
  // That none of them has anything to do any more.
  void await_nothing_pending(const std::vector<std::string>& sessions) const;
  // The run, once its agent has said something.
  [[nodiscard]] Json await_run(const std::string& session) const;

  // Processes of the run: the front that holds the session, and the keeper below it.
  [[nodiscard]] static pid_t front_of(const Json& run);
  [[nodiscard]] static pid_t keeper_of(const Json& run);
  // Those that live of the session's agents.
  [[nodiscard]] static std::vector<std::int64_t> agents_of(const std::string& session);

  // Kills them as one: neither notices before both are dead.
  static void kill_together(const std::vector<pid_t>& pids);

  // That nothing is left of all that this test has started, but the hub.
  void await_no_runs() const;
  // So many items were answered, once, the others given up, by one run of a session at a time, and
  // of all runs neither a process nor a lease is left. The hub runs, and no worker.
  void expect_all_is_well(std::size_t answered) const;

  std::unique_ptr<NamedPipe> news;
  std::unique_ptr<NamedPipe> gate;
  TempDir elsewhere;
  // Where workers keep records of their runs: far from the hub's, as on another machine.
  std::string work_place = elsewhere.path();

 private:
  std::unique_ptr<Program> hub_;
  std::string url_;
  std::string feed_;
  std::map<std::string, std::string> keys_;
  std::map<std::string, std::string> ids_;
};

// What the log says of items and runs; empty if it is as it must be.
[[nodiscard]] std::string judge_log(const std::vector<Json>& events, std::size_t answered);

}  // namespace tyer::testing
