// Servers that a benchmark starts beside itself, each in a process of its own.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "support/program.h"

namespace tyer::bench {

// One whose first line tells its port.
class Serving {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Serving>> start(const testing::ProgramCall& call,
                                                              const std::string& before,
                                                              const std::string& after) {
    std::unique_ptr<Serving> serving(new Serving(call));
    if (!serving->program_.wait_for(after)) {
      return fail(Fault::unavailable, fmt::format("{} {} does not run: {}", call.program,
                                                  call.words.front(), serving->program_.out()));
    }
    const std::string& said = serving->program_.out();
    serving->port_ = std::atoi(said.c_str() + said.find(before) + before.size());
    return serving;
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] int pid() const { return program_.pid(); }
  void signal(int number) const { program_.signal(number); }

 private:
  explicit Serving(const testing::ProgramCall& call) : program_(call) {}

  testing::Program program_;
  int port_ = 0;
};

// Where `./dev bench` installs what peers on Node need.
[[nodiscard]] inline std::string node_modules() {
  return std::filesystem::absolute("build/peers").string();
}

[[nodiscard]] inline bool has_module(const std::string& name) {
  return ::access((node_modules() + "/node_modules/" + name).c_str(), R_OK) == 0;
}

[[nodiscard]] inline Result<std::unique_ptr<Serving>> start_node(
    const std::string& script, const std::vector<std::string>& more = {}) {
  testing::ProgramCall call{.words = {"node", "bench/peers/" + script}, .program = "/usr/bin/env"};
  call.words.insert(call.words.end(), more.begin(), more.end());
  return Serving::start(call, "port ", "ready\n");
}

}  // namespace tyer::bench
