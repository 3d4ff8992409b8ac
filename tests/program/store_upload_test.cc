// Files that were sent belong to the store: they are backed up, copied, shared and checked with it.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/http_peer.h"
#include "support/hub.h"
#include "support/postgres_server.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;

// A hub on a store, called in a directory.
class UploadHub {
 public:
  UploadHub(const ProgramCall& call, const std::string& store)
      : program_([&] {
          ProgramCall serve = call;
          serve.words = {"serve", "--open-loopback", "--listen", "127.0.0.1:0", "--json"};
          if (!store.empty()) serve.words.insert(serve.words.end(), {"--store", store});
          return serve;
        }()) {
    if (!program_.wait_for("}\n")) ADD_FAILURE() << program_.finish().err;
    url_ = text_or(parse_json_object(program_.out()).value_or(Json::object()), "url");
  }

  // Its path.
  std::string send(const std::string& name, const std::string& content) {
    const Reply made = Visitor(url_).ask("POST", "/api/uploads?name=" + name, content);
    EXPECT_EQ(made.status, 201) << made.body;
    return made.text("url");
  }
  [[nodiscard]] Reply get(const std::string& path) { return Visitor(url_).get(path); }
  [[nodiscard]] int port() const { return std::atoi(url_.c_str() + url_.rfind(':') + 1); }

  void end(int signal = SIGTERM) {
    program_.signal(signal);
    EXPECT_EQ(program_.finish().code, signal == SIGTERM ? 0 : 128 + signal);
  }

 private:
  Program program_;
  std::string url_;
};

class StoreUpload : public ProgramTest {
 protected:
  StoreUpload() {
    large.resize(3 << 20);
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * i % 251);
  }

  [[nodiscard]] UploadHub hub(const std::string& store = "") { return {call({}), store}; }

  // The one file in .tyer/uploads.
  [[nodiscard]] std::string kept_file() const {
    const fs::directory_iterator files(dir / ".tyer/uploads");
    return files == fs::directory_iterator() ? "" : files->path().string();
  }

  // A store with one upload; its path at a hub.
  std::string make_upload(const std::string& content) {
    UploadHub first = hub();
    std::string path = first.send("a.bin", content);
    first.end();
    return path;
  }

  [[nodiscard]] Json checked(const std::string& options = "") {
    return parse_json(tyer("store check --json " + options).out).value_or(Json());
  }

  std::string large;
};

TEST_F(StoreUpload, IsTheSameAfterABackupAndARestore) {
  UploadHub before = hub();
  const std::string path = before.send("large.bin", large);
  const std::string empty = before.send("empty.txt", "");
  const ProgramResult backup = tyer("store backup saved.db");
  before.end();
  ASSERT_EQ(backup.code, 0) << backup.err;
  EXPECT_TRUE(backup.out.contains(", with 2 uploads of 3145728 bytes")) << backup.out;
  EXPECT_EQ(tyer("store check --store sqlite:saved.db").code, 0);
  fs::create_directory(dir / "elsewhere");
  fs::rename(dir / "saved.db", dir / "elsewhere/saved.db");
  fs::remove_all(dir / ".tyer");

  const ProgramResult restore = tyer("store restore elsewhere/saved.db --json");

  ASSERT_EQ(restore.code, 0) << restore.err;
  EXPECT_EQ(parse_json(restore.out).value_or(Json())["uploads"], 2);
  EXPECT_EQ(restore.err, fmt::format("{{\"note\":\"made the workspace {}/.tyer\"}}\n", dir.path()));
  EXPECT_EQ(checked()["ok"], true);
  UploadHub after = hub();
  EXPECT_TRUE(after.get(path).body == large);
  EXPECT_EQ(after.get(empty).status, 200);
}

