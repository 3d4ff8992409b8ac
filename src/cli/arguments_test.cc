#include "cli/arguments.h"

#include <array>

#include <gtest/gtest.h>

namespace tyer::cli {
namespace {

Done nothing(World&, const Arguments&) {
  return 0;
}

constexpr std::array operands{Operand{.name = "KEY", .help = ""},
                              Operand{.name = "WORD", .help = "", .required = false, .many = true}};
constexpr std::array options{Option{"--wait", "DURATION", ""}, Option{"--any", "", ""}};
constexpr Command command{"try", "Test", "Try", "", operands, options, {}, {}, nothing};

Result<Arguments> parse(std::vector<std::string> words) {
  return parse_arguments(command, words);
}

TEST(Arguments, StandInAnyOrder) {
  const auto parsed = parse({"--any", "lock/a", "--wait", "5s", "b", "c", "--json"});

  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->value("KEY"), "lock/a");
  EXPECT_EQ(parsed->values("WORD"), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(parsed->value("--wait"), "5s");
  EXPECT_TRUE(parsed->has("--any"));
  EXPECT_TRUE(parsed->has("--json"));
  EXPECT_FALSE(parsed->has("--store"));
  EXPECT_EQ(parsed->value("--store"), std::nullopt);
}

TEST(Arguments, BehindTwoDashesAreNeverOptions) {
  const auto parsed = parse({"lock/a", "--", "node", "--any", "-x"});

  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->values("WORD"), (std::vector<std::string>{"node", "--any", "-x"}));
  EXPECT_FALSE(parsed->has("--any"));
}

TEST(Arguments, AreTakenLiterally) {
  const auto parsed = parse({"[a,b]", "[c]", "\"d\"", "--wait=[1,2]", "=", "-5"});

  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->value("KEY"), "[a,b]");
  EXPECT_EQ(parsed->values("WORD"), (std::vector<std::string>{"[c]", "\"d\"", "=", "-5"}));
  EXPECT_EQ(parsed->value("--wait"), "[1,2]");
}

TEST(Arguments, OfOptionsMayBeginWithABracket) {
  EXPECT_EQ(parse({"a", "--wait", "[::1]:7420"})->value("--wait"), "[::1]:7420");
  EXPECT_EQ(parse({"a", "--color", "[x]"}).error().what,
            "--color '[x]' is not auto, always or never");
}

TEST(Arguments, MayBeEmptyTexts) {
  const auto parsed = parse({"", "--wait", ""});

  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->value("KEY"), "");
  EXPECT_EQ(parsed->value("--wait"), "");
}

TEST(Arguments, AreNotCheckedWhenHelpIsWanted) {
  EXPECT_TRUE(parse({"--help"})->has("--help"));
  EXPECT_TRUE(parse({"-h", "--nonsense"})->has("--help"));
}

TEST(Arguments, ThatAreWrongAreRefused) {
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  const std::vector<Case> cases{
      {{}, "KEY is missing"},
      {{"a", "--wait"}, "--wait needs a value"},
      {{"a", "--any=x"}, "--any takes no value"},
      {{"a", "--wait", "1s", "--wait", "2s"}, "--wait stands more than once"},
      {{"a", "--wiat", "1s"}, "tyer try has no option '--wiat'; did you mean --wait?"},
      {{"a", "-q"}, "tyer try has no option '-q'"},
      {{"a", "--color", "blue"}, "--color 'blue' is not auto, always or never"},
      {{"a", "--color", "auto|never"}, "--color 'auto|never' is not auto, always or never"},
  };
  for (const Case& wrong : cases) {
    const auto parsed = parse(wrong.words);
    ASSERT_FALSE(parsed) << wrong.says;
    EXPECT_EQ(parsed.error(), (Error{Fault::invalid, wrong.says}));
  }
}

TEST(Arguments, BehindTheMarkAreTakenAsTheyAre) {
  const Command& run = *find_command("run");
  const std::vector<std::string> good{"K", "--wait", "1s", "--", "sh", "--wait", "--", "-c"};
  const auto parsed = parse_arguments(run, good);
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_EQ(parsed->values("CMD"), (std::vector<std::string>{"sh", "--wait", "--", "-c"}));

  const auto refusal = [&](const std::vector<std::string>& words) {
    const auto refused = parse_arguments(run, words);
    return refused ? "" : refused.error().what;
  };
  EXPECT_EQ(refusal({"K", "true"}), "'true' stands before --; CMD goes behind it");
  EXPECT_EQ(refusal({"K"}), "CMD is missing; write it behind --");
  EXPECT_EQ(refusal({"K", "--"}), "CMD is missing; write it behind --");
  EXPECT_EQ(refusal({"--", "true"}), "KEY is missing");
}

TEST(Arguments, TellAnEmptyRestFromNone) {
  const Command& set = *find_command("agent set");
  const auto parsed = [&](const std::vector<std::string>& words) {
    return parse_arguments(set, words).value();
  };
  EXPECT_TRUE(parsed({"bot", "--"}).has_mark());
  EXPECT_TRUE(parsed({"bot", "--", "cat"}).has_mark());
  EXPECT_FALSE(parsed({"bot"}).has_mark());
}

TEST(Arguments, MayStandTwiceIfTheyAreFlags) {
  EXPECT_TRUE(parse({"a", "--any", "--any"}));
}

}  // namespace
}  // namespace tyer::cli
