#include "fuzz/mutant.h"

#include <algorithm>
#include <string_view>

namespace tyer::fuzz {
namespace {

using namespace std::string_view_literals;

// What means something to one of the targets.
constexpr std::string_view words[] = {"\r\n"sv,
                                      "\r\n\r\n"sv,
                                      "\n\n"sv,
                                      "\0"sv,
                                      ": "sv,
                                      " "sv,
                                      "\t"sv,
                                      "%00"sv,
                                      "%E0%A4"sv,
                                      "?"sv,
                                      "&"sv,
                                      "+"sv,
                                      "Host: a\r\n"sv,
                                      "Content-Length: "sv,
                                      "Transfer-Encoding: chunked\r\n"sv,
                                      "0\r\n\r\n"sv,
                                      "ffffffffffffffff\r\n"sv,
                                      "5;x=y\r\nhello\r\n"sv,
                                      "Expect: 100-continue\r\n"sv,
                                      "HTTP/1.0"sv,
                                      "18446744073709551616"sv,
                                      "-1"sv,
                                      "1e400"sv,
                                      "{"sv,
                                      "}"sv,
                                      "["sv,
                                      "]"sv,
                                      "\""sv,
                                      "\\u0000"sv,
                                      "\\ud800"sv,
                                      "\":"sv,
                                      ",\"a\":null"sv,
                                      "{\"a\":{}}"sv,
                                      "data:"sv,
                                      "data: x\n"sv,
                                      "id: "sv,
                                      "event: "sv,
                                      "retry: 1"sv,
                                      "\xEF\xBB\xBF"sv,
                                      "@bot"sv,
                                      "@연구봇/배포"sv,
                                      "@"sv,
                                      "/"sv,
                                      "`"sv,
                                      "```\n"sv,
                                      "~~~\n"sv,
                                      "가"sv,
                                      "é"sv,
                                      "\xFF"sv,
                                      "\xF0\x9F\x9A\x82"sv};

std::size_t below(std::size_t end, std::mt19937_64& dice) {
  return end == 0 ? 0 : dice() % end;
}

void change(std::string& text, std::span<const std::string> corpus, std::mt19937_64& dice) {
  const std::size_t at = below(text.size() + 1, dice);
  const std::size_t size = below(std::min<std::size_t>(text.size() - at, 32) + 1, dice);
  switch (dice() % 7) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(dice());
      return;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << dice() % 8));
      return;
    case 2: text.insert(at, words[below(std::size(words), dice)]); return;
    case 3: text.replace(at, size, words[below(std::size(words), dice)]); return;
    case 4: text.erase(at, size); return;
    case 5: text.insert(below(text.size() + 1, dice), text.substr(at, size)); return;
    default: {
      const std::string& other = corpus[below(corpus.size(), dice)];
      text.erase(at);
      text += other.substr(below(other.size() + 1, dice));
    }
  }
}

}  // namespace

std::string mutant(std::span<const std::string> corpus, std::mt19937_64& dice) {
  std::string text = corpus[below(corpus.size(), dice)];
  for (std::size_t left = 1 + below(8, dice); left > 0; --left) change(text, corpus, dice);
  if (text.size() > mutant_bytes_max) text.resize(mutant_bytes_max);
  return text;
}

}  // namespace tyer::fuzz
