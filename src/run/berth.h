// A folder for a run that is not known yet, with everything in it that takes a file system long to
// make, and with word of who will start it.
//
//   <runs>/waiting/MARK   the keeper and its front, and the run once there is one
//
// So an agent can be started before its run is recorded: if keeper and front die in between,
// whoever settles runs finds what they started by its mark, as it does for runs with a record.

#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "run/record.h"
#include "run/transcript.h"

namespace tyer::run {

class Berth {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Berth>> make(env::Env& env, const std::string& runs,
                                                           const std::string& mark,
                                                           const Guards& guards);
  // What no run has taken is removed.
  ~Berth();
  Berth(const Berth&) = delete;
  Berth& operator=(const Berth&) = delete;

  // Writes a file for the agent that it will most likely need.
  void put(const std::string& name, std::string content);
  [[nodiscard]] bool has(const std::string& name, const std::string& content) const {
    return !name.empty() && name == file_ && content == content_;
  }
  // Most likely it becomes the folder of run `id`: what that takes long for is done now.
  [[nodiscard]] Result<> expect(const std::string& id);
  // Becomes the folder of run `id`.
  [[nodiscard]] Result<> take(const std::string& id);
  // The run is none after all: nothing of it was started.
  void give_up();
  // Its run is recorded: nobody needs our word any more.
  void is_recorded();

  [[nodiscard]] const std::string& run() const { return run_; }  // Empty: none has taken it.
  std::unique_ptr<Transcript> transcript;
  std::unique_ptr<env::File> kin;  // See Heart::record_kin.

 private:
  Berth(env::Env& env, std::string runs, std::string mark, const Guards& guards);
  [[nodiscard]] Result<> leave_word();
  [[nodiscard]] std::string folder() const { return runs_ + "/" + name_; }

  env::Env& env_;
  const std::string runs_;
  const std::string mark_;
  const Guards guards_;
  std::string name_;  // Of the folder: our mark, or a run.
  std::string run_;
  std::string file_;
  std::string content_;
  std::unique_ptr<env::File> word_;
};

// Ends what keepers on this machine have started that died before it was recorded. `own` is the
// mark of one that lives: ours.
void end_unrecorded(env::Env& env, const std::string& runs, const std::string& own = "");

}  // namespace tyer::run
