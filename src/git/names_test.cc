#include "git/names.h"

#include <gtest/gtest.h>

namespace tyer::git {
namespace {

TEST(GitNames, OfWorktreesHaveOneOrTwoParts) {
  for (const char* const good : {"w", "team/worker-1", "리팩토링", "a.b/c_d", "1"}) {
    EXPECT_TRUE(check_tree_name(good)) << good;
  }
  for (const char* const bad :
       {"", "a/b/c", "/a", "a/", "..", "a..b", "-a", "a/-b", ".a", "a.lock", "a b", "a\tb", "\xff",
        "@", "a@{1}", "a:b", "a\\b", "a\u200bb", "a\u202eb"}) {
    const auto checked = check_tree_name(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().fault, Fault::invalid);
  }
  EXPECT_FALSE(check_tree_name(std::string(101, 'a')));
}

TEST(GitNames, OfRevisionsCannotBeOptions) {
  for (const char* const good : {"main", "HEAD~2", "v1.0^{}", "@{-1}", "HEAD^{/fix bug}"}) {
    EXPECT_TRUE(check_revision(good)) << good;
  }
  for (const char* const bad : {"", "-f", "--all", "^main", "a\nb"}) {
    EXPECT_FALSE(check_revision(bad)) << bad;
  }
}

TEST(GitNames, OfBranchesFollowGitsRules) {
  EXPECT_TRUE(check_branch("feature/a/b"));
  for (const char* const bad : {"a..b", "a//b", "a/.b", "a~1", "-d", "a.", "a/b.lock"}) {
    EXPECT_FALSE(check_branch(bad)) << bad;
  }
}

TEST(GitNames, AreShortForPeople) {
  EXPECT_EQ(short_ref("refs/heads/tyer/w"), "tyer/w");
  EXPECT_EQ(short_ref("refs/tyer/base/w"), "tyer/base/w");
  EXPECT_EQ(short_ref("0123456789abcdef0123456789abcdef01234567"), "0123456789ab");
}

}  // namespace
}  // namespace tyer::git
