// What every store is tested with: the fixture of the conformance suite, run on
// each backend under the backend's name.

#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "store/txn.h"
#include "support/backends.h"
#include "support/test_env.h"

namespace tyer::testing {

class AnyStore : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::unique_ptr<store::Store> open() {
    auto opened = backend->open(world.env);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return opened ? *std::move(opened) : nullptr;
  }

  TestEnv world;
  std::unique_ptr<Backend> backend = make_backend(GetParam());
  std::unique_ptr<store::Store> store = open();
};

#define ASSERT_OK(expression)           \
  do {                                  \
    const auto& ok = (expression);      \
    ASSERT_TRUE(ok) << ok.error().what; \
  } while (false)

#define TYER_ON_EVERY_STORE(suite)                                                           \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(::tyer::testing::backend_names()), \
                           [](const auto& test) { return test.param; })

inline core::Subject subject(std::string key, std::uint64_t rev = 1, std::string status = "open") {
  return {.key = std::move(key), .status = std::move(status), .rev = rev};
}

inline core::Event event(std::string key, std::string type = "thing.happened") {
  return {.key = std::move(key), .type = std::move(type), .actor = "tester"};
}

inline core::Lease lease(std::string key, std::uint64_t token) {
  core::Lease lease;
  lease.key = std::move(key);
  lease.token = token;
  lease.holder = {{"host", "boot", "ns"}, 42, 7, "run-1"};
  lease.granted_at = lease.heard_at = from_micros(1'700'000'000'123'456);
  lease.granted_mono = lease.heard_mono = 5s;
  lease.silence_max = 180s;
  lease.hold_max = 30min;
  lease.command = "/wf:build";
  lease.owner = "한국어 'quoted' \"text\"";
  return lease;
}

}  // namespace tyer::testing
