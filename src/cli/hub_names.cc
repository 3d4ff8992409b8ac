#include "cli/hub_names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/limits.h"
#include "feed/names.h"

namespace tyer::cli {
namespace {

constexpr std::size_t id_chars = 26;

struct Called {
  std::string id;
  std::string name;
};

std::string listed(const std::vector<Called>& all, bool with_ids) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), limits::named_max); ++i) {
    const std::string name = printable(all[i].name, 100);
    text += (i == 0 ? "" : ", ") + (with_ids ? fmt::format("{} ({})", all[i].id, name) : name);
  }
  if (all.size() > limits::named_max) {
    text += fmt::format(" and {} more", all.size() - limits::named_max);
  }
  return text;
}

Tried<std::string> pick(const Json& rows, std::string_view kind, const std::string& text) {
  std::vector<Called> all;
  for (const Json& row : rows) all.push_back({text_or(row, "id"), text_or(row, "name")});
  std::vector<Called> same;
  const std::string folded = is_utf8(text) ? feed::fold_name(text) : text;
  for (const Called& one : all) {
    if (one.id == text) return one.id;
    if (feed::fold_name(one.name) == folded) same.push_back(one);
  }
  if (same.empty()) {
    return std::unexpected(Failure{
        {Fault::not_found,
         fmt::format("there is no {} '{}'{}{}", kind, printable(text, 100),
                     all.empty() ? fmt::format("; there is no {} at all", kind) : "; there are ",
                     listed(all, false))}});
  }
  if (same.size() > 1) {
    const auto exact =
        std::ranges::partition(same, [&](const Called& one) { return one.name == text; });
    const auto how_many = exact.begin() - same.begin();
    if (how_many != 1) {
      return std::unexpected(
          Failure{{Fault::invalid, fmt::format("{} {}s are called '{}': {}", same.size(), kind,
                                               printable(text, 100), listed(same, true))},
                  "give the id of the one that is meant"});
    }
  }
  return same.front().id;
}

}  // namespace

bool is_id(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) && text.size() == prefix.size() + id_chars &&
         std::ranges::all_of(text.substr(prefix.size()), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
         });
}

Tried<std::string> find_agent(Door& door, const std::string& text) {
  if (is_id(text, "ag_")) return text;
  TYER_TRY(const Json rows, door.ask_all("/api/agents", {}, limits::hub_list_rows));
  return pick(rows, "agent", text);
}

Tried<std::string> find_feed(Door& door, const std::string& text) {
  if (is_id(text, "fd_")) return text;
  TYER_TRY(const Json rows, door.ask_all("/api/feeds", {}, limits::hub_list_rows));
  return pick(rows, "feed", text);
}

Tried<std::string> find_session(Door& door, const std::string& agent, const std::string& text) {
  TYER_TRY(const Json rows,
           door.ask_all("/api/agents/" + agent + "/sessions", {}, limits::hub_list_rows));
  return pick(rows, "session", text);
}

Result<std::string> check_post(const std::string& text) {
  if (is_id(text, "ps_")) return text;
  return fail(Fault::not_found,
              fmt::format("there is no post '{}'; posts are named by their ids, ps_…, which 'tyer "
                          "feed show FEED' lists",
                          printable(text, 100)));
}

}  // namespace tyer::cli
