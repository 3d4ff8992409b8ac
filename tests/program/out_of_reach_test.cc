// A store or hub that cannot be reached is exit code 3 (L13): to take an outage for a lock that
// somebody has, or for one that is free, would be worse than to fail.

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "http/server.h"
#include "support/demo.h"
#include "support/postgres_server.h"
#include "support/small_disk.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> writers{"lock acquire K --no-keeper", "lock release K --session s",
                                       "lock renew K --session s", "lock break K --yes"};
// Who serves a store, or fills it.
const std::vector<std::string> holders{"serve --listen 127.0.0.1:0", "up --listen 127.0.0.1:0",
                                       "worker", "store restore saved.db"};
const std::vector<std::string> readers{"lock check K", "lock list", "log",
                                       "store check",  "runs list", "feed list"};

class OutOfReach : public ProgramTest {
 protected:
  // As one whom permissions bind.
  void expect_all(const std::vector<std::string>& lines, const std::string& place) const {
    for (const std::string& line : lines) {
      const ProgramResult result = tyer_as_others(line + place);
      EXPECT_EQ(result.code, 3) << line << place << "\n" << result.out << result.err;
      EXPECT_TRUE(result.err.starts_with("tyer: ")) << result.err;
    }
  }

  // That the command did not run, and that nobody is said to have the lock.
  void expect_no_run(const std::string& place) const {
    const ProgramResult result =
        tyer_as_others("run K --conflict-exit 99" + place + " -- echo ran");
    EXPECT_EQ(result.code, 3) << place << "\n" << result.err;
    EXPECT_EQ(result.out, "") << place;
    const ProgramResult json = tyer_as_others("run K --json" + place + " -- echo ran");
    EXPECT_EQ(parse_json(json.err).value_or(Json())["error"].is_object(), true) << json.err;
  }

  void make_read_only(const fs::path& top) const {
    for (const fs::path& path : fs::recursive_directory_iterator(top)) {
      fs::permissions(path, fs::perms::owner_write, fs::perm_options::remove);
    }
    fs::permissions(top, fs::perms::owner_write, fs::perm_options::remove);
  }
};

struct Place {
  const char* what;
  const char* store;
  bool can_be_read = false;
};

TEST_F(OutOfReach, IsEveryStoreOnADiskThatCannotBeUsed) {
  write_file("file", "x");
  write_file("text.db", std::string(8'192, 'x'));
  fs::create_directory(dir / "directory.db");
  fs::create_directory(dir / "shut");
  fs::permissions(dir / "shut", fs::perms::none);
  fs::create_directory(dir / "read-only");
  fill_demo("sqlite:" + (dir / "read-only/x.db"));
  fill_demo("files:" + (dir / "read-only-files"));
  fs::create_symlink(dir / "disk", dir / "link");
  fill_demo("sqlite:" + (dir / "saved.db"));
  make_read_only(dir / "read-only");
  make_read_only(dir / "read-only-files");
  const std::vector<Place> places{
      {.what = "no directory", .store = "sqlite:none/x.db"},
      {.what = "no directory, plain files", .store = "files:none/x"},
      {.what = "a file in the place of the directory", .store = "sqlite:file/x.db"},
      {.what = "the same, plain files", .store = "files:file/x"},
      {.what = "a file in the place of the store", .store = "files:file"},
      {.what = "a directory", .store = "sqlite:directory.db"},
      {.what = "a file that is no database", .store = "sqlite:text.db"},
      {.what = "no permission", .store = "sqlite:shut/x.db"},
      {.what = "no permission, plain files", .store = "files:shut"},
      {.what = "a file system that makes no files", .store = "sqlite:/proc/self/fd/../none/x.db"},
      {.what = "a link that leads nowhere", .store = "sqlite:link"},
      {.what = "the same, plain files", .store = "files:link"},
      {.what = "read-only", .store = "sqlite:read-only/x.db", .can_be_read = true},
      {.what = "read-only, plain files", .store = "files:read-only-files", .can_be_read = true},
  };
  for (const Place& place : places) {
    SCOPED_TRACE(place.what);
    const std::string named = fmt::format(" --store {}", place.store);
    expect_no_run(named);
    if (place.can_be_read) {
      expect_all({writers.front()}, named);
    } else {
      expect_all(writers, named);
      expect_all(readers, named);
      expect_all(holders, named);
      expect_all({fmt::format("store copy sqlite:saved.db {}", place.store)}, "");
    }
  }
  EXPECT_FALSE(has_file("none"));
  fs::permissions(dir / "shut", fs::perms::owner_all);
  fs::permissions(dir / "read-only", fs::perms::owner_all);
}

TEST_F(OutOfReach, IsNotAFullDiskWhichIsALimitAndNoDuplicateEither) {
  const TempDir mount;
  const int code = on_a_small_disk(mount.path(), 64, [&] {
    std::ofstream(mount / "filler") << std::string(64 << 10, 'x');
    const ProgramResult result = tyer("run K --store sqlite:" + mount / "x.db" + " -- echo ran");
    EXPECT_EQ(result.code, 5) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.contains("full")) << result.err;
    return HasFailure() ? 1 : 0;
  });
  if (code == cannot_mount) GTEST_SKIP() << "this user cannot mount a disk";
  EXPECT_EQ(code, 0);
}

TEST_F(OutOfReach, IsAPostgresThatRefusesOrIsNotThere) {
  const std::string good = shared_postgres().url();
  const std::string host = good.substr(good.find('?'));
  for (const std::string& url :
       {std::string("postgres://127.0.0.1:1/tyer"), std::string("postgres://no-host.invalid/tyer"),
        "postgres://postgres@/none" + host, "postgres://nobody:wrong@/postgres" + host}) {
    expect_no_run(" --store " + url);
    expect_all({writers.front(), "lock check K", "lock list", "feed list"}, " --store " + url);
  }
}

TEST_F(OutOfReach, IsAHubThatIsAwayOrIsNone) {
  int status = 0;
  std::string body;
  const auto server = http::Server::start(
      "127.0.0.1:0", [&](http::Request&) { return http::Response{.status = status, .body = body}; },
      {});
  ASSERT_TRUE(server) << server.error().what;
  const std::string url = " --url http://" + (*server)->address();
  const std::vector<std::string> lines{"lock acquire K --no-keeper", "lock check K", "lock list",
                                       "lock break K --yes"};
  expect_no_run(" --url http://127.0.0.1:1");
  expect_all(lines, " --url http://127.0.0.1:1");
  for (const auto& [number, text] : std::vector<std::pair<int, std::string>>{
           {500, ""},
           {502, "<html>Bad Gateway</html>"},
           {503, R"({"error":{"code":"unavailable","message":"too busy"}})"},
           {404, "<html>"},
           {404, R"({"error":{"code":"not_found","message":"no such page"}})"},
           {200, "<html>"}}) {
    SCOPED_TRACE(fmt::format("{} {}", number, text));
    status = number;
    body = text;
    expect_no_run(url);
    expect_all(lines, url);
  }
}

// What was never made is no outage: nobody has anything there.
TEST_F(OutOfReach, IsNotAStoreThatIsNotMadeYet) {
  for (const char* const line : {"lock check K", "lock list", "log"}) {
    EXPECT_EQ(tyer(std::string(line) + " --store sqlite:new.db").code, 1) << line;
    EXPECT_EQ(tyer(line).code, 1) << line;
  }
  EXPECT_FALSE(has_file("new.db"));
  EXPECT_EQ(tyer("run K --store sqlite:new.db -- true").code, 0);
}

}  // namespace
}  // namespace tyer::testing
