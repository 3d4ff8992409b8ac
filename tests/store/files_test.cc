// What is special to the files store: text that people can read, numbers that go on,
// and several processes. What others do to its files is in files_foreign_test.cc.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "store/files_directory.h"

namespace tyer::testing {
namespace {

namespace fs = std::filesystem;
using store::Durability;
using store::Txn;

TEST_F(FilesStore, NumbersGoOnWhateverBecomesOfTheLog) {
  const auto store = open();
  for (int i = 0; i < 5; ++i) grant(*store, "lock/a");
  const Time at = head_of(*store).at;

  fs::remove(fs::path(path) / "log.jsonl");
  EXPECT_EQ(head_of(*store).seq, 5U);
  EXPECT_EQ(head_of(*store).first, 0U);
  EXPECT_EQ(grant(*store, "lock/a"), 6U);
  fs::resize_file(fs::path(path) / "log.jsonl", 0);
  EXPECT_EQ(grant(*open(), "lock/a"), 7U);
  EXPECT_EQ(grant(*store, "lock/a"), 8U);
  fs::resize_file(fs::path(path) / "log.jsonl", fs::file_size(fs::path(path) / "log.jsonl") - 3);
  EXPECT_EQ(grant(*store, "lock/a"), 9U);

  EXPECT_GE(head_of(*store).at, at);
  const std::string log = file("log.jsonl");
  EXPECT_EQ(std::ranges::count(log, '\n'), 2) << log;
  EXPECT_TRUE(log.starts_with(R"({"seq":7,)"));
  const auto damage = store->check();
  ASSERT_EQ(damage->size(), 1U);
  EXPECT_EQ(damage->front(), "log.jsonl: the events 8 to 8 are missing");
}

TEST_F(FilesStore, NumbersGoOnWithoutTheJournal) {
  const auto store = open();
  for (int i = 0; i < 5; ++i) grant(*store, "lock/a");

  fs::remove(fs::path(path) / "journal");

  EXPECT_EQ(grant(*store, "lock/a"), 6U);
  EXPECT_EQ(grant(*open(), "lock/a"), 7U);
  EXPECT_TRUE(store->check()->empty());
}

TEST_F(FilesStore, SaysWhichLineOfTheLogIsDamaged) {
  const auto store = open();
  grant(*store, "lock/a");
  const std::size_t at = file("log.jsonl").size();
  std::ofstream(fs::path(path) / "log.jsonl", std::ios::app) << "what is this\n";

  const std::uint64_t token = grant(*store, "lock/a");
  const Result<> read = store->read([&](const core::View& view) -> Result<> {
    TYER_TRY_OK(view.events({}));
    return {};
  });

  EXPECT_EQ(token, 2U);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().fault, Fault::broken);
  EXPECT_TRUE(read.error().what.contains(fmt::format("byte {}", at))) << read.error().what;
  EXPECT_EQ(store->check()->size(), 1U);
}

TEST_F(FilesStore, IsTextForCat) {
  const auto store = open();
  ASSERT_TRUE(store::write(*store, [](Txn& txn) -> Result<> {
    core::Event event;
    event.key = "task/fix/3";
    event.rev = 1;
    event.type = "task.made";
    event.actor = "me";
    event.body = R"({"title":"고치기"})";
    txn.append(event);
    txn.put(core::Subject{"task/fix/3", "team/fix", "ready", std::nullopt, 1, event.body});
    txn.put(core::Cursor{"pump", 1});
    return {};
  }));

  EXPECT_EQ(file("tasks/fix/3.json"),
            R"({"key":"task/fix/3","parent":"team/fix","status":"ready","due_at":null,"rev":1,)"
            R"("state":{"title":"고치기"}})"
            "\n");
  EXPECT_EQ(file("cursors/pump.json"), "{\"reader\":\"pump\",\"seq\":1}\n");
  const std::string log = file("log.jsonl");
  EXPECT_TRUE(
      log.starts_with(R"({"seq":1,"key":"task/fix/3","rev":1,"type":"task.made","at":"20)"));
  EXPECT_TRUE(log.ends_with(R"("actor":"me","cause":null,"body":{"title":"고치기"}})"
                            "\n"));
}

TEST_F(FilesStore, IsTheUsersAlone) {
  const auto store = open();
  grant(*store, "lock/a");
  grant(*store, "task/fix/3");

  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    struct stat status{};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, entry.is_directory() ? 0700U : 0600U) << entry.path();
  }
}

