// What the tests of agents' runs share: the demo agent below a keeper, and what must hold when all
// is over.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "support/demo.h"

namespace tyer::testing {

class AgentRunTest : public ProgramTest {
 protected:
  ~AgentRunTest() override;

  // tyer agent run with the demo agent.
  [[nodiscard]] ProgramCall agent(const std::string& prompt, const std::string& options = "") const;
  [[nodiscard]] ProgramResult ask(const std::string& prompt, const std::string& options = "") const;

  // The id of a run that is left to itself.
  [[nodiscard]] std::string detach(const std::string& prompt) const;

  // Waits for the run's end, and that of the attempts after it.
  [[nodiscard]] ProgramResult follow(const std::string& id) const;

  // All runs, the oldest first.
  [[nodiscard]] std::vector<std::string> ids() const;

  // What came of them: "failed failed done".
  [[nodiscard]] std::string verdicts() const;

  // A member of what `tyer runs show` says.
  [[nodiscard]] std::string shown(const std::string& id, const char* member) const;
  [[nodiscard]] std::int64_t keeper_of(const std::string& id) const;
  [[nodiscard]] std::int64_t front_of(const std::string& id) const;

  // How often an event of this type is in the log of `id`.
  [[nodiscard]] std::size_t events(const std::string& id, const std::string& type) const;

  // Every run was created once and ended once; no lease and no process is left.
  void expect_nothing_is_left() const;

  [[nodiscard]] static std::string read_file(const std::string& path);
  [[nodiscard]] std::string transcript(const std::string& id) const;

  // An eighth of the silence limit is what an agent has to end by itself.
  void be_impatient();
};

}  // namespace tyer::testing
