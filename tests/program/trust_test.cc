// What somebody else may have put into a directory counts once the user has agreed to it (P1, P14).

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "env/fd.h"
#include "support/screen.h"
#include "support/worktrees.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

// An address on loopback that notes whether anybody has come.
class Trap {
 public:
  Trap() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_in here{.sin_family = AF_INET};
    here.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    EXPECT_EQ(::bind(fd_.get(), address, size), 0);
    EXPECT_EQ(::listen(fd_.get(), 8), 0);
    EXPECT_EQ(::getsockname(fd_.get(), address, &size), 0);
    url_ = fmt::format("http://127.0.0.1:{}", ::ntohs(here.sin_port));
  }

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] bool was_sprung() const {
    return env::Fd(::accept(fd_.get(), nullptr, nullptr)).get() >= 0;
  }

 private:
  env::Fd fd_;
  std::string url_;
};

class Trust : public WorktreeTest {
 protected:
  // The command is refused, and the refusal has these words in it and says what to do.
  void expect_refused(const std::string& line, const std::string& why) const {
    const ProgramResult result = tyer(line);
    EXPECT_EQ(result.code, 4) << line << result.out << result.err;
    EXPECT_TRUE(result.err.contains(why)) << line << result.err;
  }
  void expect_asked(const std::string& line, const std::string& why) const {
    expect_refused(line, why);
    EXPECT_TRUE(tyer(line).err.contains("'tyer trust " + dir.path() + "'")) << tyer(line).err;
  }

  void configure(const std::string& text) const { write_file(".tyer/config.toml", text); }

  // Another directory with the same files, as if it was cloned or unpacked.
  [[nodiscard]] std::string copied() const {
    const std::string copy = other / "copy";
    fs::copy(dir.path(), copy, fs::copy_options::recursive);
    return copy;
  }
  [[nodiscard]] ProgramResult tyer_in(const std::string& directory, const std::string& line) const {
    ProgramCall there = call(split_words(line));
    there.directory = directory;
    return run_program(there);
  }

  TempDir other;
};

TEST_F(Trust, AStoreThatAFileNamesIsAgreedToFirst) {
  configure("store = 'sqlite:other.db'\n");
  for (const char* const line : {"run T -- echo ran", "lock list", "serve --listen 127.0.0.1:0",
                                 "feed list", "runs list", "store check"}) {
    expect_asked(line, "other.db");
  }
  EXPECT_FALSE(has_file(".tyer/other.db"));
  EXPECT_EQ(tyer("config show").code, 0);
  EXPECT_EQ(tyer("lock list --store sqlite:" + (dir / "mine.db")).code, 1) << "it is named here";

  const ProgramResult agreed = tyer("trust");
  EXPECT_EQ(agreed.code, 0);
  EXPECT_TRUE(agreed.out.contains("agents run what it says")) << agreed.out;
  EXPECT_EQ(tyer("run T -- echo ran").out, "ran\n");
  EXPECT_TRUE(has_file(".tyer/other.db"));
  EXPECT_TRUE(tyer("trust").out.contains("Nothing in "));

  configure("store = 'sqlite:third.db'\n");
  expect_asked("lock list", "third.db");
}

TEST_F(Trust, AHubThatAFileNamesHearsNothingUntilItIsAgreedTo) {
  const Trap trap;
  configure("[hub]\nurl = '" + trap.url() + "'\n");
  for (const char* const line : {"feed list", "lock list", "run T -- true", "worker", "events"}) {
    expect_asked(line, trap.url());
  }
  EXPECT_FALSE(trap.was_sprung());
  EXPECT_EQ(tyer("run T --store sqlite:" + (dir / "x.db") + " -- echo ran").out, "ran\n");
}

TEST_F(Trust, AKeyGoesToNoHubThatOnlyAFileNames) {
  const Trap trap;
  configure("[hub]\nurl = '" + trap.url() + "'\n");
  ASSERT_EQ(tyer("trust").code, 0);
  for (const char* const name :
       {"TYER_API_KEY", "TYER_API_KEYS", "AGENTFEED_API_KEY", "AGENTFEED_API_KEYS"}) {
    environment[name] = "ty_0123456789";
    for (const char* const line : {"feed list", "lock list", "run T -- true", "worker"}) {
      expect_refused(line, fmt::format("the key in {} is not sent", name));
      expect_refused(line, "TYER_URL=" + trap.url());
    }
    environment.erase(name);
  }
  EXPECT_FALSE(trap.was_sprung());
}

