#include "backend/excerpt.h"

#include <gtest/gtest.h>

#include "backend/limits.h"
#include "base/text.h"

namespace tyer::backend {
namespace {

TEST(Excerpt, CutsBetweenCharacters) {
  EXPECT_EQ(cut_end("short", 5), "short");
  EXPECT_EQ(cut_end("longer", 5), "lo…");
  EXPECT_EQ(cut_start("longer", 5), "…er");
  for (std::size_t max = 0; max < 30; ++max) {
    for (const std::string text :
         {"한국어로 된 긴 문장입니다", "ééééééééééééééé", "😀😀😀😀😀😀😀😀"}) {
      EXPECT_TRUE(is_utf8(cut_end(text, max))) << max;
      EXPECT_TRUE(is_utf8(cut_start(text, max))) << max;
      if (max >= 3) {
        EXPECT_LE(cut_end(text, max).size(), max);
        EXPECT_LE(cut_start(text, max).size(), max);
      }
    }
  }
}

TEST(Excerpt, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(clean_text("a\xff z"), "a\uFFFD z");
  EXPECT_EQ(clean_text(std::string_view("\0\xc3", 2)), std::string_view("\0\uFFFD", 4));
  EXPECT_EQ(clean_text("\"\\\n"), "\"\\\n");
}

TEST(Excerpt, MakesASentence) {
  EXPECT_EQ(sentence("\x1b[31mIt is\n\n  not\tthere.\x1b[0m\n"), "It is not there");
  EXPECT_EQ(sentence("a\u0085b\x1b"), "ab");
  EXPECT_LE(sentence(std::string(10'000, 'x')).size(), limits::why_bytes_max);
  EXPECT_EQ(telling_line("Warning: colours\nError: no key\n    at x.js:1\n"), "Error: no key");
  EXPECT_EQ(telling_line("one\ntwo\n\n"), "two");
  EXPECT_EQ(telling_line(""), "");
}

TEST(Excerpt, TellsTheErrorAndNotTheHintBelowIt) {
  for (const auto& [errors, line] :
       {std::pair("ERROR: disk quota exceeded on /data\n  hint: see the manual\n",
                  "ERROR: disk quota exceeded on /data"),
        {"fatal: not a git repository\nhint: git init\n", "fatal: not a git repository"},
        {"it is full\n  Hint: make room\n", "it is full"},
        {"Error: first\nretrying\nerror: second\ngoing\n", "error: second"},
        {"x.js:3\n  throw new Error('no')\n\nError: no\n    at new Error.make (x.js:3)\n",
         "Error: no"},
        {"hint: only this\n", "hint: only this"}}) {
    EXPECT_EQ(telling_line(errors), line);
  }
}

TEST(Excerpt, FindsHowLongToWait) {
  for (const auto& [text, wait] : {std::pair<const char*, Span>("Try again in 5 minutes.", 5min),
                                   {"try again in 3 days 4 hours 5 minutes", 76h + 5min},
                                   {"Please retry in 12.5s", 12'500ms},
                                   {"Retry after 30 seconds", 30s},
                                   {"retry-after: 7s", 7s},
                                   {R"({"retryDelay":"41s"})", 41s},
                                   {"again in 1h2m", 62min},
                                   {"again in 250ms", 250ms},
                                   {"again in 99999999 days", limits::wait_said_max}}) {
    EXPECT_EQ(said_wait(text), wait) << text;
  }
  for (const char* const text : {"", "try again in a moment", "again in -5 s", "again in 5",
                                 "again in 5 parsecs", "again in ", "again in 1e999 s", "in 5 s"}) {
    EXPECT_EQ(said_wait(text), std::nullopt) << text;
  }
}

TEST(Excerpt, FindsAStatus) {
  EXPECT_EQ(status_in("unexpected status 401 Unauthorized"), 401);
  EXPECT_EQ(status_in("exceeded retry limit, last status: 429 Too Many Requests"), 429);
  EXPECT_EQ(status_in("API Error: 500 boom"), 500);
  EXPECT_EQ(status_in(R"([API Error: {"error":{"code":401,"message":"x"}}])"), 401);
  for (const char* const text :
       {"", "status ", "status 40", "status 4012", "port 8080", "status ok"}) {
    EXPECT_EQ(status_in(text), 0) << text;
  }
}

TEST(Excerpt, KnowsAUuid) {
  EXPECT_TRUE(is_uuid("0190f3c2-7b1a-7c3d-8e4f-0123456789ab"));
  for (const char* const text :
       {"", "0190f3c2-7b1a-7c3d-8e4f-0123456789a", "latest", "0190f3c2x7b1a-7c3d-8e4f-0123456789ab",
        "-190f3c2-7b1a-7c3d-8e4f-0123456789ab"}) {
    EXPECT_FALSE(is_uuid(text)) << text;
  }
}

}  // namespace
}  // namespace tyer::backend
