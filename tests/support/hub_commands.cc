#include "support/hub_commands.h"

#include <filesystem>

#include "base/json.h"

namespace tyer::testing {

HubCommands::HubCommands() {
  environment["PATH"] =
      std::filesystem::path(TYER_PROGRAM).parent_path().string() + ":/usr/bin:/bin";
}

HubCommands::~HubCommands() = default;

void HubCommands::start_hub(const std::vector<std::string>& options, const std::string& listen) {
  std::vector<std::string> words{"serve", "--listen", listen, "--json"};
  words.insert(words.end(), options.begin(), options.end());
  hub_ = std::make_unique<Program>(call(words));
  ASSERT_TRUE(hub_->wait_for("}\n")) << hub_->finish().err;
  url_ = text_or(parse_json(hub_->out()).value_or(Json::object()), "url");
  environment["TYER_URL"] = url_;
}

void HubCommands::end_hub(int signal) {
  hub_->signal(signal);
  (void)hub_->finish();
  hub_.reset();
}

Json HubCommands::json(const std::vector<std::string>& words) const {
  const ProgramResult result = tyer(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return parse_json(result.out).value_or(Json());
}

std::string HubCommands::line_of(const std::vector<std::string>& words) const {
  const ProgramResult result = tyer(words);
  EXPECT_EQ(result.code, 0) << result.err;
  const std::vector<std::string> lines = split_lines(result.out);
  EXPECT_EQ(lines.size(), 1U) << result.out;
  return lines.empty() ? "" : lines.front();
}

std::vector<Json> HubCommands::events(const std::string& options) const {
  const ProgramResult result = tyer("events --json " + options);
  EXPECT_EQ(result.code, 0) << result.err;
  std::vector<Json> all;
  for (const std::string& line : split_lines(result.out)) {
    all.push_back(parse_json(line).value_or(Json()));
  }
  return all;
}

ProgramResult HubCommands::shell(const std::string& line) const {
  ProgramCall wanted = call({"-c", line});
  wanted.program = "/bin/sh";
  return run_program(wanted);
}

std::string with_number(std::string text, const std::string& number) {
  return text.replace(text.find("{}"), 2, number);
}

}  // namespace tyer::testing
