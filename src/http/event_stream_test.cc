#include "http/event_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tyer::http {
namespace {

std::vector<ServerEvent> read(std::string_view text) {
  EventReader reader;
  return reader.feed(text).value();
}

// Line ends as a reader gives them back.
std::string normal(std::string_view data) {
  std::string out;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] == '\n' && i > 0 && data[i - 1] == '\r') continue;
    out += data[i] == '\r' ? '\n' : data[i];
  }
  return out;
}

std::string without_line_ends(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
  return text;
}

// Much of what means something here.
rc::Gen<std::string> nasty() {
  return rc::gen::container<std::string>(
      rc::gen::weightedOneOf<char>({{3, rc::gen::element('\r', '\n', '\0', ':', ' ')},
                                    {1, rc::gen::element('d', 'a', 't', 'i')},
                                    {1, rc::gen::arbitrary<char>()}}));
}

TEST(EventText, HasALineOfDataForEachLine) {
  EXPECT_EQ(event_text("7", "note", "one\ntwo"), "id: 7\nevent: note\ndata: one\ndata: two\n\n");
}

TEST(EventText, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(event_text("", "", ""), "data: \n\n");
}

TEST(EventText, IsReadBackAsOneEventWhateverIsInIt) {
  EXPECT_TRUE(rc::check([] {
    const std::string id = *nasty();
    const std::string event = *nasty();
    const std::string data = *nasty();
    const auto events = read(event_text(id, event, data));
    RC_ASSERT(events.size() == 1U);
    RC_ASSERT(events[0].data == normal(data));
    RC_ASSERT(events[0].id == without_line_ends(id));
    RC_ASSERT(events[0].event == without_line_ends(event));
  }));
}

TEST(EventReader, ReadsTheSameInAnyPieces) {
  EXPECT_TRUE(rc::check([] {
    std::string text = *nasty();
    for (const auto& data : *rc::gen::container<std::vector<std::string>>(nasty())) {
      text += event_text(data, data, data);
    }
    EventReader reader;
    std::vector<ServerEvent> events;
    std::string_view left = text;
    while (!left.empty()) {
      const auto size = *rc::gen::inRange<std::size_t>(1, left.size() + 1);
      const auto more = reader.feed(left.substr(0, size)).value();
      events.insert(events.end(), more.begin(), more.end());
      left.remove_prefix(size);
    }
    RC_ASSERT(events == read(text));
  }));
}

TEST(EventReader, KnowsEveryEndOfALine) {
  for (const char* text : {"data: a\n\n", "data: a\r\r", "data: a\r\n\r\n"}) {
    const auto events = read(text);
    ASSERT_EQ(events.size(), 1U) << text;
    EXPECT_EQ(events[0].data, "a");
  }
}

TEST(EventReader, KeepsTheIdAndForgetsTheRest) {
  const auto events = read("id: 7\nevent: x\ndata: a\n\ndata: b\n\n");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1], (ServerEvent{.id = "7", .data = "b"}));
}

TEST(EventReader, PassesOverCommentsAndUnknownFields) {
  EXPECT_EQ(read("\xEF\xBB\xBF: hello\nwhat: ever\ndata\n\n"), std::vector{ServerEvent{}});
}

TEST(EventReader, GivesNothingForAnEventWithoutData) {
  EXPECT_TRUE(read("id: 1\nevent: x\n\n").empty());
}

TEST(EventReader, ReadsHowLongToWait) {
  EXPECT_EQ(read("retry: 1500\ndata: a\n\n").at(0).retry, Span(1500ms));
  EXPECT_EQ(read("retry: soon\ndata: a\n\n").at(0).retry, std::nullopt);
  EXPECT_EQ(read("retry: 99999999999999999999\ndata: a\n\n").at(0).retry, std::nullopt);
}

TEST(EventReader, RefusesAnEventThatNeverEnds) {
  EventReader reader(1000);
  EXPECT_TRUE(reader.feed("data: " + std::string(900, 'a') + "\n"));
  const auto more = reader.feed("data: " + std::string(900, 'a') + "\n");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().fault, Fault::limit);
}

}  // namespace
}  // namespace tyer::http
