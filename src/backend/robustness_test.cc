// Agents print whatever they like, in pieces of any size.

#include <malloc.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <random>

#include <gtest/gtest.h>

#include "backend/limits.h"
#include "backend/lines.h"
#include "base/text.h"
#include "support/recordings.h"

namespace tyer::backend {
namespace {

using testing::read_pieces;
using testing::Reading;
using testing::Recording;
using testing::recordings;

using Chance = std::mt19937_64;

std::size_t below(Chance& chance, std::size_t end) {
  return end == 0 ? 0 : chance() % end;
}

std::vector<std::string_view> cut_anywhere(std::string_view text, Chance& chance) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    // Mostly small, now and then large, sometimes nothing at all.
    const std::size_t size = below(chance, below(chance, 4) == 0 ? 4'000 : 12);
    pieces.push_back(text.substr(0, size));
    text.remove_prefix(std::min(size, text.size()));
  }
  return pieces;
}

std::string garbage(Chance& chance, std::size_t bytes) {
  constexpr std::string_view likely = "{}[]\",:\\\n\r\0 \xff\xc3\xe2null1e9";
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    text += below(chance, 2) == 0 ? likely[below(chance, likely.size())]
                                  : static_cast<char>(below(chance, 256));
  }
  return text;
}

// One thing that goes wrong on the way.
void spoil(std::string& text, const std::vector<Recording>& all, Chance& chance) {
  const std::size_t at = below(chance, text.size() + 1);
  const std::size_t length = below(chance, 1 + below(chance, 300));
  switch (below(chance, 8)) {
    case 0: text.resize(at); break;
    case 1: text.erase(at, length); break;
    case 2: text.insert(at, garbage(chance, length)); break;
    case 3: text.insert(at, text.substr(below(chance, text.size() + 1), length)); break;
    case 4: text += all[below(chance, all.size())].output; break;
    case 5:
      if (at < text.size()) text[at] = static_cast<char>(below(chance, 256));
      break;
    case 6:  // A value of another kind.
      if (const auto colon = text.find("\":", at); colon != std::string::npos) {
        constexpr std::array values{"null,", "[],", "{},", "-1e300,", "true,", "\"x\","};
        text.insert(colon + 2, values[below(chance, values.size())]);
        text.insert(colon + 2 + below(chance, 3), "\"y\":");
      }
      break;
    default:
      if (const auto digit = text.find_first_of("0123456789", at); digit != std::string::npos) {
        text.replace(digit, 1, below(chance, 2) == 0 ? "99999999999999999999" : "-7");
      }
  }
}

void expect_sound(const Reading& reading) {
  const Report& report = reading.report;
  const bool is_done = report.verdict == Verdict::done || report.verdict == Verdict::hindered;
  EXPECT_LT(static_cast<int>(report.verdict), verdict_count);
  EXPECT_EQ(report.why.empty(), report.verdict == Verdict::done) << report.why;
  EXPECT_TRUE(is_done || report.conversation.empty());
  EXPECT_LE(report.why.size(), limits::why_bytes_max);
  EXPECT_LE(report.text.size(), limits::answer_bytes_max);
  EXPECT_TRUE(is_utf8(report.why) && is_utf8(report.text));
  EXPECT_FALSE(has_control_characters(report.why)) << report.why;
  EXPECT_LE(report.denied.size(), limits::denied_tools_max);
  EXPECT_FALSE(report.conversation.starts_with('-'));
  for (const std::int64_t count : {report.usage.input, report.usage.output, report.usage.cached,
                                   report.usage.cost, report.turns}) {
    EXPECT_TRUE(count >= 0 && count <= limits::agent_count_max) << count;
  }
  for (const Note& note : reading.notes) {
    EXPECT_LE(note.text.size(), limits::note_bytes_max);
    EXPECT_LE(note.tool.size(), limits::agent_word_bytes_max);
    EXPECT_TRUE(is_utf8(note.text) && is_utf8(note.tool));
  }
}

