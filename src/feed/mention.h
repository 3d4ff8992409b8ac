// Who is spoken to in a text (H8).
//
//   @bot          the default session of the agent `bot`
//   @bot/배포     its session `배포`
//
// The longest agent name that matches wins, whatever its case, and must end where a word ends:
// `@bot` is not in `@bot-two`, `@bot.example` or `@bot@example.org`. A Hangul particle may follow a
// name that ends otherwise: `@bot에게`. Code, e-mail addresses and paths of addresses have no
// mentions.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tyer::feed {

struct Mention {
  std::size_t agent = 0;  // Which of the names.
  std::string session;    // As written; empty: the default one.
  bool usable = true;     // The session's name may be one. If not, `session` says what was written.

  friend bool operator==(const Mention&, const Mention&) = default;
};

// In the order of the text, each agent and session once. Any bytes may come; what is not
// UTF-8 has no mentions. At most `limits::mentions_max` are found.
[[nodiscard]] std::vector<Mention> find_mentions(std::string_view text,
                                                 std::span<const std::string> agents);

// What reads like a mention, but is no agent's name: it is most likely a mistake, and its author
// should know. Not to be a nuisance it is only that which begins the text (`@slwo please …`), or is
// near the name of an agent; so `@media (…)`, `@types/node` and `@Override` within a text are none.
struct Stranger {
  std::string name;                    // As written.
  std::optional<std::size_t> nearest;  // Which of the names is near.

  friend bool operator==(const Stranger&, const Stranger&) = default;
};

// In the order of the text, each name once, at most `limits::strangers_max` of the first
// `limits::strangers_looked_at`.
[[nodiscard]] std::vector<Stranger> find_strangers(std::string_view text,
                                                   std::span<const std::string> agents);

// `text` with its fenced blocks and inline code blanked out, byte for byte.
[[nodiscard]] std::string without_code(std::string_view text);

}  // namespace tyer::feed
