// The frame of every command: help, errors, exit codes, completion, version.

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/command.h"
#include "support/demo.h"

namespace tyer::testing {
namespace {

using Frame = ProgramTest;

TEST_F(Frame, PrintsItsVersion) {
  const ProgramResult result = tyer("version");

  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("tyer ")) << result.out;
  EXPECT_TRUE(result.out.contains("SQLite")) << result.out;
  EXPECT_EQ(tyer("--version").out, result.out);
  EXPECT_TRUE(parse_json(tyer("version --json").out).value_or(Json()).contains("version"));
}

TEST_F(Frame, VersionReadsNoConfiguration) {
  write_file(".tyer/config.toml", "this is not toml");

  EXPECT_EQ(tyer("version").code, 0);
}

TEST_F(Frame, HelpListsEveryCommandOnce) {
  const ProgramResult result = tyer("help");

  EXPECT_EQ(result.code, 0);
  for (const cli::Command& command : cli::commands()) {
    EXPECT_TRUE(result.out.contains("  " + std::string(command.name) + "  ")) << command.name;
  }
  EXPECT_EQ(tyer("--help").out, result.out);
  EXPECT_TRUE(is_trimmed(result.out));
}

TEST_F(Frame, EveryCommandExplainsItself) {
  for (const cli::Command& command : cli::commands()) {
    std::vector<std::string> words = split_words(std::string(command.name));
    words.push_back("--help");
    const ProgramResult result = tyer(words);

    EXPECT_EQ(result.code, 0) << command.name;
    EXPECT_TRUE(result.out.starts_with(command.summary)) << result.out;
    for (const char* part : {"\nUsage: tyer ", "\nExamples:\n", "\nExit codes:\n", "--json"}) {
      EXPECT_TRUE(result.out.contains(part)) << command.name << " has no " << part;
    }
    EXPECT_TRUE(is_trimmed(result.out)) << command.name;
    for (const std::string& line : split_lines(result.out)) EXPECT_LE(line.size(), 90U) << line;
    EXPECT_EQ(tyer("help " + std::string(command.name)).out, result.out);

    words.push_back("--json");
    EXPECT_EQ(parse_json(tyer(words).out).value_or(Json())["name"], std::string(command.name));
  }
}

TEST_F(Frame, WithoutACommandIsWrongUsage) {
  const ProgramResult result = tyer("");

  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.contains("Usage: tyer COMMAND"));
}

TEST_F(Frame, AFamilyWithoutACommandSaysHowToGoOn) {
  const ProgramResult result = tyer("store");

  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err,
            "tyer: 'tyer store' needs a command\n  hint: 'tyer help store' lists them\n");
  EXPECT_EQ(tyer("store --help").out, tyer("help store").out);
  EXPECT_TRUE(tyer("help store").out.contains("store backup"));
}

struct Mistake {
  std::string line;
  std::string says;
};

TEST_F(Frame, MistakesAreNamedAndAnswered) {
  const std::vector<Mistake> mistakes{
      {"lgo", "did you mean 'tyer log'?"},
      {"verison", "did you mean 'tyer version'?"},
      {"store chek", "did you mean 'tyer store check'?"},
      {"zzzzzz", "'tyer help' lists the commands"},
      {"help nothing", "there is no command 'nothing'"},
      {"log --fllow", "tyer log has no option '--fllow'; did you mean --follow?"},
      {"log -x", "has no option '-x'"},
      {"log --store", "--store needs a value"},
      {"log --json=yes", "--json takes no value"},
      {"log --limit 1 --limit 2", "--limit stands more than once"},
      {"log lock/a lock/b", "'lock/b' is one argument too many"},
      {"log --durability ful", "--durability 'ful' is not full or normal"},
      {"log --limit many", "--limit 'many' is not a number"},
      {"log Nonsense", "does not start with a kind"},
      {"store copy sqlite:a", "TO is missing"},
      {"completion tcsh", "'tcsh' is not bash, zsh or fish"},
      {"log --store mysql:x", "'mysql:x' is not a store; write it like sqlite:PATH"},
      {"log --store sqlite:", "'sqlite:' is not a store"},
      {"store copy here there", "'here' is not a store"},
      {"--limit 2 log", "'--limit' stands before the command"},
      {"--store", "--store needs a value"},
      {"--json", "the command is missing"},
      {"--url http://127.0.0.1:1 version", "tyer version has no option '--url'"},
      {"--durability ful log", "--durability 'ful' is not full or normal"},
      {"--store sqlite:a.db log --store sqlite:b.db", "--store stands more than once"},
      {"log --config none.toml", "there is no configuration file"},
  };
  for (const Mistake& mistake : mistakes) {
    const ProgramResult result = tyer(mistake.line);

    EXPECT_EQ(result.code, 2) << mistake.line;
    EXPECT_EQ(result.out, "") << mistake.line;
    EXPECT_TRUE(result.err.starts_with("tyer: ") || result.err.starts_with("{\"error\""))
        << result.err;
    EXPECT_TRUE(result.err.contains(mistake.says)) << mistake.line << ": " << result.err;
  }
}