Ending any_ending(Chance& chance) {
  constexpr std::array codes{0, 1, 2, 41, 42, 53, 55, 75, 127, 143, 145, 173, 255};
  Ending ending{.code = codes[below(chance, codes.size())],
                .signal = below(chance, 5) == 0 ? SIGKILL : 0,
                .cut = static_cast<Ending::Cut>(below(chance, 4))};
  ending.errors = garbage(chance, below(chance, 200));
  return ending;
}

std::vector<std::string_view> single_bytes(std::string_view text) {
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
  return bytes;
}

TEST(Robustness, NothingDependsOnWhereTheOutputIsCut) {
  Chance chance(1);
  for (const Recording& one : recordings()) {
    SCOPED_TRACE(one.name);
    const Reading whole = read_pieces(one.backend(), {}, {one.output}, one.ending);
    EXPECT_TRUE(read_pieces(one.backend(), {}, single_bytes(one.output), one.ending) == whole);
    for (int i = 0; i < 20; ++i) {
      const auto pieces = cut_anywhere(one.output, chance);
      ASSERT_TRUE(read_pieces(one.backend(), {}, pieces, one.ending) == whole);
    }
  }
}

TEST(Robustness, LineEndsOfOtherSystemsMakeNoDifference) {
  for (const Recording& one : recordings()) {
    std::string other;
    for (const char c : one.output) other += c == '\n' ? "\r\n\r\n" : std::string(1, c);
    const Reading whole = read_pieces(one.backend(), {}, {one.output}, one.ending);
    EXPECT_TRUE(read_pieces(one.backend(), {}, {other}, one.ending) == whole) << one.name;
  }
}

// Node prints warnings wherever it likes.
TEST(Robustness, LinesThatAreNoEventsAreSkippedAndCounted) {
  for (const Recording& one : recordings()) {
    std::string mixed = "npm warn old\n";
    for (const char c : one.output)
      mixed += c == '\n' ? "\n\xff\xfe [1]\n{\"type\":\"new\"}\n{broken\n" : std::string(1, c);
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(one.output, '\n'));
    Report plain = read_pieces(one.backend(), {}, {one.output}, one.ending).report;
    const Report report = read_pieces(one.backend(), {}, {mixed}, one.ending).report;
    plain.skipped_lines = 1 + 2 * lines;
    EXPECT_TRUE(report == plain) << one.name;
  }
}

TEST(Robustness, SpoiltOutputAlwaysGivesASoundReport) {
  const std::vector<Recording> all = recordings();
  for (std::uint64_t seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(seed);
    Chance chance(seed);
    const Recording& one = all[below(chance, all.size())];
    const Backend& backend = backends()[below(chance, backends().size())];
    const bool is_foreign = below(chance, 6) == 0;
    std::string output = one.output;
    for (std::size_t i = 1 + below(chance, 6); i > 0; --i) spoil(output, all, chance);
    const Ending ending = below(chance, 2) == 0 ? one.ending : any_ending(chance);
    const Task task{.conversation = below(chance, 2) == 0 ? "" : "x"};

    const Backend& reader = is_foreign ? backend : one.backend();
    const Reading whole = read_pieces(reader, task, {output}, ending);
    expect_sound(whole);
    ASSERT_TRUE(read_pieces(reader, task, cut_anywhere(output, chance), ending) == whole);
    if (HasFailure()) return;
  }
}