TEST_F(Trust, AnAddressToListenOnIsAgreedToFirst) {
  configure("[hub]\nlisten = '127.0.0.1:0'\n");
  for (const char* const line : {"serve --json", "up --json"}) {
    expect_asked(line, "whoever reaches that address reaches your hub");
  }
  Program named(call({"serve", "--listen", "127.0.0.1:0", "--json"}));
  EXPECT_TRUE(named.wait_for("http://")) << "it is named here";
  ASSERT_EQ(tyer("trust").code, 0);
  Program agreed(call({"serve", "--json"}));
  EXPECT_TRUE(agreed.wait_for("http://"));
}

// A clone that carries a store with an agent and a post for it.
TEST_F(Trust, AStoreThatCameWithADirectoryIsNotServed) {
  const std::string ran = other / "ran";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"agent", "add", "bot", "--type", "command", "--force", "--",
                                 "touch", ran},
        {"feed", "add", "general"},
        {"feed", "post", "general", "@bot hello"}}) {
    ASSERT_EQ(tyer(words).code, 0);
  }
  const std::string copy = copied();

  for (const char* const line :
       {"up --listen 127.0.0.1:0 --json", "serve --listen 127.0.0.1:0 --json", "worker --json"}) {
    const ProgramResult refused = tyer_in(copy, line);
    EXPECT_EQ(refused.code, 4) << line << refused.err;
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(refused.err.contains("agents in it run the commands that it says")) << refused.err;
  }
  EXPECT_FALSE(fs::exists(ran));
  EXPECT_EQ(tyer_in(copy, "feed list").code, 0) << "it may be read";

  Program own(call({"serve", "--listen", "127.0.0.1:0", "--json"}));
  EXPECT_TRUE(own.wait_for("http://")) << "who made it is not asked";
  ASSERT_EQ(tyer_in(copy, "trust").code, 0);
  ProgramCall there = call({"serve", "--listen", "127.0.0.1:0", "--json"});
  there.directory = copy;
  Program agreed(there);
  EXPECT_TRUE(agreed.wait_for("http://"));
}

TEST_F(Trust, AStoreOfPlainFilesIsNotServedEither) {
  configure("store = 'files:s'\n");
  ASSERT_EQ(tyer("trust").code, 0);
  ASSERT_EQ(tyer("feed add general").code, 0);
  fs::rename(dir / ".tyer/s", dir / ".tyer/mine");
  fs::copy(dir / ".tyer/mine", dir / ".tyer/s", fs::copy_options::recursive);

  expect_asked("serve --listen 127.0.0.1:0", "agents in it run the commands");
}

TEST_F(Trust, WhatOthersCanWriteIsRefused) {
  ASSERT_EQ(tyer("run T -- true").code, 0);
  for (const char* const path : {".tyer", ".tyer/tyer.db"}) {
    const fs::perms before = fs::status(dir / path).permissions();
    fs::permissions(dir / path, fs::perms::others_write, fs::perm_options::add);
    for (const char* const line : {"lock list", "run T -- true", "config show", "feed list"}) {
      expect_asked(line, "others can write to ");
    }
    fs::permissions(dir / path, before);
    EXPECT_EQ(tyer("lock list").code, 0);
  }
}

