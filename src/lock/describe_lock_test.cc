// What is said of a held lock: L17.

#include <gtest/gtest.h>

#include "lock/locks.h"

namespace tyer::lock {
namespace {

// L17
TEST(DescribeLock, SaysSomethingUsefulOfAHeldLock) {
  Seen seen;
  seen.lease.key = "lock/TSK-01-01";
  seen.lease.command = "/wf:build";
  seen.lease.holder.pid = 12345;
  seen.lease.holder.place.host = "laptop";
  seen.held = 4min;
  seen.silent = 12s;
  EXPECT_EQ(describe(seen),
            "TSK-01-01: /wf:build is running (pid 12345 on laptop, started 4 min ago, heartbeat 12 "
            "s ago)");

  seen.lease.owner = "alice";
  seen.lease.command = "";
  seen.lease.holder.place.host = "";
  EXPECT_EQ(describe(seen),
            "TSK-01-01: it is held (pid 12345, alice, started 4 min ago, heartbeat 12 s ago)");

  seen.judgement = {core::Verdict::orphaned, "no process 12345"};
  EXPECT_TRUE(describe(seen).ends_with("12 s ago); orphaned: no process 12345"));
}

TEST(DescribeLock, ShowsWhatOthersWroteWithoutItsControlCharacters) {
  Seen seen;
  seen.lease.key = "lock/a";
  seen.lease.command = "x\x1b[2J";
  seen.lease.owner = "o\n";
  seen.lease.holder.place.host = "h\r";

  for (const char c : describe(seen)) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
}

}  // namespace
}  // namespace tyer::lock
