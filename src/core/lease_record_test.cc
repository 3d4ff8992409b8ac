// The stored form of a lease: L1, and what other tools write into it.

#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/lease.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

constexpr std::string_view seven_fields = R"({
  "taskId": "TSK-01-01",
  "command": "/wf:build",
  "pid": 12345,
  "sessionId": "550e8400-e29b-41d4-a716-446655440000",
  "startedAt": "2025-12-15T10:30:00.000Z",
  "heartbeatAt": "2025-12-15T10:35:00.000Z",
  "timeout": 1800000
})";

std::string draw_text(std::mt19937_64& dice) {
  static const std::vector<std::string> texts{"",           "a",          "laptop",
                                              "리팩토링 ✓", "\"\\\n\x01", std::string("\0", 1)};
  return texts[dice() % texts.size()];
}

Lease draw_lease(std::mt19937_64& dice) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(bound));
  };
  const auto mono = [&]() -> std::optional<Span> {
    if (dice() % 3 == 0) return std::nullopt;
    return Span(below(std::numeric_limits<std::int64_t>::max()));
  };
  Lease lease;
  lease.key = "lock/" + std::to_string(dice() % 100);
  lease.token = dice() >> 1U;
  lease.holder.place = {draw_text(dice), draw_text(dice), draw_text(dice)};
  lease.holder.pid = below(1 << 22);
  lease.holder.pid_start = below(std::numeric_limits<std::int64_t>::max());
  lease.holder.run = draw_text(dice);
  lease.granted_at = from_micros(below(253'402'300'800'000'000));  // To the year 9999.
  lease.heard_at = from_micros(below(253'402'300'800'000'000));
  lease.granted_mono = mono();
  lease.heard_mono = mono();
  lease.silence_max = std::chrono::milliseconds(below(limits::hold_most / 1ms));
  lease.hold_max = std::chrono::milliseconds(below(limits::hold_most / 1ms));
  lease.command = draw_text(dice);
  lease.owner = draw_text(dice);
  if (dice() % 2 == 0) lease.asker = {"agent/" + draw_text(dice), draw_text(dice)};
  return lease;
}

Lease sample() {
  Lease lease;
  lease.key = "lock/TSK-01-01";
  lease.token = 7;
  lease.holder = {{"laptop", "boot-1", "ns-1"}, 12345, 900, "run-1"};
  lease.granted_at = from_micros(1'765'794'600'000'123);
  lease.heard_at = from_micros(1'765'794'660'000'456);
  lease.granted_mono = 1h;
  lease.heard_mono = 1h + 60s;
  lease.silence_max = limits::silence_max;
  lease.hold_max = limits::hold_max;
  lease.command = "/wf:build";
  lease.owner = "박";
  return lease;
}

// `lease` as stored, with one member replaced or, by null, removed.
std::string edited(const Lease& lease, const char* member, const Json& value) {
  Json json = *parse_json_object(encode(lease));
  merge_patch(json, Json{{member, value}});
  return dump_json(json);
}

TEST(LeaseRecord, ReadsBackWhatItWrote) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 dice(seed);
    const Lease lease = draw_lease(dice);
    const auto back = decode_lease(lease.key, encode(lease));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + encode(lease));
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, lease);
    EXPECT_EQ(encode(*back), encode(lease));
  }
}

// L1: the fields that other tools know carry their names and forms.
TEST(LeaseRecord, CarriesTheFieldsThatOtherToolsKnow) {
  const Json json = *parse_json_object(encode(sample()));

  EXPECT_EQ(json["taskId"], "TSK-01-01");
  EXPECT_EQ(json["command"], "/wf:build");
  EXPECT_EQ(json["pid"], 12345);
  EXPECT_EQ(json["sessionId"], "run-1");
  EXPECT_EQ(json["startedAt"], "2025-12-15T10:30:00.000Z");
  EXPECT_EQ(json["heartbeatAt"], "2025-12-15T10:31:00.000Z");
  EXPECT_EQ(json["timeout"], 1'800'000);
  EXPECT_EQ(json["host"], "laptop");
  EXPECT_EQ(json["bootId"], "boot-1");
  EXPECT_EQ(json["pidNamespace"], "ns-1");
  EXPECT_EQ(json["pidStart"], 900);
  EXPECT_EQ(json["heartbeatMonotonic"], 3'660'000'000);
  EXPECT_EQ(json["token"], 7);
  EXPECT_EQ(json["owner"], "박");
}

TEST(LeaseRecord, OfSevenFieldsIsValid) {
  const auto lease = decode_lease("lock/TSK-01-01", seven_fields);

  ASSERT_TRUE(lease) << lease.error().what;
  EXPECT_EQ(lease->key, "lock/TSK-01-01");
  EXPECT_EQ(lease->command, "/wf:build");
  EXPECT_EQ(lease->holder, (Holder{{}, 12345, 0, "550e8400-e29b-41d4-a716-446655440000"}));
  EXPECT_EQ(format_time(lease->granted_at), "2025-12-15T10:30:00.000000Z");
  EXPECT_EQ(format_time(lease->heard_at), "2025-12-15T10:35:00.000000Z");
  EXPECT_EQ(lease->hold_max, 30min);
  EXPECT_EQ(lease->silence_max, limits::silence_max);
  EXPECT_EQ(lease->token, 0U);
  EXPECT_FALSE(lease->granted_mono);
  EXPECT_FALSE(lease->heard_mono);
}

TEST(LeaseRecord, IgnoresFieldsItDoesNotKnow) {
  Json json = *parse_json_object(seven_fields);
  json["mood"] = {{"of", {"the", "day"}}};

  EXPECT_EQ(*decode_lease("lock/a", dump_json(json)), *decode_lease("lock/a", seven_fields));
}

// Another tool renews by rewriting heartbeatAt and keeps our fields as they are: they are then old.
TEST(LeaseRecord, DropsItsMonotonicHeartbeatWhenAnotherToolRewroteTheTime) {
  const auto lease =
      decode_lease("lock/a", edited(sample(), "heartbeatAt", "2025-12-15T10:35:00.250Z"));

  ASSERT_TRUE(lease);
  EXPECT_EQ(format_time(lease->heard_at), "2025-12-15T10:35:00.250000Z");
  EXPECT_FALSE(lease->heard_mono);
  EXPECT_EQ(lease->granted_at, sample().granted_at) << "nobody touched the start";
  EXPECT_EQ(lease->granted_mono, sample().granted_mono);
}

TEST(LeaseRecord, BelievesTheReadableTimeWhenTheExactOneDiffers) {
  for (const char* text :
       {"2025-12-15T10:30:59.999Z", "2025-12-15T10:31:00.001Z", "2025-12-15T10:31:00.000400Z",
        "2025-12-15T10:31:00.000457Z", "1970-01-01T00:00:00.000Z", "0000-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z"}) {
    const auto lease = decode_lease("lock/a", edited(sample(), "heartbeatAt", text));
    ASSERT_TRUE(lease) << text;
    EXPECT_EQ(lease->heard_at, *parse_time(text));
    EXPECT_FALSE(lease->heard_mono) << text;
  }
}

TEST(LeaseRecord, SurvivesAbsurdNumbersInOurOwnFields) {
  const std::vector<Json> absurd{std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::uint64_t>::max(),
                                 -1,
                                 1e300,
                                 "soon",
                                 true,
                                 Json::array()};
  for (const char* member : {"startedMicros", "heartbeatMicros", "startedMonotonic",
                             "heartbeatMonotonic", "token", "pid", "pidStart", "host", "owner"}) {
    for (const Json& value : absurd) {
      SCOPED_TRACE(std::string(member) + " " + dump_json(value));
      const auto lease = decode_lease("lock/a", edited(sample(), member, value));
      ASSERT_TRUE(lease);
      (void)judge(*lease, assess(lease->holder, sample().holder.place, 2h, {}), lease->heard_at);
    }
  }
}

// A stamp that is no number must not make a living holder look silent since boot.
TEST(LeaseRecord, MeasuresByWallTimeWhenItsMonotonicStampIsUnreadable) {
  for (const Json& value : {Json("x"), Json(-5), Json(1.5), Json(nullptr)}) {
    const auto lease = decode_lease("lock/a", edited(sample(), "heartbeatMonotonic", value));
    ASSERT_TRUE(lease);
    EXPECT_FALSE(lease->heard_mono) << dump_json(value);
  }
}

// L3: never taken for free. A limit beyond reckoning is the longest one, not one in the past.
TEST(LeaseRecord, BoundsTheLimitsThatOthersWrote) {
  struct Row {
    Json timeout;
    Span hold_max;
  };
  const std::vector<Row> rows{
      {0, 0s},
      {1, 1ms},
      {300'000, 5min},
      {limits::hold_most / 1ms, limits::hold_most},
      {limits::hold_most / 1ms + 1, limits::hold_most},
      {std::numeric_limits<std::int64_t>::max(), limits::hold_most},
      {std::numeric_limits<std::uint64_t>::max(), limits::hold_max},
      {"30 minutes", limits::hold_max},
      {nullptr, limits::hold_max},
  };

  for (const Row& row : rows) {
    const auto lease = decode_lease("lock/a", edited(sample(), "timeout", row.timeout));
    ASSERT_TRUE(lease) << dump_json(row.timeout);
    EXPECT_EQ(lease->hold_max, row.hold_max) << dump_json(row.timeout);
    EXPECT_GE(next_check(*lease), lease->granted_at);
  }
  EXPECT_EQ(
      decode_lease("lock/a", edited(sample(), "silence", std::numeric_limits<std::int64_t>::max()))
          ->silence_max,
      limits::hold_most);
}

// L3: what cannot be understood is reported, with the field's name.
TEST(LeaseRecord, IsRefusedWithAReasonWhenItIsCorrupt) {
  struct Row {
    std::string text;
    std::string_view reason;
  };
  const std::vector<Row> rows{
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "not an object"},
      {"{}", "startedAt"},
      {std::string(seven_fields.substr(0, seven_fields.size() / 2)), "not JSON"},
      {std::string(seven_fields) + "}", "not JSON"},
      {R"({"startedAt":"2025-12-15T10:30:00.000Z"})", "heartbeatAt"},
      {edited(sample(), "startedAt", "yesterday"), "startedAt: 'yesterday' is not a time"},
      {edited(sample(), "startedAt", 1765794600), "startedAt"},
      {edited(sample(), "heartbeatAt", nullptr), "heartbeatAt"},
      {edited(sample(), "timeout", -1), "timeout of -1 ms is negative"},
      {edited(sample(), "silence", -1), "silence of -1 ms is negative"},
      {R"({"pid":1,"pid":2})", "stands twice"},
  };

  for (const Row& row : rows) {
    const auto lease = decode_lease("lock/a", row.text);
    ASSERT_FALSE(lease) << row.text;
    EXPECT_EQ(lease.error().fault, Fault::invalid);
    EXPECT_TRUE(lease.error().what.contains(row.reason)) << lease.error().what;
  }
}

// P16: lock files are hostile input.
TEST(LeaseRecord, SurvivesGarbage) {
  const std::string_view pieces = "{}[]\",:0123456789-eTZ\\\xFF";
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    std::mt19937_64 dice(seed);
    std::string text = seed % 2 == 0 ? std::string(seven_fields) : encode(draw_lease(dice));
    for (std::uint64_t edits = 1 + dice() % 3; edits > 0; --edits) {
      text[dice() % text.size()] = pieces[dice() % pieces.size()];
    }
    SCOPED_TRACE(seed);
    const auto lease = decode_lease("lock/a", text);
    if (!lease) continue;
    (void)judge(*lease, assess(lease->holder, {"laptop", "a", "a"}, 1h, {}), from_micros(0));
    EXPECT_TRUE(decode_lease("lock/a", encode(*lease)));
  }
}

// Every block of JSON in the document that is a record can be read.
TEST(LeaseRecord, IsAsItsDocumentShows) {
  std::ifstream document(TYER_SOURCE "/docs/formats/events.md");
  int records = 0;
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("```")) {
      if (inside && block.contains("taskId")) {
        const auto lease = decode_lease("lock/TSK-01-01", block);
        EXPECT_TRUE(lease) << block;
        ++records;
      }
      const bool object = inside && block.starts_with("{");
      EXPECT_TRUE(!object || parse_json_object(block)) << block;
      inside = line == "```json";
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_GE(records, 2);
}

}  // namespace
}  // namespace tyer::core
