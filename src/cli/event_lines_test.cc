#include "cli/event_lines.h"

#include <gtest/gtest.h>

#include "core/run.h"

namespace tyer::cli {
namespace {

const core::Catalog& catalog() {
  static const core::Catalog kinds({core::run_kind()}, {});
  return kinds;
}

core::Event event(std::string key, std::string type, std::string body) {
  return {.seq = 7,
          .key = std::move(key),
          .rev = 1,
          .type = std::move(type),
          .at = from_micros(1'700'000'000'123'456),
          .actor = "alice",
          .cause = std::nullopt,
          .body = std::move(body)};
}

TEST(EventLine, IsOneJsonObject) {
  core::Event shown = event("run/1", "run.created", R"({"a":[1],"environment":{"K":"secret"}})");
  shown.cause = 3;

  EXPECT_EQ(json_line(shown, catalog()),
            R"({"seq":7,"at":"2023-11-14T22:13:20.123456Z","key":"run/1","rev":1,)"
            R"("type":"run.created","actor":"alice","cause":3,"body":{"a":[1]}})"
            "\n");
}

TEST(EventLine, OfAnUnknownKindShowsNoBodyButThatOfALease) {
  const std::string body = R"({"x":1})";

  EXPECT_TRUE(json_line(event("new/1", "new.made", body), catalog()).contains(R"("body":{}})"));
  EXPECT_TRUE(json_line(event("new/1", "lease.granted", body), catalog()).contains(body));
}

TEST(EventLine, HasNoControlCharacters) {
  EventColumns columns(catalog(), {});

  const std::string text = columns.lines({event("run/1", "run.noted", "{\"x\":\"\xC2\x9B 31m\"}")});

  EXPECT_FALSE(text.contains("\xC2\x9B")) << text;
}

TEST(EventColumns, AreCutAtTheTerminalsWidth) {
  EventColumns columns(catalog(), {.color = false, .width = 70});

  EXPECT_EQ(columns.lines({event("run/1", "run.noted", R"({"text":"long enough to be cut"})")}),
            "7  2023-11-14T22:13:20.123Z  run/1  1  run.noted  alice  {\"text\":\"lon…\n");
}

TEST(EventColumns, StayAlignedFromPageToPage) {
  EventColumns columns(catalog(), {});

  EXPECT_EQ(columns.lines({event("run/long-name", "run.created", "{}")}),
            "7  2023-11-14T22:13:20.123Z  run/long-name  1  run.created  alice\n");
  EXPECT_EQ(columns.lines({event("run/1", "run.noted", "{}")}),
            "7  2023-11-14T22:13:20.123Z  run/1          1  run.noted    alice\n");
}

}  // namespace
}  // namespace tyer::cli
