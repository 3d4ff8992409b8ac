// Runs the real binary as a person or a script would.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/time.h"

namespace tyer::testing {

struct ProgramResult {
  int code = -1;  // The exit code; 128 + n if signal n ended it.
  std::string out;
  std::string err;
};

// How a program is started. Nothing of our own environment is inherited but PATH.
struct ProgramCall {
  std::vector<std::string> words;  // Without the program.
  std::string directory = {};      // Empty: ours.
  std::map<std::string, std::string> environment = {};
  std::string program = TYER_PROGRAM;
  std::string out_to = {};    // A path instead of a pipe for its standard output ...
  std::string err_to = {};    // ... and its errors: for one that says more than a pipe holds.
  std::string terminal = {};  // Its input, and that of a session of its own, which it leads.
};

// A program that runs. It is killed when this goes.
class Program {
 public:
  explicit Program(const ProgramCall& call);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const;

  // Reads until standard output has `text` in it; false if it ends or a minute passes first.
  [[nodiscard]] bool wait_for(const std::string& text);

  // What of its standard output was read so far.
  [[nodiscard]] const std::string& out() const { return result_.out; }

  // Nobody reads its standard output any more.
  void close_output();

  // Reads all until it ends. Fails the test and kills it after a minute.
  [[nodiscard]] ProgramResult finish();

  [[nodiscard]] int pid() const { return pid_; }

 private:
  bool read_some(Time until);

  int pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  ProgramResult result_;
};

[[nodiscard]] ProgramResult run_program(const ProgramCall& call);

}  // namespace tyer::testing