TEST_F(FilesStore, LeavesNothingLyingAbout) {
  const auto store = open(Durability::full);
  for (int i = 0; i < 3; ++i) grant(*store, "lock/a");

  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    names.push_back(fs::relative(entry.path(), path).string());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"format", "journal", "locks", "locks/a.lock.json",
                                             "log.jsonl", "queue"}));
}

TEST_F(FilesStore, RefusesAStoreOfANewerTyer) {
  put_file("format", "tyer files 2\n");
  const auto newer = store::open_files(path, world.env, {});
  put_file("format", "something else\n");
  const auto other = store::open_files(path, world.env, {});

  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().fault, Fault::conflict);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().fault, Fault::broken);
}

TEST_F(FilesStore, IsNotMadeIfNotWanted) {
  const auto store = store::open_files(path, world.env, {.create = false});

  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().fault, Fault::not_found);
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(FilesStore, ANameInTheWayStopsATransactionBeforeItIsCommitted) {
  const auto store = open();
  put_file("tasks/fix", "a file where a directory belongs");

  const Result<> written = store::write(*store, [](Txn& txn) -> Result<> {
    txn.put(core::Subject{"task/fix/3", "", "ready", std::nullopt, 1, "{}"});
    return {};
  });

  ASSERT_FALSE(written);
  EXPECT_TRUE(written.error().what.contains("tasks/fix")) << written.error().what;
  EXPECT_EQ(grant(*store, "lock/a"), 1U);
}

TEST_F(FilesStore, FindsItsPlaceInALongLog) {
  const auto store = open();
  for (int batch = 0; batch < 20; ++batch) {
    ASSERT_TRUE(store::write(*store, [&](Txn& txn) -> Result<> {
      for (int i = 0; i < 100; ++i) {
        core::Event event;
        event.key = i % 7 == 0 ? "task/rare" : "task/often";
        event.type = "task.noted";
        event.body = fmt::format(R"({{"text":"{}"}})",
                                 std::string(static_cast<std::size_t>(i * 13 % 900), 'x'));
        txn.append(event);
      }
      return {};
    }));
  }

  for (const std::uint64_t after :
       {0U, 1U, 2U, 99U, 100U, 777U, 1000U, 1998U, 1999U, 2000U, 5000U}) {
    std::vector<core::Event> events;
    ASSERT_TRUE(store->read([&](const core::View& view) -> Result<> {
      core::EventQuery query;
      query.after = after;
      query.limit = 3;
      TYER_TRY(events, view.events(query));
      return {};
    }));
    ASSERT_EQ(events.size(), std::min<std::uint64_t>(3, after < 2000 ? 2000 - after : 0)) << after;
    for (std::size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i].seq, after + 1 + i);
  }
}

TEST_F(FilesStore, CountsRightInSeveralProcesses) {
  constexpr int processes = 4;
  constexpr int each = 40;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      TestEnv own;
      auto store = store::open_files(path, own.env, {.durability = Durability::normal});
      bool ok = store.has_value();
      for (int j = 0; ok && j < each; ++j) {
        ok = store::write(**store, [](Txn& txn) -> Result<> {
               TYER_TRY(const auto before, txn.subject("pair/a"));
               core::Event event;
               event.key = "pair/a";
               event.type = "pair.counted";
               const std::uint64_t seq = txn.append(event);
               if (before && before->rev + 1 != seq) return fail(Fault::broken, "lost one");
               txn.put(core::Subject{"pair/a", "", "counted", std::nullopt, seq, "{}"});
               txn.put(core::Subject{"pair/b", "", "counted", std::nullopt, seq, "{}"});
               return {};
             }).has_value();
        ok = ok && (*store)
                       ->read([](const core::View& view) -> Result<> {
                         TYER_TRY(const auto a, view.subject("pair/a"));
                         TYER_TRY(const auto b, view.subject("pair/b"));
                         TYER_TRY(const auto head, view.head());
                         const bool same = a && b && a->rev == b->rev && a->rev == head.seq;
                         return same ? Result<>() : fail(Fault::broken, "not one picture");
                       })
                       .has_value();
      }
      _exit(ok ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }

  const auto store = open();
  EXPECT_EQ(head_of(*store).seq, static_cast<std::uint64_t>(processes * each));
  EXPECT_TRUE(store->check()->empty());
}

}  // namespace
}  // namespace tyer::testing
