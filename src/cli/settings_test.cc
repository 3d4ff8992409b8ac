#include "cli/settings.h"

#include <gtest/gtest.h>

#include "cli/config_file.h"
#include "core/limits.h"

namespace tyer::cli {
namespace {

TEST(Settings, DefaultsAreThoseOfTheLaws) {
  const auto settings = resolve({});

  ASSERT_TRUE(settings) << settings.error().what;
  EXPECT_EQ(settings->heartbeat, limits::heartbeat_every);
  EXPECT_EQ(settings->silence, limits::silence_max);
  EXPECT_EQ(settings->hold, limits::hold_max);
  EXPECT_EQ(settings->durability, store::Durability::full);
  EXPECT_EQ(settings->store, "");
  EXPECT_EQ(settings->hold_by_command.at("/wf:build"), 60min);
  EXPECT_EQ(settings->hold_by_command.at("/wf:start"), 5min);
  EXPECT_EQ(settings->hold_by_command.size(), 6U);
  EXPECT_EQ(settings->rules.sessions_max, limits::FeedRules().sessions_max);
  EXPECT_EQ(settings->rules.bot_mentions_max, limits::FeedRules().bot_mentions_max);
  EXPECT_EQ(settings->rules.bot_window, limits::FeedRules().bot_window);
  EXPECT_EQ(settings->rules.author_mentions_max, limits::FeedRules().author_mentions_max);
}

TEST(Settings, OfTheHubAreRefusedIfTheyCannotBe) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"hub.url", "127.0.0.1:7420"},
           {"hub.url", "http://me:secret@host"},
           {"hub.listen", "127.0.0.1"},
           {"hub.listen", ":1"},
           {"hub.listen", "127.0.0.1:70000"},
           {"hub.sessions_max", "0"},
           {"hub.sessions_max", "many"},
           {"hub.bot_mentions_max", "1000000"},
           {"hub.author_mentions_max", "1000000"},
           {"hub.bot_window", "5"},
           {"routing.followers_hear_mentions", "yes"}}) {
    const auto refused = resolve({{name, text, "f:1", "/"}});
    ASSERT_FALSE(refused) << name << " " << text;
    EXPECT_TRUE(refused.error().what.starts_with("f:1: " + name + " ")) << refused.error().what;
  }
}

TEST(Settings, EveryOneOfTheTableHasAnEffect) {
  for (const Setting& setting : settings_table()) {
    std::string text = "7m";
    std::string name(setting.name);
    if (setting.kind == Setting::Kind::url) text = "sqlite:/x";
    if (setting.kind == Setting::Kind::hub_url) text = "http://127.0.0.1:7";
    if (setting.kind == Setting::Kind::address) text = "127.0.0.1:7";
    if (setting.kind == Setting::Kind::name) text = "other";
    if (setting.kind == Setting::Kind::number) text = "7";
    if (setting.kind == Setting::Kind::flag) text = setting.fallback == "true" ? "false" : "true";
    if (setting.kind == Setting::Kind::choice) {
      text = setting.choices.substr(setting.choices.rfind('|') + 1);
    }
    if (setting.kind == Setting::Kind::durations) name += ".make";
    if (name == "lease.heartbeat") text = "7s";

    const auto before = resolve({});
    const auto after = resolve({{name, text, "here", "/"}});

    ASSERT_TRUE(after) << after.error().what;
    EXPECT_FALSE(before->store == after->store && before->durability == after->durability &&
                 before->space == after->space && before->color == after->color &&
                 before->heartbeat == after->heartbeat && before->silence == after->silence &&
                 before->hold == after->hold && before->runs_kept == after->runs_kept &&
                 before->worker_leave == after->worker_leave && before->hub_url == after->hub_url &&
                 before->hub_listen == after->hub_listen &&
                 before->rules.sessions_max == after->rules.sessions_max &&
                 before->rules.bot_mentions_max == after->rules.bot_mentions_max &&
                 before->rules.bot_window == after->rules.bot_window &&
                 before->rules.author_mentions_max == after->rules.author_mentions_max &&
                 before->rules.followers_hear_mentions == after->rules.followers_hear_mentions &&
                 before->hold_by_command == after->hold_by_command)
        << name;
  }
}

