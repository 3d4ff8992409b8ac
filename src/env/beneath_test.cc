// What can be reached beneath a directory whose content strangers have made.

#include "env/beneath.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include "env/linux_files.h"
#include "support/temp_dir.h"

namespace tyer::env {
namespace {

namespace fs = std::filesystem;

struct Beneath : ::testing::Test {
  Beneath() {
    fs::create_directories(root + "/inner");
    fs::create_directory(dir / "outside");
    std::ofstream(dir / "outside/file") << "outside";
  }

  template <class T>
  [[nodiscard]] static Result<> plain(const Result<T>& result) {
    return result ? Result<>() : Result<>(std::unexpected(result.error()));
  }
  [[nodiscard]] std::vector<Result<>> opened(const std::string& path) {
    return {plain(files->open(path, Open::read)), plain(files->open(path, Open::write)),
            plain(files->read(path, 100))};
  }
  // Every way to use a name.
  [[nodiscard]] std::vector<Result<>> uses(const std::string& path) {
    std::vector<Result<>> all = opened(path);
    all.push_back(plain(files->open(path, Open::create_new)));
    all.push_back(files->replace(path, "new"));
    all.push_back(files->remove(path));
    all.push_back(files->make_directory(path));
    all.push_back(plain(files->list(path)));
    return all;
  }

  [[nodiscard]] bool is_outside_untouched() const {
    const fs::directory_iterator all(dir / "outside");
    std::ostringstream text;
    text << std::ifstream(dir / "outside/file").rdbuf();
    return std::distance(begin(all), end(all)) == 1 && text.str() == "outside";
  }

  testing::TempDir dir;
  const std::string root = dir / "root";
  LinuxFiles everything;
  const std::unique_ptr<Files> files = everything.beneath(root);
};

TEST_F(Beneath, FilesAreUsedAsElsewhere) {
  ASSERT_TRUE(files->make_directory(root + "/a/b/c"));
  ASSERT_TRUE(files->replace(root + "/a/b/c/file", "one"));
  ASSERT_TRUE((*files->open(root + "/a/b/c/file", Open::write))->write(3, " two"));

  EXPECT_EQ(files->read(root + "/a/b/c/file", 100), "one two");
  EXPECT_EQ(files->list(root)->size(), 2U);
  EXPECT_EQ(files->list(root + "/missing/too")->size(), 0U);
  EXPECT_EQ(files->read(root + "/missing/too", 100).error().fault, Fault::not_found);
  EXPECT_TRUE(files->remove(root + "/missing/too"));
  EXPECT_TRUE(files->remove(root + "/a/b/c/file"));
  EXPECT_TRUE(files->sync_all(root));
  EXPECT_EQ(files->list(root + "/a/b/c")->size(), 0U);
}

TEST_F(Beneath, ARootMayBeReachedThroughALink) {
  fs::create_directory_symlink("root", dir / "link");
  const auto linked = everything.beneath(dir / "link");

  ASSERT_TRUE(linked->replace(dir / "link/file", "x"));

  EXPECT_TRUE(fs::exists(root + "/file"));
}

TEST_F(Beneath, ANameThatLeadsOutOfItIsBroken) {
  for (const std::string& path :
       {root + "/../outside/file", root + "/inner/../../outside/file", root + "/./inner/file",
        root + "//file", root + "/", root + "/inner/", root + "x/file", dir / "outside/file",
        std::string("/etc/passwd"), std::string("file"), std::string(), std::string("..")}) {
    for (const Result<>& used : uses(path)) {
      ASSERT_FALSE(used) << path;
      EXPECT_EQ(used.error().fault, Fault::broken) << path << ": " << used.error().what;
    }
  }
  EXPECT_TRUE(is_outside_untouched());
}

TEST_F(Beneath, ALinkIsFollowedNowhereOnTheWay) {
  fs::create_directory_symlink("../outside", root + "/link");
  fs::create_directory_symlink("inner", root + "/near");

  for (const std::string name : {"/link/file", "/link/new", "/near/file", "/link/a/b"}) {
    for (const Result<>& used : uses(root + name)) {
      ASSERT_FALSE(used) << name;
      EXPECT_EQ(used.error().fault, Fault::broken) << used.error().what;
      EXPECT_TRUE(used.error().what.contains("is a symbolic link, where only a directory may be"))
          << used.error().what;
    }
  }
  EXPECT_TRUE(is_outside_untouched());
}

TEST_F(Beneath, OnlyPlainFilesAreOpenedAndNobodyWaits) {
  const std::vector<std::pair<std::string, std::function<void(const std::string&)>>> things{
      {"a named pipe", [](const std::string& path) { ::mkfifo(path.c_str(), 0600); }},
      {"a symbolic link", [](const std::string& path) { fs::create_symlink("thing", path); }},
      {"a symbolic link",
       [](const std::string& path) { fs::create_symlink("../outside/file", path); }},
      {"a symbolic link",
       [](const std::string& path) { fs::create_symlink("../outside/new", path); }},
      {"a directory", [](const std::string& path) { fs::create_directory(path); }},
      {"a socket", [](const std::string& path) {
         const Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
         sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
         path.copy(address.sun_path, sizeof address.sun_path - 1);
         ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
       }}};
  const std::string path = root + "/thing";
  for (const auto& [kind, make] : things) {
    fs::remove_all(path);
    make(path);
    for (const Result<>& used : opened(path)) {
      ASSERT_FALSE(used) << kind;
      EXPECT_EQ(used.error().fault, Fault::broken) << kind;
      EXPECT_TRUE(used.error().what.contains("/thing is " + kind)) << used.error().what;
    }
  }
  EXPECT_TRUE(is_outside_untouched());
}

TEST_F(Beneath, ALinkIsReplacedAndRemovedItself) {
  fs::create_symlink("../outside/file", root + "/replaced");
  fs::create_symlink("../outside/file", root + "/removed");

  ASSERT_TRUE(files->replace(root + "/replaced", "ours"));
  ASSERT_TRUE(files->remove(root + "/removed"));

  EXPECT_EQ(files->read(root + "/replaced", 100), "ours");
  EXPECT_TRUE(is_outside_untouched());
}

TEST_F(Beneath, ALinkIsListedAsNoDirectory) {
  fs::create_directory_symlink("../outside", root + "/link");

  const std::vector<Entry> entries = files->list(root).value();

  EXPECT_EQ(std::ranges::count(entries, Entry{"link", false}), 1);
  EXPECT_EQ(std::ranges::count(entries, Entry{"inner", true}), 1);
  EXPECT_EQ(files->list(root + "/link").error().fault, Fault::broken);
}

}  // namespace
}  // namespace tyer::env