TEST(Robustness, GarbageAlwaysGivesASoundReport) {
  for (const Backend& backend : backends()) {
    SCOPED_TRACE(backend.name);
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      Chance chance(seed);
      const std::string output = garbage(chance, below(chance, 5'000));
      expect_sound(read_pieces(backend, {}, cut_anywhere(output, chance), any_ending(chance)));
      ASSERT_FALSE(HasFailure()) << seed;
    }
  }
}

std::size_t bytes_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The most that is in use while `piece` is fed again and again, beyond what was before.
std::size_t peak_of(const Backend& backend, const std::string& piece, std::size_t total) {
  const auto reader = backend.read({}, [](const Note&) {});
  const std::size_t before = bytes_in_use();
  std::size_t peak = before;
  for (std::size_t fed = 0; fed < total; fed += piece.size()) {
    reader->feed(piece);
    peak = std::max(peak, bytes_in_use());
  }
  EXPECT_LT(reader->finish({}).text.size(), limits::answer_bytes_max + 1);
  return peak - before;
}

TEST(Robustness, MemoryStaysBoundedWhateverComes) {
  constexpr std::size_t total = 3 * limits::agent_line_bytes_max;
  constexpr std::size_t bound = 2 * limits::agent_line_bytes_max;
  for (const Backend& backend : backends()) {
    SCOPED_TRACE(backend.name);
    EXPECT_LT(peak_of(backend, std::string(64 << 10, 'x'), total), bound);
    EXPECT_LT(peak_of(backend, std::string(99, 'x') + "\n", total / 8), bound);
    EXPECT_LT(peak_of(backend,
                      "{\"type\":\"tool_use\",\"tool_id\":\"" + std::string(60'000, 'x') + "\"}\n",
                      total),
              bound);
    EXPECT_LT(peak_of(backend,
                      "{\"type\":\"message\",\"role\":\"assistant\",\"delta\":true,\"content\":\"" +
                          std::string(60'000, 'x') + "\"}\n",
                      total),
              bound);
  }
}

TEST(Robustness, ALineTooLongIsSkippedAndTheNextIsRead) {
  const std::string end = "\n{\"type\":\"result\",\"status\":\"success\"}\n";
  const std::string start = "{\"type\":\"init\",\"session_id\":\"";
  const std::string tail = std::string(limits::agent_line_bytes_max, 'x') + "\"}";
  const Report report = read_pieces(*find_backend("gemini"), {}, {start, tail, end}, {}).report;

  EXPECT_EQ(report.verdict, Verdict::done);
  EXPECT_EQ(report.skipped_lines, 1U);
  EXPECT_EQ(report.skipped_bytes, start.size() + tail.size() - limits::agent_line_bytes_max);
}

// Two bytes of text can cost a hundred of memory.
TEST(Robustness, ALineOfVeryManyValuesIsSkipped) {
  std::string many = "{\"type\":\"result\",\"status\":\"success\",\"x\":[[]";
  for (int i = 0; i < 1'000'000; ++i) many += ",[]";
  std::string deep = "{\"type\":\"result\",\"status\":\"success\",\"x\":";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string& line : {many + "]}", deep}) {
    const Report report = read_pieces(*find_backend("gemini"), {}, {line}, {}).report;
    EXPECT_EQ(report.verdict, Verdict::interrupted);
    EXPECT_EQ(report.skipped_lines, 1U);
  }
  // Commas in a text are no values.
  const std::string text = "{\"type\":\"result\",\"status\":\"success\",\"x\":\"" +
                           std::string(1'000'000, ',') + "\\\"\"}";
  EXPECT_EQ(read_pieces(*find_backend("gemini"), {}, {text}, {}).report.verdict, Verdict::done);
}

TEST(Lines, KeepTheStartOfOneThatIsTooLong) {
  std::vector<std::pair<std::string, bool>> seen;
  Lines lines(4, [&](std::string_view line, bool whole) { seen.emplace_back(line, whole); });
  for (const std::string_view piece : {"ab", "c\r", "\n", "abcd\nabc", "def", "\n\n", "x"}) {
    lines.feed(piece);
  }
  lines.finish();

  const std::vector<std::pair<std::string, bool>> expected{
      {"abc", true}, {"abcd", true}, {"abcd", false}, {"", true}, {"x", true}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(lines.skipped(), 2U);
}

}  // namespace
}  // namespace tyer::backend
