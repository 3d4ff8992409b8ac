#include "env/os_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace tyer::env {
namespace {

TEST(OsError, SaysWhatWhereAndWhatToDo) {
  EXPECT_EQ(os_error(ENOSPC, "write", "/a/b").what,
            "cannot write /a/b: the disk is full; free some space");
}

TEST(OsError, TellsAMissingFileFromAFullDiskFromASickOne) {
  EXPECT_EQ(os_error(ENOENT, "open", "/a").fault, Fault::not_found);
  EXPECT_EQ(os_error(EEXIST, "make", "/a").fault, Fault::conflict);
  for (const int number : {ENOSPC, EDQUOT, EFBIG}) {
    EXPECT_EQ(os_error(number, "write", "/a").fault, Fault::limit) << number;
    EXPECT_TRUE(os_error(number, "write", "/a").what.contains("the disk is full")) << number;
  }
  for (const int number : {EACCES, EPERM, EROFS, EIO, EMFILE, ENFILE, ENOTDIR, EISDIR, ELOOP}) {
    EXPECT_EQ(os_error(number, "write", "/a").fault, Fault::unavailable) << number;
  }
}

TEST(OsError, HasWordsForANumberNobodyKnows) {
  EXPECT_EQ(os_error(4242, "open", "/a").what, "cannot open /a: unknown error");
}

TEST(OsError, ShowsAPathWithoutItsControlCharacters) {
  EXPECT_TRUE(os_error(EIO, "open", "/a\x1b[2J").what.contains("/a\\x1b[2J"));
}

}  // namespace
}  // namespace tyer::env