TEST(Settings, LaterValuesWin) {
  const auto settings = resolve({{"space", "a", "one", "/"}, {"space", "b", "two", "/"}});

  ASSERT_TRUE(settings) << settings.error().what;
  EXPECT_EQ(settings->space, "b");
}

TEST(Settings, AWrongValueIsAnErrorEvenIfALaterOneWins) {
  EXPECT_FALSE(resolve({{"space", "a b", "one", "/"}, {"space", "b", "two", "/"}}));
}

TEST(Settings, SilenceIsAtLeastTwoHeartbeats) {
  EXPECT_TRUE(resolve({{"lease.heartbeat", "90s", "f:1", "/"}}));

  const auto refused = resolve({{"lease.heartbeat", "91s", "f:1", "/"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "lease.silence is 3m (default), but lease.heartbeat is 91s (f:1): silence must be at "
            "least twice the heartbeat");
}

TEST(StoreUrl, OfALocalStoreIsMadeAbsolute) {
  EXPECT_EQ(absolute_url("sqlite:a.db", "/p"), "sqlite:/p/a.db");
  EXPECT_EQ(absolute_url("files:a", "/"), "files:/a");
  EXPECT_EQ(absolute_url("sqlite:/a.db", "/p"), "sqlite:/a.db");
  EXPECT_EQ(absolute_url("sqlite::memory:", "/p"), "sqlite::memory:");
  EXPECT_EQ(absolute_url("postgres://h/d", "/p"), "postgres://h/d");
}

TEST(StoreUrl, IsShownWithoutItsPasswords) {
  EXPECT_EQ(masked_url("postgres://u:p@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(masked_url("postgres://u:p@ss@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(masked_url("postgres://u:p/s@h/d"), "postgres://u:***@h/d");
  EXPECT_EQ(masked_url("postgres://u@h/d?password=p&a=b"), "postgres://u@h/d?password=***&a=b");
  EXPECT_EQ(masked_url("postgres://h:5432/d"), "postgres://h:5432/d");
  EXPECT_EQ(masked_url("sqlite:/a:b@c"), "sqlite:/a:b@c");
}

TEST(ConfigFile, IsAFlatListWithLines) {
  const auto found =
      read_config("store = 'files:x'\n[lease]\nhold = '5m'\n", "/p/.tyer/config.toml");

  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0], (Given{"lease.hold", "5m", "/p/.tyer/config.toml:3", "/p/.tyer"}));
  EXPECT_EQ((*found)[1], (Given{"store", "files:x", "/p/.tyer/config.toml:1", "/p/.tyer"}));
}

TEST(ConfigFile, HasNumbersAndFlagsWithoutQuotes) {
  const auto found = read_config(
      "[hub]\nsessions_max = 7\n[routing]\n"
      "followers_hear_mentions = true\n",
      "f");

  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0], (Given{"hub.sessions_max", "7", "f:2", ""}));
  EXPECT_EQ((*found)[1], (Given{"routing.followers_hear_mentions", "true", "f:4", ""}));
}

TEST(ConfigFile, IsRefusedWithItsLine) {
  for (const char* text :
       {"\nx", "\nx = 1", "\nx = ['a']", "\n[a\n", "\nx = '\x1b'", "\nx = '\xff'"}) {
    const auto found = read_config(text, "f");
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().fault, Fault::invalid);
    EXPECT_TRUE(found.error().what.starts_with("f:2: ")) << found.error().what;
  }
}

TEST(ConfigFile, OfHostileDepthIsRefusedAndNotFollowed) {
  EXPECT_FALSE(read_config("x = " + std::string(50'000, '['), "f"));
}

}  // namespace
}  // namespace tyer::cli