TEST_F(StoreUpload, GoesAlongFromStoreToStore) {
  const std::string path = make_upload(large);
  const std::string database = shared_postgres().fresh_url().value();
  for (const char* place : {"plain", "back"}) fs::create_directory(dir / place);
  const std::vector<std::string> stores{"sqlite:.tyer/tyer.db", "files:plain/store", database,
                                        "sqlite:back/tyer.db"};

  for (std::size_t i = 1; i < stores.size(); ++i) {
    const ProgramResult copy = tyer({"store", "copy", stores[i - 1], stores[i]});
    ASSERT_EQ(copy.code, 0) << copy.err;
    EXPECT_TRUE(copy.out.contains(", with 1 upload of 3145728 bytes")) << copy.out;
    if (i == 1) fs::remove_all(dir / ".tyer");
    if (i == 2) fs::remove_all(dir / "plain");
    const ProgramResult check = tyer({"store", "check", "--store", stores[i]});
    EXPECT_EQ(check.code, 0) << check.out;
    EXPECT_TRUE(check.out.contains("1 upload of 3145728 bytes")) << check.out;
  }

  EXPECT_TRUE(hub("sqlite:back/tyer.db").get(path).body == large);
}

TEST_F(StoreUpload, IsSharedByTheHubsOfADatabase) {
  const std::string database = shared_postgres().fresh_url().value();
  UploadHub one = hub(database);
  ProgramCall elsewhere = call({});
  elsewhere.directory = home.path();
  UploadHub other(elsewhere, database);

  const std::string path = one.send("large.bin", large);

  EXPECT_TRUE(other.get(path).body == large);
}

TEST_F(StoreUpload, OfAnOlderHubIsTakenIntoTheDatabase) {
  const std::string database = shared_postgres().fresh_url().value();
  UploadHub first = hub(database);
  const std::string path = first.send("large.bin", large);
  first.end();
  const std::string id = path.substr(sizeof("/api/uploads/") - 1, path.rfind('/') - 13);
  ASSERT_TRUE(shared_postgres().sql(database, "DELETE FROM tyer_upload"));
  ASSERT_EQ(checked("--store " + database)["problems_total"], 1);
  write_file(".tyer/uploads/" + id, large);
  write_file(".tyer/uploads/up_of_another_store", "x");

  UploadHub second = hub(database);

  EXPECT_TRUE(second.get(path).body == large);
  EXPECT_EQ(checked("--store " + database)["ok"], true);
  EXPECT_FALSE(has_file(".tyer/uploads/" + id));
  EXPECT_TRUE(has_file(".tyer/uploads/up_of_another_store"));
}

// In a repository, wherever in it the older hub was started: it took the nearest `.tyer`, whatever
// was in it.
TEST_F(StoreUpload, OfAnOlderHubInARepositoryIsTakenIntoTheDatabase) {
  ProgramCall git = call({"-c",
                          "git init -q repo && git -C repo -c user.name=me -c "
                          "user.email=me@example.com commit -q --allow-empty -m first && "
                          "git -C repo worktree add -q ../linked"});
  git.program = "/bin/sh";
  ASSERT_EQ(run_program(git).code, 0);
  for (const char* const place : {"repo/deploy/deeper", "linked/deploy/deeper"}) {
    const std::string database = shared_postgres().fresh_url().value();
    UploadHub first = hub(database);
    const std::string path = first.send("large.bin", large);
    first.end();
    const std::string id = path.substr(sizeof("/api/uploads/") - 1, path.rfind('/') - 13);
    ASSERT_TRUE(shared_postgres().sql(database, "DELETE FROM tyer_upload"));
    const std::string folder = std::string(place).substr(0, std::string(place).rfind('/'));
    write_file(folder + "/.tyer/uploads/" + id, large);
    fs::create_directories(dir / place);

    ProgramCall there = call({});
    there.directory = dir / place;
    UploadHub second(there, database);

    EXPECT_TRUE(second.get(path).body == large) << place;
    EXPECT_FALSE(has_file(folder + "/.tyer/uploads/" + id)) << place;
  }
}

