// The documents say what the program does.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "support/demo.h"

namespace tyer::testing {
namespace {

class Docs : public ProgramTest {
 protected:
  void use_tyer_by_name() {
    environment["PATH"] =
        std::filesystem::path(TYER_PROGRAM).parent_path().string() + ":/usr/bin:/bin";
  }

  // A git repository with a commit, for what is said about worktrees.
  void make_repository() const {
    run_in_shell(
        "git init -q -b main && git -c user.name=me -c user.email=me@example.com commit -q "
        "--allow-empty -m first");
  }

  void run_in_shell(const std::string& text) const {
    ProgramCall shell = call({"-c", text});
    shell.program = "/bin/sh";
    const ProgramResult result = run_program(shell);
    EXPECT_EQ(result.code, 0) << text << "\n" << result.err;
  }
};

std::string document(const std::string& name) {
  std::ifstream file(std::string(TYER_SOURCE) + "/docs/" + name);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// All ```sh blocks.
std::vector<std::string> shell_blocks(const std::string& text) {
  std::vector<std::string> blocks;
  bool inside = false;
  for (const std::string& line : split_lines(text)) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

std::string cell(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

TEST_F(Docs, EveryCommandInThemWorks) {
  make_store();
  use_tyer_by_name();
  make_repository();
  std::string all;
  for (const std::string& block : shell_blocks(document("cli.md"))) all += block;
  const std::vector<std::string> lines = split_lines(all);

  const auto sections =
      std::ranges::count_if(split_lines(document("cli.md")),
                            [](const std::string& line) { return line.starts_with("## tyer "); });
  EXPECT_GE(lines.size(), static_cast<std::size_t>(sections));
  for (const std::string& line : lines) run_in_shell(line);
}

// Blocks are run as a whole, as people would paste them.
TEST_F(Docs, EveryBlockOfTheGuidesWorks) {
  use_tyer_by_name();
  make_repository();
  for (const char* const name : {"locks.md", "cron.md", "worktrees.md", "runs.md", "workers.md"}) {
    for (const std::string& block : shell_blocks(document(name))) run_in_shell("set -e\n" + block);
  }
}

// As somebody would who goes through the page in one shell.
TEST_F(Docs, AllOfWorktreesWorksInOneShell) {
  use_tyer_by_name();
  make_repository();
  std::string all = "set -e\n";
  for (const std::string& block : shell_blocks(document("worktrees.md"))) all += block;

  run_in_shell(all);

  EXPECT_TRUE(has_file("work.txt"));
  EXPECT_FALSE(has_file(".tyer/worktrees/worker-1"));
}

// Pasted as a whole: each command could take what stands behind it as its input.
TEST_F(Docs, SixtySecondsOfTheReadmeWork) {
  use_tyer_by_name();
  environment["TYER_HUB_LISTEN"] = "127.0.0.1:0";
  make_repository();
  const std::string readme = document("../README.md");
  std::string pasted = shell_blocks(readme.substr(readme.find("## Sixty seconds"))).front();
  const std::string last = "tyer up ";
  ASSERT_NE(pasted.find(last), std::string::npos);
  pasted.insert(pasted.find(last), "exec ");
  write_file("pasted", pasted);

  ProgramCall shell = call({"-c", "exec bash 2>&1 < pasted"});
  shell.program = "/bin/sh";
  Program running(shell);
  ASSERT_TRUE(running.wait_for("Ctrl+C ends it."));
  const std::string out = running.out();

  EXPECT_TRUE(out.contains("tyer: TSK-01: /wf:build is running (pid")) << out;
  EXPECT_TRUE(out.contains("runs only once")) << out;
  EXPECT_TRUE(out.contains("hello")) << out;
  EXPECT_TRUE(out.contains("Open to everybody on this machine.")) << out;
  EXPECT_FALSE(out.contains("not found")) << out;
  running.signal(SIGINT);
  EXPECT_EQ(running.finish().code, 0);
}

TEST_F(Docs, OneStoreServesAllRepositoriesOfAMachine) {
  use_tyer_by_name();
  for (const std::string& block : shell_blocks(document("configuration.md"))) run_in_shell(block);
  run_in_shell("git init -q one && git init -q two");

  ProgramCall one = call({"lock", "acquire", "TSK-01", "--pid", std::to_string(::getpid())});
  one.directory = dir / "one";
  EXPECT_EQ(run_program(one).code, 0);
  ProgramCall two = call({"run", "TSK-01", "--", "true"});
  two.directory = dir / "two";
  EXPECT_EQ(run_program(two).code, 1);
  EXPECT_TRUE(std::filesystem::exists(home / ".local/share/tyer/tyer.db"));
  EXPECT_FALSE(has_file("one/.tyer") || has_file("two/.tyer"));
}

TEST_F(Docs, OneStoreForAMachineLeavesTheConfigurationThatIsThereAsItIs) {
  use_tyer_by_name();
  const std::string config = home / ".config/tyer/config.toml";
  write_file(config, "color = \"never\"\n");

  for (const std::string& block : shell_blocks(document("configuration.md"))) run_in_shell(block);

  std::string text;
  std::getline(std::ifstream(config), text);
  EXPECT_EQ(text, "color = \"never\"");
}

// As one person would go through the page, while a hub runs where it says.
TEST_F(Docs, EverythingAboutTheHubWorks) {
  use_tyer_by_name();
  make_repository();
  Program hub(call({"serve", "--listen", "127.0.0.1:0", "--json"}));
  ASSERT_TRUE(hub.wait_for("}\n"));
  const std::string url = parse_json(hub.out()).value_or(Json())["url"];
  std::string all = "set -e\n";
  for (const std::string& block : shell_blocks(document("hub.md"))) all += block;
  const std::string said = "http://127.0.0.1:7420";
  for (std::size_t at = 0; (at = all.find(said, at)) != std::string::npos;) {
    all.replace(at, said.size(), url);
  }

  run_in_shell(all);

  hub.signal(SIGTERM);
  EXPECT_EQ(hub.finish().code, 0);
}

TEST_F(Docs, ExplainEveryCommand) {
  const std::string text = document("cli.md") + document("hub.md") + document("workers.md");

  for (const cli::Command& command : cli::commands()) {
    EXPECT_TRUE(text.contains(fmt::format("\n## tyer {}\n", command.name))) << command.name;
    for (const cli::Option& option : command.options) {
      EXPECT_TRUE(text.contains("`" + std::string(option.name))) << option.name;
    }
  }
  for (const cli::Option& option : cli::common_options()) {
    EXPECT_TRUE(text.contains("`" + std::string(option.name))) << option.name;
  }
}

TEST_F(Docs, ListEverySettingAsItIs) {
  const std::string text = document("configuration.md");

  std::string table;
  for (const cli::Setting& setting : cli::settings_table()) {
    table += fmt::format("| {} | {} | {} | {} | {} |\n", cell(setting.name), cell(setting.variable),
                         cell(setting.flag), cell(setting.fallback), setting.help);
  }
  EXPECT_TRUE(text.contains("| --- | --- | --- | --- | --- |\n" + table + "\n")) << table;
  for (const cli::CommandHold& hold : cli::default_holds()) {
    EXPECT_TRUE(text.contains(fmt::format("\"{}\" = \"{}\"\n", hold.command, hold.hold)));
  }
}

TEST_F(Docs, TheConfigurationInThemIsRight) {
  const std::string text = document("configuration.md");
  for (std::size_t at = 0; (at = text.find("```toml\n", at)) != std::string::npos;) {
    const std::size_t begin = at + 8;
    at = text.find("```\n", begin);
    write_file("example.toml", text.substr(begin, at - begin));
    const ProgramResult result = tyer("config show --config example.toml");
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST_F(Docs, HaveAnAgentThatAnswers) {
  const std::string text = document("formats/agents.md");
  const std::size_t begin = text.find("#!/bin/sh\n");
  ASSERT_NE(begin, std::string::npos);
  write_file("agent.sh", text.substr(begin, text.find("```", begin) - begin));
  std::filesystem::permissions(dir / "agent.sh", std::filesystem::perms::owner_all);

  const ProgramResult result = tyer(
      {"agent", "run", "--backend", "command", "--prompt", "hello\nthere", "--", "./agent.sh"});

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "You said: hello\n");
}

TEST_F(Docs, ExplainEveryFault) {
  const std::string codes = document("exit_codes.md");
  const std::string index = document("errors/README.md");

  for (int i = 0; i < fault_count; ++i) {
    const FaultInfo& fault = info(static_cast<Fault>(i));
    EXPECT_TRUE(codes.contains(fmt::format("| `{}` | {} | {} |\n", fault.name, fault.exit_code,
                                           fault.retry_helps ? "yes" : "no")))
        << fault.name;
    EXPECT_TRUE(index.contains(fmt::format("[{0}]({0}.md)", fault.name))) << fault.name;
    const std::string page = document(fmt::format("errors/{}.md", fault.name));
    EXPECT_TRUE(page.starts_with(fmt::format("# {}\n", fault.name))) << fault.name;
    EXPECT_TRUE(page.contains(fmt::format("\nExit code {}.\n", fault.exit_code))) << fault.name;
    EXPECT_TRUE(page.contains("\n## What to do\n")) << fault.name;
  }
}

}  // namespace
}  // namespace tyer::testing
