#include <algorithm>

#include "base/text.h"
#include "feed/limits.h"
#include "feed/mention.h"
#include "feed/names.h"
#include "fuzz/targets.h"

namespace tyer::fuzz {
namespace {

using feed::Mention;

std::string check_found(std::string_view text, std::span<const std::string> names,
                        const std::vector<Mention>& found) {
  if (found.empty()) return "";
  if (found.size() > limits::mentions_max) return "too many are found";
  if (!is_utf8(text)) return "somebody is found in what is no text";
  const std::string folded = feed::fold_name(text);
  std::vector<std::pair<std::size_t, std::string>> seen;
  for (const Mention& mention : found) {
    if (mention.agent >= names.size()) return "somebody is found who is not there";
    std::string written = "@" + names[mention.agent];
    if (!mention.session.empty()) written += "/" + mention.session;
    if (!folded.contains(feed::fold_name(written))) return "somebody is found who is not called";
    const bool may_be = mention.session.empty() || feed::check_session_name(mention.session);
    if (mention.usable != may_be) return "a session is usable and may not be, or the reverse";
    seen.emplace_back(mention.agent, feed::fold_name(mention.session));
  }
  std::ranges::sort(seen);
  return std::ranges::adjacent_find(seen) == seen.end() ? "" : "somebody is found twice";
}

std::string check_strangers(std::string_view text, std::span<const std::string> names) {
  const std::vector<feed::Stranger> strangers = feed::find_strangers(text, names);
  if (strangers.size() > limits::strangers_max) return "too many strangers are found";
  for (const feed::Stranger& one : strangers) {
    if (!text.contains("@" + one.name)) return "a stranger is found who is not called";
    if (one.nearest && *one.nearest >= names.size()) return "a stranger is near nobody";
  }
  return "";
}

std::string check_code(std::string_view text) {
  const std::string plain = feed::without_code(text);
  if (plain.size() != text.size()) return "code is not blanked byte for byte";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (plain[i] != text[i] && (plain[i] != ' ' || text[i] == '\n')) return "text was changed";
  }
  return is_utf8(text) && !is_utf8(plain) ? "half of a character is left" : "";
}

}  // namespace

// Names may come first, each ended by a NUL.
std::string read_mentions(std::string_view input) {
  std::vector<std::string> names{"bot", "bot-two", "Bot three", "연구봇", "b", "에이전트 1", "é"};
  for (std::size_t end = input.find('\0'); end != std::string_view::npos; end = input.find('\0')) {
    if (feed::check_agent_name(input.substr(0, end))) {
      names.emplace_back(input.substr(0, end));
    }
    input.remove_prefix(end + 1);
  }
  const auto found = feed::find_mentions(input, names);
  std::string complaint = check_found(input, names, found);
  if (complaint.empty()) complaint = check_strangers(input, names);
  return complaint.empty() ? check_code(input) : complaint;
}

}  // namespace tyer::fuzz
