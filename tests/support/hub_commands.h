// Runs the commands about the hub, with a real hub behind them if a test starts one.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "support/demo.h"

namespace tyer::testing {

class HubCommands : public ProgramTest {
 protected:
  HubCommands();
  ~HubCommands() override;

  // `tyer serve` on the store of this directory; the commands find it by TYER_URL.
  void start_hub(const std::vector<std::string>& options,
                 const std::string& listen = "127.0.0.1:0");

  // Ends it by a signal, and waits for its end.
  void end_hub(int signal);

  [[nodiscard]] const std::string& url() const { return url_; }

  // What a command prints, which must succeed: as JSON, or its only line.
  [[nodiscard]] Json json(const std::vector<std::string>& words) const;
  [[nodiscard]] std::string line_of(const std::vector<std::string>& words) const;

  // What `tyer events --json OPTIONS` shows.
  [[nodiscard]] std::vector<Json> events(const std::string& options) const;

  // A line for a shell that finds tyer.
  [[nodiscard]] ProgramResult shell(const std::string& line) const;

 private:
  std::unique_ptr<Program> hub_;
  std::string url_;
};

// `text` with `number` in the place of its "{}".
[[nodiscard]] std::string with_number(std::string text, const std::string& number);

}  // namespace tyer::testing
