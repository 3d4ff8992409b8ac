// A real agent program with a model of ours, as a back end calls it.
//
// It lives in a home and a working directory of its own and knows no key that is worth
// anything. The programs are those that `./dev test --agents` has installed.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "env/linux_env.h"

namespace tyer::testing {

// tests/agents/stub_model.py on a port of this machine, for as long as this lives.
class StubModel {
 public:
  StubModel();
  ~StubModel();
  StubModel(const StubModel&) = delete;
  StubModel& operator=(const StubModel&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }

  // Readable once somebody waits for an answer in vain.
  [[nodiscard]] int hangs_fd() const { return output_.get(); }

 private:
  env::LinuxEnv real_;
  std::unique_ptr<env::Child> process_;
  env::Fd input_;  // It ends when this is closed.
  env::Fd output_;
  std::string url_;
};

struct Drive {
  backend::Report report;
  std::vector<backend::Note> notes;
};

class RealAgent {
 public:
  RealAgent(const std::string& name, const StubModel& model);
  ~RealAgent();
  RealAgent(const RealAgent&) = delete;
  RealAgent& operator=(const RealAgent&) = delete;

  // Nothing if its program is not installed.
  [[nodiscard]] std::optional<std::string> version() const;

  // A task with this prompt that may do everything.
  [[nodiscard]] backend::Task task(const std::string& prompt);

  // Runs it to its end, or asks it to end once it waits in vain.
  [[nodiscard]] Drive run(const backend::Task& task);

  // Its working directory, and all that it has in its environment.
  [[nodiscard]] std::string tree() const { return place_ + "/tree"; }
  [[nodiscard]] const backend::Environment& environment() const { return environment_; }

  // In its working directory.
  [[nodiscard]] bool has_file(const std::string& name) const;

  // How many processes are left of all that it has started.
  [[nodiscard]] std::size_t left() const;

 private:
  [[nodiscard]] std::string ask(std::span<const std::string_view> arguments) const;

  const backend::Backend& backend_;
  const StubModel& model_;
  mutable env::LinuxEnv real_;
  std::string place_;
  std::string mark_;
  backend::Environment environment_;
};

}  // namespace tyer::testing
