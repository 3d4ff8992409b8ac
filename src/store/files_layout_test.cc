#include "store/files_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tyer::store::files {
namespace {

TEST(FilesLayout, PutsEachKeyWhereOtherToolsLookForIt) {
  EXPECT_EQ(*path_of({Holds::lease, "lock/TSK-01-01"}), "locks/TSK-01-01.lock.json");
  EXPECT_EQ(*path_of({Holds::lease, "lock/a/b c"}), "locks/a%2Fb%20c.lock.json");
  EXPECT_EQ(*path_of({Holds::subject, "task/fix/3"}), "tasks/fix/3.json");
  EXPECT_EQ(*path_of({Holds::lease, "task/fix/3"}), "tasks/fix/3.lock.json");
  EXPECT_EQ(*path_of({Holds::subject, "session/bot/리팩토링"}), "sessions/bot/리팩토링.json");
  EXPECT_EQ(*path_of({Holds::cursor, "rule:a/b"}), "cursors/rule%3Aa%2Fb.json");
}

TEST(FilesLayout, LeadsBackToTheSameKey) {
  const std::string awkward = "a/" + std::string(100, '%') + "/b/" + std::string(100, ' ');
  const std::vector<Place> places{
      {Holds::subject, "task/fix/3"},
      {Holds::lease, "task/fix/3"},
      {Holds::lease, "lock/a/b"},
      {Holds::subject, "lock/a/b"},
      {Holds::subject, "cursor/a"},
      {Holds::subject, "task/a.lock"},
      {Holds::lease, "task/a.json"},
      {Holds::subject, "task/.hidden/..x"},
      {Holds::lease, "lock/" + awkward},
      {Holds::subject, "task/" + awkward},
      {Holds::subject, "task/" + std::string(235, '?')},
      {Holds::lease, "lock/%" + std::string(199, 'x') + "%%"},
      {Holds::lease, "lock/x" + std::string(210, '?')},
      {Holds::cursor, "cursor"},
      {Holds::cursor, ".."},
      {Holds::cursor, std::string("\x01\n", 2)},
  };
  for (const Place& place : places) {
    const auto path = path_of(place);
    ASSERT_TRUE(path) << place.key;
    const auto back = read_path(*path);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, place) << *path;
  }
}

TEST(FilesLayout, NeverMakesANameThatCannotExist) {
  for (std::size_t shift = 0; shift < 7; ++shift) {
    std::string key = "lock/" + std::string(shift, 'a');
    while (key.size() + 3 <= 240) key += key.size() % 2 == 0 ? "가" : "???";
    const std::string path = *path_of({Holds::lease, key});
    std::size_t start = 0;
    while (start <= path.size()) {
      const std::size_t end = std::min(path.find('/', start), path.size());
      EXPECT_LE(end - start, 255U) << path;
      start = end + 1;
    }
    EXPECT_EQ(read_path(path)->key, key);
  }
}

TEST(FilesLayout, ReportsWhatItWouldNotHaveCalledSo) {
  for (const char* path : {
           "locks/a.lock",
           "locks/a.txt",
           "locks/sub/a.lock.json",
           "locks/a%2fb.lock.json",
           "locks/%41.lock.json",
           "locks/a%.lock.json",
           "locks/.json",
           "locks/.lock.json",
           "tasks/a%2Fb.json",
           "tasks/..json",
           "tasks/../locks/a.lock.json",
           "Tasks/a.json",
           "task/a.json",
           "cursors/a.lock.json",
           "log.jsonl",
           "journal",
           "tasks/\xff.json",
           "tasks/a%2Elock%2Ejson",
           "locks/short%/name.lock.json",
       }) {
    const auto place = read_path(path);
    EXPECT_FALSE(place) << path << " is " << place->key;
  }
}

TEST(FilesLayout, RefusesKeysThatWouldClimb) {
  for (const char* key : {"task/../x", "../x", "/etc/passwd", "task/", "", "task/a/./b"}) {
    EXPECT_FALSE(path_of({Holds::subject, key})) << key;
    EXPECT_FALSE(path_of({Holds::lease, key})) << key;
  }
  EXPECT_FALSE(path_of({Holds::cursor, ""}));
}

TEST(FilesLayout, KeepsTheKindCursorApartFromReaders) {
  EXPECT_EQ(directory_of_kind("cursor"), "cursor");
  EXPECT_EQ(kind_of_directory("cursor"), "cursor");
  EXPECT_EQ(kind_of_directory("cursors"), std::nullopt);
  EXPECT_EQ(kind_of_directory("locks"), "lock");
  EXPECT_EQ(kind_of_directory("s"), std::nullopt);
}

TEST(FilesLayout, KnowsTheNamesOfUnfinishedReplacements) {
  EXPECT_TRUE(is_temporary(".0123456789abcdef0123.tmp"));
  EXPECT_FALSE(is_temporary(".0123456789abcdef012.tmp"));
  EXPECT_FALSE(is_temporary("x0123456789abcdef0123.tmp"));
  EXPECT_FALSE(is_temporary(".0123456789abcdef012Z.tmp"));
}

}  // namespace
}  // namespace tyer::store::files