TEST_F(Frame, OptionsOfEveryCommandMayStandBeforeIt) {
  make_store();
  const std::string log = tyer("log --json").out;
  const std::string check = tyer("store check --json").out;
  const std::string named = "--store " + store_url();
  for (const std::string& line : {std::string("--json log"), named + " --json log",
                                  "--store=" + store_url() + " log --json --color never"}) {
    EXPECT_EQ(tyer(line).out, log) << line;
  }
  for (const std::string& line :
       {std::string("--json store check"), named + " store --json check"}) {
    EXPECT_EQ(tyer(line).out, check) << line;
  }
  const ProgramResult run = tyer("--store sqlite:other.db run K -- echo --json");
  EXPECT_EQ(run.out, "--json\n") << run.err;
  EXPECT_TRUE(has_file("other.db"));
  EXPECT_EQ(tyer("--url http://127.0.0.1:1 lock list").code, 3);
  EXPECT_EQ(tyer("--help lock list").out, tyer("lock list --help").out);
  EXPECT_EQ(tyer("--json --help").out, tyer("help --json").out);
  EXPECT_EQ(tyer("lock --json --help").out, tyer("help lock --json").out);
}

TEST_F(Frame, TheVersionIsJsonForProgramsHoweverItIsAskedFor) {
  const std::string answer = tyer("version --json").out;

  EXPECT_FALSE(parse_json(answer).value_or(Json())["version"].get<std::string>().empty());
  EXPECT_EQ(tyer("--version --json").out, answer);
  EXPECT_EQ(tyer("--json --version").out, answer);
}

TEST_F(Frame, ErrorsAreJsonForPrograms) {
  const Json missing = parse_json(tyer("log --json").err).value_or(Json())["error"];
  const Json unknown = parse_json(tyer("lgo --json").err).value_or(Json())["error"];

  EXPECT_EQ(missing["code"], "not_found");
  EXPECT_TRUE(
      missing["message"].get<std::string>().starts_with("there is no store here or above ("));
  EXPECT_EQ(unknown["code"], "invalid");
}

TEST_F(Frame, AControlCharacterInAnArgumentNeverReachesTheTerminal) {
  const ProgramResult result = tyer(std::vector<std::string>{"\x1b[31mred"});

  EXPECT_EQ(result.code, 2);
  EXPECT_FALSE(result.err.contains('\x1b')) << result.err;
}

TEST_F(Frame, AnAnswerThatCannotBeWrittenIsNotDone) {
  ProgramCall full = call({"help"});
  full.out_to = "/dev/full";
  const ProgramResult result = run_program(full);

  EXPECT_EQ(result.code, 5);
  EXPECT_TRUE(result.err.contains("standard output")) << result.err;
}

TEST_F(Frame, ShellsAcceptTheCompletionScripts) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const ProgramResult script = tyer("completion " + shell);
    ASSERT_EQ(script.code, 0) << script.err;
    for (const cli::Command& command : cli::commands()) {
      EXPECT_TRUE(script.out.contains(command.name.substr(command.name.find(' ') + 1)));
    }
    write_file("script", script.out);
    ProgramCall check = call({"-n", dir / "script"});
    check.program = "/usr/bin/" + shell;
    if (::access(check.program.c_str(), X_OK) != 0) continue;  // Not on this machine.
    const ProgramResult accepted = run_program(check);
    EXPECT_EQ(accepted.code, 0) << shell << ": " << accepted.err;
  }
}

// What bash offers for the words of a line, the last of them being typed.
TEST_F(Frame, BashCompletesFromTheTable) {
  write_file("script", tyer("completion bash").out);
  const auto complete = [this](const std::string& line, int at) {
    ProgramCall bash =
        call({"-c", ". ./script; COMP_WORDS=(" + line + "); COMP_CWORD=" + std::to_string(at) +
                        "; _tyer; echo \"${COMPREPLY[*]}\""});
    bash.program = "/bin/bash";
    return run_program(bash).out;
  };

  EXPECT_EQ(complete("tyer l", 1), "lock login log\n");
  EXPECT_EQ(complete("tyer store ''", 2), "check backup restore copy\n");
  EXPECT_EQ(complete("tyer log --fo", 2), "--follow\n");
  EXPECT_EQ(complete("tyer log --durability ''", 3), "full normal\n");
  EXPECT_EQ(complete("tyer completion z", 2), "zsh\n");
  EXPECT_EQ(complete("tyer store backup scr", 3), "script\n");
  EXPECT_EQ(complete("tyer log --since ''", 3), "\n");
}

}  // namespace
}  // namespace tyer::testing
