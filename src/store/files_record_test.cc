#include "store/files_record.h"

#include <gtest/gtest.h>

#include "store/files_codec.h"

namespace tyer::store::files {
namespace {

Stamp stamp_at(std::uint64_t start, std::uint64_t end, std::uint64_t number, Stage stage) {
  Stamp stamp;
  stamp.stage = stage;
  stamp.standing = {number, {number * 2, from_micros(-5), 1}, 77};
  stamp.start = start;
  stamp.end = end;
  stamp.boot = 0xFEDCBA9876543210U;
  stamp.full = true;
  return stamp;
}

Record record_of(std::uint64_t number) {
  Record record;
  record.after = {number, {number * 2, from_micros(9), 1}, 77};
  record.log = "{\"seq\":1}\n";
  record.log_offset = 67;
  record.log_first = 1;
  record.full = true;
  record.changes = {
      {"tasks/a.json", "{}\n"}, {"locks/a.lock.json", std::nullopt}, {"tasks/empty.json", ""}};
  return record;
}

// A journal with a base and `records` records after it.
std::string journal(std::uint64_t records) {
  std::string bytes = encode(stamp_at(0, stamp_bytes, 10, Stage::applied));
  for (std::uint64_t i = 1; i <= records; ++i) {
    const std::uint64_t start = bytes.size();
    bytes += encode(record_of(10 + i));
    bytes += encode(stamp_at(start, bytes.size() + stamp_bytes, 10 + i, Stage::applied));
  }
  return bytes;
}

TEST(FilesStamp, ReadsBackWhatItWrote) {
  for (const Stage stage : {Stage::prepared, Stage::applying, Stage::applied, Stage::folded}) {
    const Stamp stamp = stamp_at(3, 1000, 5, stage);
    EXPECT_EQ(decode_stamp(encode(stamp), 1000), stamp);
  }
}

TEST(FilesStamp, IsRefusedWithAnyByteChangedOrInAnotherPlace) {
  const std::string bytes = encode(stamp_at(3, 1000, 5, Stage::applied));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(decode_stamp(changed, 1000)) << i;
  }
  EXPECT_FALSE(decode_stamp(bytes, 1001));
  EXPECT_FALSE(decode_stamp(bytes.substr(1), 1000));
}

TEST(FilesJournal, ScansWhatIsWhole) {
  const Scan scan = scan_journal(journal(3)).value();
  ASSERT_EQ(scan.records.size(), 3U);
  EXPECT_EQ(scan.records[1], record_of(12));
  ASSERT_TRUE(scan.last);
  EXPECT_EQ(scan.last->end, journal(3).size());
  EXPECT_EQ(scan.before->standing.number, 12U);
  EXPECT_TRUE(scan.full);
}

TEST(FilesJournal, CutAnywhereIsAShorterJournal) {
  const std::string whole = journal(2);
  const std::size_t second = journal(1).size();
  const std::size_t record = encode(record_of(12)).size();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Scan scan = scan_journal(std::string_view(whole).substr(0, size)).value();
    EXPECT_EQ(scan.base.has_value(), size >= stamp_bytes);
    if (size < second) continue;
    EXPECT_EQ(scan.records.size(), size >= second + record ? 2U : 1U) << size;
  }
}

TEST(FilesJournal, TakesNoOldRecordForANewOne) {
  std::string bytes = journal(1);
  const std::string old = encode(record_of(9)) + encode(record_of(12)) + encode(record_of(11));
  EXPECT_EQ(scan_journal(bytes + old)->records.size(), 1U);
}

TEST(FilesJournal, IsBrokenIfARecordIsAboutAFileThatNoStoreWrites) {
  for (const char* path : {"../a.json", "/tmp/a.json", "tasks/../a.json", "tasks//a.json", "a.json",
                           "", ".", "journal", "log.jsonl", "format", "locks/a", "tasks/a.JSON",
                           "tasks/./a.json", "no kinds/a.json"}) {
    Record forged = record_of(11);
    forged.changes = {{path, "x"}};
    const auto scan = scan_journal(journal(0) + encode(forged));

    ASSERT_FALSE(scan) << path;
    EXPECT_EQ(scan.error().fault, Fault::broken);
    EXPECT_TRUE(scan.error().what.contains(path)) << scan.error().what;
    EXPECT_TRUE(scan.error().what.contains("Nothing was done")) << scan.error().what;
  }
}

TEST(FilesCodec, KeepsStatesAndBodiesToTheByte) {
  for (const std::string& text :
       std::vector<std::string>{R"({"b":1,"a":[1, 2]})", "{}", R"({ "x" : "가" })", R"({"n":1e5})",
                                "{\n\"a\":1}", "[1]", "not json", "", "{},{}", R"({"a":1,"a":2})",
                                "{\"deep\":" + std::string(63, '[') + std::string(63, ']') + "}"}) {
    const core::Subject subject{"task/a", "team/x", "ready", from_micros(5), 7, text};
    const auto back = decode_subject("task/a", encode_subject(subject));
    ASSERT_TRUE(back) << text << ": " << back.error().what;
    EXPECT_EQ(*back, subject);
    const core::Event event{3, "task/a", 1, "task.made", from_micros(6), "me", 2, text};
    const std::string line = encode_event(event);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(*decode_event(line), event);
    EXPECT_EQ(event_seq(line), 3U);
  }
}

TEST(FilesCodec, ReadsWhatWasEditedByHand) {
  const auto subject = decode_subject(
      "task/a", R"({"state": {"x": 1}, "rev": 2, "status": "ready", "note": "mine"})");
  ASSERT_TRUE(subject) << subject.error().what;
  EXPECT_EQ(subject->state, R"({"x":1})");
  EXPECT_EQ(subject->rev, 2U);
}

TEST(FilesCodec, RefusesWhatIsNoSubject) {
  for (const char* text :
       {"", "{}", "[]", "null", R"({"status":"a","state":{}})",
        R"({"status":"a","rev":-1,"state":{}})", R"({"status":"a","rev":1,"state":[]})",
        R"({"key":"task/b","status":"a","rev":1,"state":{}})",
        R"({"status":"a","rev":1,"due_at":"soon","state":{}})"}) {
    const auto subject = decode_subject("task/a", text);
    ASSERT_FALSE(subject) << text;
    EXPECT_EQ(subject.error().fault, Fault::broken);
  }
}

TEST(FilesCodec, KeepsTimesFarAway) {
  for (const Time time :
       {never, from_micros(0), from_micros(-1), from_micros(253'402'300'800'000'000)}) {
    core::Subject subject{"task/a", "", "ready", time, 1, "{}"};
    EXPECT_EQ(decode_subject("task/a", encode_subject(subject))->due_at, time);
  }
}

}  // namespace
}  // namespace tyer::store::files
