#include "http/pool.h"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace tyer::http {
namespace {

TEST(Pool, DoesEverythingThatItTook) {
  std::atomic<int> done = 0;
  int taken = 0;
  {
    Pool pool(4, 1000);
    for (int i = 0; i < 500; ++i) {
      std::move_only_function<void()> task = [&] { ++done; };
      taken += pool.submit(task) ? 1 : 0;
    }
  }
  EXPECT_EQ(taken, 500);
  EXPECT_EQ(done, taken);
}

TEST(Pool, RefusesMoreThanMayWait) {
  std::promise<void> go;
  std::promise<void> busy;
  const std::shared_future<void> gone = go.get_future().share();
  Pool pool(1, 1);
  std::move_only_function<void()> first = [&, gone] {
    busy.set_value();
    gone.wait();
  };
  ASSERT_TRUE(pool.submit(first));
  busy.get_future().wait();
  std::move_only_function<void()> second = [] {};
  std::move_only_function<void()> third = [] {};
  EXPECT_TRUE(pool.submit(second));
  EXPECT_FALSE(pool.submit(third));
  EXPECT_TRUE(third) << "untouched";
  go.set_value();
}

}  // namespace
}  // namespace tyer::http
