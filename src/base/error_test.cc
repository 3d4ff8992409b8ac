#include "base/error.h"

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tyer {
namespace {

std::vector<Fault> all_faults() {
  std::vector<Fault> faults;
  for (int i = 0; i < fault_count; ++i) faults.push_back(static_cast<Fault>(i));
  return faults;
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Fault::invalid, "it is odd");
  return number / 2;
}

Result<int> quarter(int number) {
  TYER_TRY(const int once, half(number));
  TYER_TRY(const int twice, half(once));
  return twice;
}

Result<> check_even(int number) {
  TYER_TRY_OK(half(number));
  return {};
}

TEST(Fault, HasANameOfItsOwn) {
  std::set<std::string_view> names;

  for (const Fault fault : all_faults()) {
    EXPECT_FALSE(info(fault).name.empty());
    EXPECT_TRUE(names.insert(info(fault).name).second) << info(fault).name;
  }

  EXPECT_EQ(names.size(), 11U);
}

// P1: 0 done, 1 no, 2 wrong usage, 3 out of reach, 4 not allowed, 5 a limit, 70 a bug of ours.
TEST(Fault, ExitsAsP1Says) {
  struct Row {
    Fault fault;
    std::string_view name;
    int exit_code;
  };
  const std::vector<Row> rows{
      {Fault::invalid, "invalid", 2},     {Fault::denied, "denied", 4},
      {Fault::not_found, "not_found", 1}, {Fault::conflict, "conflict", 4},
      {Fault::fenced, "fenced", 4},       {Fault::limit, "limit", 5},
      {Fault::gone, "gone", 1},           {Fault::unavailable, "unavailable", 3},
      {Fault::timeout, "timeout", 5},     {Fault::cancelled, "cancelled", 130},
      {Fault::broken, "broken", 3},
  };
  ASSERT_EQ(rows.size(), all_faults().size());

  for (const Row& row : rows) {
    EXPECT_EQ(info(row.fault).name, row.name);
    EXPECT_EQ(info(row.fault).exit_code, row.exit_code) << row.name;
  }
}

TEST(Fault, NeverLooksLikeSuccessOrLikeABug) {
  for (const Fault fault : all_faults()) {
    EXPECT_GE(info(fault).exit_code, 1) << info(fault).name;
    const bool is_as_of_a_signal = fault == Fault::cancelled;
    EXPECT_LE(info(fault).exit_code, is_as_of_a_signal ? 130 : 5) << info(fault).name;
    EXPECT_GE(info(fault).http_status, 400) << info(fault).name;
    EXPECT_LE(info(fault).http_status, 599) << info(fault).name;
  }
}

TEST(Fault, IsWorthARetryOnlyWhereTheSameRequestCanSucceedLater) {
  const std::set<std::string_view> hopeful{"limit", "unavailable", "timeout"};

  for (const Fault fault : all_faults()) {
    EXPECT_EQ(info(fault).retry_helps, hopeful.contains(info(fault).name)) << info(fault).name;
  }
}

TEST(Fault, HasAPageInTheDocs) {
  const std::filesystem::path pages = std::filesystem::path(TYER_SOURCE) / "docs" / "errors";
  if (!std::filesystem::exists(pages) || std::filesystem::is_empty(pages))
    GTEST_SKIP() << "docs/errors is not written yet";

  for (const Fault fault : all_faults()) {
    const std::string page = std::string(info(fault).name) + ".md";
    EXPECT_TRUE(std::filesystem::exists(pages / page)) << "docs/errors/" << page;
  }
}

TEST(Error, SaysWhereItHappenedAndKeepsItsFault) {
  const Error error{Fault::fenced, "the lease was lost"};

  EXPECT_EQ(error.in("lock/a"), (Error{Fault::fenced, "lock/a: the lease was lost"}));
}

TEST(Result, IsPassedOnByTry) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(3).error(), (Error{Fault::invalid, "it is odd"}));
  EXPECT_EQ(quarter(6).error(), (Error{Fault::invalid, "it is odd"}));
  EXPECT_TRUE(check_even(2));
  EXPECT_EQ(check_even(1).error().fault, Fault::invalid);
}

TEST(Result, CanBeMovedOutOfByTry) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto use = [&]() -> Result<int> {
    TYER_TRY(const std::unique_ptr<int> box, make());
    return *box;
  };

  EXPECT_EQ(*use(), 7);
}

}  // namespace
}  // namespace tyer
