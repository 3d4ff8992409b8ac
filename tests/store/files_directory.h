// What the tests of the files store share: a store in a directory of its own, and a
// way to its files past the store.

#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "store/files_store.h"
#include "store/txn.h"
#include "support/temp_dir.h"
#include "support/test_env.h"

namespace tyer::testing {

class FilesStore : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<store::Store> open(
      store::Durability durability = store::Durability::normal) {
    auto opened = store::open_files(path, world.env, {.durability = durability});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return opened ? *std::move(opened) : nullptr;
  }

  void put_file(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = std::filesystem::path(path) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    std::ifstream in(std::filesystem::path(path) / name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  [[nodiscard]] static core::Lease lease_of(const std::string& key, std::uint64_t token) {
    core::Lease lease;
    lease.key = key;
    lease.token = token;
    lease.holder.pid = 42;
    lease.command = "/wf:build";
    return lease;
  }

  // A lease with the event that grants it.
  static std::uint64_t grant(store::Store& store, const std::string& key) {
    std::uint64_t token = 0;
    const Result<> written = store::write(store, [&](store::Txn& txn) -> Result<> {
      core::Event event;
      event.key = key;
      event.type = "lease.granted";
      token = txn.append(event);
      txn.put(lease_of(key, token));
      return {};
    });
    EXPECT_TRUE(written) << (written ? "" : written.error().what);
    return token;
  }

  static Result<std::optional<core::Lease>> lease_in(store::Store& store, const std::string& key) {
    std::optional<core::Lease> lease;
    TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
      TYER_TRY(lease, view.lease(key));
      return {};
    }));
    return lease;
  }

  static core::Head head_of(store::Store& store) {
    core::Head head;
    EXPECT_TRUE(store.read([&](const core::View& view) -> Result<> {
      TYER_TRY(head, view.head());
      return {};
    }));
    return head;
  }

  TempDir dir;
  TestEnv world;
  const std::string path = dir / "store";
};

}  // namespace tyer::testing
