// What the tests of locks share: every store, a hub, commands that wait to be told, and
// a pipe that knows when everybody who had it is gone.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "env/fd.h"
#include "support/demo.h"
#include "support/program.h"

namespace tyer::testing {

// Two commands that meet by a name. A test can be on either side.
class Fifo {
 public:
  explicit Fifo(const std::string& path);

  // The next line that somebody wrote.
  [[nodiscard]] std::string line();

  // Waits until nobody has it open for writing any more; false after a minute. At
  // least one line must have been read: before that nobody may have come yet.
  [[nodiscard]] bool everybody_is_gone();

 private:
  env::Fd reading_;
  std::string waiting_;
};

// What `tyer lock acquire` printed.
struct Acquired {
  std::string key;
  std::string session;
  std::string token;
};

class LockProgramTest : public ProgramTest {
 protected:
  LockProgramTest();

  // "sqlite", "files", "postgres": a store of this test's own from now on. "hub": that of a hub,
  // which an agent asks with its key.
  void use_store(const std::string& kind);

  // From now on a hub on the store is asked, by a person on its machine; `tyer log` still reads the
  // store itself.
  void start_hub(const std::string& listen = "127.0.0.1:0");
  [[nodiscard]] bool has_hub() const { return hub_ != nullptr; }
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] Program& hub() { return *hub_; }
  // By a signal, and waits for its end.
  void end_hub(int signal);
  // On the same address as before.
  void restart_hub();
  // From now on an agent asks, with a key.
  void become_agent();

  // The token of the first lock that is taken: before it a hub takes a lease of its own.
  [[nodiscard]] int first_token() const { return has_hub() ? 2 : 1; }

  // The same command as somebody who has the store and does not ask the hub.
  [[nodiscard]] ProgramCall call_on_store(std::vector<std::string> words) const;

  // Takes a lock without leaving a keeper; fails the test if it is not to be had.
  [[nodiscard]] Acquired acquire(const std::string& line) const;

  // A shell in the test's directory, with $TYER to call.
  [[nodiscard]] ProgramCall shell(const std::string& script) const;

  // Lets commands that stand at `read x <go` go on, as many as there are lines.
  void tell_go() const;

  // A process that does nothing, as an agent between two commands.
  [[nodiscard]] ProgramCall idle() const;

  // Follows the log from its beginning, for tests that wait for something to happen.
  [[nodiscard]] ProgramCall follow() const;

  // Who waits and has its ticket; `follower` follows the log.
  [[nodiscard]] static bool is_queued(Program& follower, const std::string& owner) {
    return follower.wait_for("\"owner\":\"" + owner + "\"");
  }

  // "granted released granted": what `tyer log KEY` tells, with the reason of a takeover.
  [[nodiscard]] std::string story(const std::string& key) const;

  // A member of the only lock there is, as `tyer lock list --json` tells it; "" if there
  // is none or more than one.
  [[nodiscard]] std::string lease(const std::string& member) const;

  [[nodiscard]] std::string read_file(const std::string& name) const;

  // Short limits: a silence convicts within half a second.
  void be_impatient();

 private:
  env::Fd go_;
  std::unique_ptr<Program> hub_;
  std::string url_;
};

// The one with a store and through a hub: "store", "hub".
class LockDesks : public LockProgramTest, public ::testing::WithParamInterface<const char*> {
 protected:
  LockDesks() {
    if (std::string(GetParam()) == "hub") start_hub();
  }
};

// The one with every store, and a hub.
class LockStores : public LockProgramTest, public ::testing::WithParamInterface<const char*> {
 protected:
  LockStores() { use_store(GetParam()); }
};

}  // namespace tyer::testing