TEST_F(StoreUpload, ThatIsGoneOrAnotherIsAProblem) {
  make_upload("what was sent");
  const std::string file = kept_file();
  const auto check_finds = [this](const std::string& what) {
    const ProgramResult check = tyer("store check");
    EXPECT_EQ(check.code, 1);
    EXPECT_TRUE(check.out.contains(what)) << check.out;
    EXPECT_EQ(checked()["ok"], false);
  };

  std::ofstream(file) << "what was Sent";
  check_finds("its file is not what was sent");
  std::ofstream(file) << "what was";
  check_finds("its file has 8 bytes, and 13 were sent");
  fs::remove(file);
  check_finds("its file is missing");

  const ProgramResult backup = tyer("store backup saved.db");
  EXPECT_EQ(backup.code, 0) << "of all the rest";
  EXPECT_TRUE(backup.err.contains("1 upload of sqlite:")) << backup.err;
}

TEST_F(StoreUpload, ThatIsDamagedIsMendedByARestore) {
  make_upload("what was sent");
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  const std::string file = kept_file();

  for (const char* const damaged : {"what was Sent", "what", ""}) {
    std::ofstream(file) << damaged;
    fs::remove(dir / ".tyer/tyer.db");
    for (const char* beside : {"-wal", "-shm"}) fs::remove(dir / ".tyer/tyer.db" + beside);

    const ProgramResult restore = tyer("store restore saved.db");

    EXPECT_EQ(restore.code, 0) << restore.err;
    EXPECT_FALSE(restore.err.contains("upload")) << restore.err;
    EXPECT_EQ(checked()["ok"], true) << damaged;
  }
}

TEST_F(StoreUpload, ThatIsDamagedIsNotBackedUpInSilence) {
  make_upload("what was sent");
  std::ofstream(kept_file()) << "what was Sent";

  const ProgramResult backup = tyer("store backup saved.db --json");

  EXPECT_EQ(backup.code, 0) << "of all the rest";
  EXPECT_EQ(parse_json(backup.out).value_or(Json())["uploads_damaged"], 1);
  EXPECT_EQ(backup.err,
            "tyer: 1 upload of " + store_url() +
                " copied as it is now, which is not what was sent (tyer store check)\n");
  fs::create_directory(dir / "plain");
  EXPECT_EQ(tyer("store copy sqlite:saved.db files:plain/store").code, 0);
  EXPECT_TRUE(tyer("store check --store files:plain/store").out.contains("is not what was sent"));
}

TEST_F(StoreUpload, ThatWasCutShortByAKillIsNoProblem) {
  UploadHub first = hub();
  const std::string path = first.send("a.txt", "whole");
  HttpPeer sender(first.port());
  sender.send(
      "POST /api/uploads?name=b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n" +
      std::string(5'000'000, 'x'));
  first.end(SIGKILL);
  // And of one that was killed a moment later, or two.
  write_file(".tyer/uploads/up_1.partial", "hal");
  write_file(".tyer/uploads/up_2", "whole, but nobody knows");

  const ProgramResult check = tyer("store check");

  EXPECT_EQ(check.code, 0) << check.out;
  EXPECT_TRUE(check.out.contains("1 file of 23 bytes beside them that the log does not know"))
      << check.out;
  EXPECT_TRUE(check.out.contains("Nothing is wrong.")) << check.out;
  EXPECT_EQ(hub().get(path).body, "whole");
  EXPECT_FALSE(has_file(".tyer/uploads/up_1.partial"));
}

TEST_F(StoreUpload, IsMissedInABackupOfAnOlderProgramWhichIsRestoredAllTheSame) {
  make_upload("what was sent");
  ASSERT_EQ(tyer("store backup saved.db").code, 0);
  ASSERT_EQ(run_program({.words = {dir / "saved.db", "DROP TABLE upload; PRAGMA user_version = 3"},
                         .program = "sqlite3"})
                .code,
            0);
  fs::remove_all(dir / ".tyer");

  const ProgramResult restore = tyer("store restore saved.db");

  EXPECT_EQ(restore.code, 0) << restore.err;
  EXPECT_TRUE(restore.err.contains("1 upload of sqlite:")) << restore.err;
  EXPECT_EQ(checked()["problems_total"], 1);
}

}  // namespace
}  // namespace tyer::testing