TEST_F(Trust, WhatOthersOwnIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "it takes root to make what belongs to somebody else";
  constexpr uid_t nobody = 65'534;
  ASSERT_EQ(tyer("run T -- true").code, 0);
  ASSERT_EQ(::chown((dir / ".tyer/tyer.db").c_str(), nobody, nobody), 0);
  expect_asked("lock list", "belongs to nobody");
  environment["SUDO_UID"] = "65534";
  EXPECT_EQ(tyer("lock list").code, 0) << "it is that of who calls root";
  environment.erase("SUDO_UID");

  // And the other way round: what root has left where somebody else works.
  for (const std::string& path : {dir.path(), dir / ".tyer"}) {
    fs::permissions(path, fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
  }
  const TempDir theirs;
  ASSERT_EQ(::chown(theirs.path().c_str(), nobody, nobody), 0);
  environment["HOME"] = theirs.path();
  ProgramCall as_nobody =
      call({"--reuid=nobody", "--regid=nogroup", "--clear-groups", TYER_PROGRAM, "lock", "list"});
  as_nobody.program = "/usr/bin/setpriv";
  const ProgramResult refused = run_program(as_nobody);
  EXPECT_EQ(refused.code, 4) << refused.err;
  EXPECT_TRUE(refused.err.contains("belongs to root")) << refused.err;
}

TEST_F(Trust, IsAskedForOnceOnATerminal) {
  configure("store = 'sqlite:other.db'\n");
  const auto run = [&](const std::string& typed) {
    Screen screen{200, 24};
    screen.type(typed);
    ProgramCall shell = call(
        {"-c", fmt::format("\"$0\" run T -- echo ran <{0} 2>{0}", screen.path()), TYER_PROGRAM});
    shell.program = "sh";
    const ProgramResult result = run_program(shell);
    return std::pair{result, typed.empty() ? "" : screen.until("[y/N]")};
  };

  const auto [no, question] = run("n\n");
  EXPECT_EQ(no.code, 4);
  EXPECT_EQ(no.out, "");
  EXPECT_TRUE(question.contains("you have not agreed to this:")) << question;
  EXPECT_TRUE(question.contains("agents run what it says")) << question;
  EXPECT_EQ(run("y\n").first.out, "ran\n");
  EXPECT_EQ(run("").first.out, "ran\n");
}

// As in a service without a user's home.
TEST_F(Trust, ThatCannotBeNotedIsSaid) {
  environment.erase("HOME");
  const ProgramResult made = tyer("run T -- true");
  EXPECT_EQ(made.code, 0);
  EXPECT_TRUE(made.err.contains("that you made this store cannot be noted")) << made.err;
  expect_refused("serve --listen 127.0.0.1:0", "but first: HOME does not say where");
  Program named(call({"serve", "--listen", "127.0.0.1:0", "--json", "--store", store_url()}));
  EXPECT_TRUE(named.wait_for("http://"));
}

TEST_F(Trust, IsShownListedAndForgotten) {
  configure("store = 'sqlite:other.db'\n[hub]\nlisten = '127.0.0.1:0'\n");
  const ProgramResult shown = tyer("trust --show");
  EXPECT_TRUE(shown.out.starts_with("You have not agreed to:\n")) << shown.out;
  expect_asked("lock list", "other.db");

  const ProgramResult made = tyer_in(other.path(), "trust --json " + dir.path());
  EXPECT_EQ(parse_json(made.out).value_or(Json())["agreed"].size(), 2U) << made.out;
  const ProgramResult list = tyer("trust --list --json");
  EXPECT_EQ(parse_json(list.out).value_or(Json()).size(), 2U) << list.out;
  EXPECT_TRUE(tyer("trust --list").out.contains("setting hub.listen=127.0.0.1:0"));
  EXPECT_EQ(tyer("trust --forget").out, "Forgot 2 agreements.\n");
  expect_asked("lock list", "other.db");
  EXPECT_EQ(tyer("trust --list").out, "You have not agreed to anything.\n");
  EXPECT_EQ(tyer("trust none").code, 1);
}

// Filters and drivers that only the repository itself knows.
class TrustInGit : public Trust {
 protected:
  TrustInGit() {
    write_file("bin", "#!/bin/sh\nenv >> " + seen() + "\ncat\n");
    sh("chmod +x bin; echo 'a filter=x' > .gitattributes; git add -A; git commit -qm attributes");
  }

  [[nodiscard]] std::string seen() const { return other / "seen"; }
  [[nodiscard]] std::string program() const { return dir / "bin"; }
};

TEST_F(TrustInGit, ProgramsOfARepositoryAreAgreedToFirst) {
  sh("git config filter.x.smudge " + program() + "; git config filter.x.clean " + program());
  const std::string before = sh("git rev-parse HEAD; git worktree list; git branch");
  for (const char* const line :
       {"worktree add w", "worktree list", "worktree merge w", "worktree remove w", "rescue list",
        "agent run --backend demo --prompt x --worktree w"}) {
    expect_asked(line, "filter.x.smudge=" + program());
  }
  EXPECT_FALSE(fs::exists(seen()));
  EXPECT_EQ(sh("git rev-parse HEAD; git worktree list; git branch"), before);

  ASSERT_EQ(tyer("trust").code, 0);
  environment["TYER_API_KEY"] = environment["AGENTFEED_API_KEY"] = "ty_secret";
  ok("worktree add w");
  EXPECT_EQ(sh("grep -c ty_secret " + seen() + " || true"), "0\n") << "it has run, without a key";
  EXPECT_NE(sh("grep -c ^PATH= " + seen()), "0\n");

  sh("git config filter.x.smudge 'cat; " + program() + "'");
  expect_asked("worktree list", "filter.x.smudge=cat; ");
}

TEST_F(TrustInGit, ProgramsOfTheUserAreNotAskedAbout) {
  sh("git config --global filter.x.smudge " + program());
  ok("worktree add w");
  EXPECT_TRUE(fs::exists(seen()));
}

TEST_F(TrustInGit, AWorktreesOwnConfigurationCounts) {
  ok("worktree add w");
  sh("git config extensions.worktreeConfig true");
  sh("git config --worktree filter.x.clean " + program(), tree("w"));
  expect_asked("worktree list", "filter.x.clean=" + program());
}

}  // namespace
}  // namespace tyer::testing
