#include "git/names.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "git/limits.h"

namespace tyer::git {
namespace {

// What is wrong with one part of a ref; empty: nothing. See git-check-ref-format(1).
std::string_view part_problem(std::string_view part) {
  if (part.empty()) return "has an empty part";
  if (part.front() == '-') return "has a part that starts with '-'";
  if (part.front() == '.') return "has a part that starts with '.'";
  if (part.ends_with('.')) return "has a part that ends with '.'";
  if (part.ends_with(".lock")) return "has a part that ends with '.lock'";
  if (part.contains("..")) return "has '..' in it";
  if (part.contains("@{") || part == "@") return "has an '@' where git gives it a meaning";
  const auto bad =
      std::ranges::find_if(part, [](char c) { return std::string_view(" ~^:?*[\\").contains(c); });
  return bad == part.end() ? "" : "has a space or one of ~^:?*[\\ in it";
}

Result<> check_text(std::string_view what, std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return fail(Fault::invalid, fmt::format("{} '{}' {}", what, printable(text, 80), why));
  };
  if (text.empty()) return fail(Fault::invalid, fmt::format("{} must not be empty", what));
  if (text.size() > limits::revision_bytes_max) return wrong("is too long");
  if (!is_utf8(text)) return wrong("is not UTF-8");
  if (has_control_characters(text)) return wrong("has a control character in it");
  if (has_hidden_characters(text)) return wrong("has a character in it that nobody sees");
  if (text.front() == '-' || text.front() == '^') return wrong("starts with '-' or '^'");
  return {};
}

Result<> check_parts(std::string_view what, std::string_view text, std::size_t bytes_max) {
  TYER_TRY_OK(check_text(what, text));
  std::string_view rest = text;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    std::string_view problem = part_problem(part);
    if (problem.empty() && part.size() > bytes_max) problem = "has a part that is too long";
    if (!problem.empty()) {
      return fail(Fault::invalid, fmt::format("{} '{}' {}", what, printable(text, 80), problem));
    }
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

Result<> check_tree_name(std::string_view name) {
  constexpr std::string_view what = "the worktree name";
  TYER_TRY_OK(check_parts(what, name, limits::tree_name_bytes_max));
  if (std::ranges::count(name, '/') <= 1) return {};
  return fail(Fault::invalid, fmt::format("{} '{}' has more than one slash in it; write it like "
                                          "worker or team/worker",
                                          what, printable(name, 80)));
}

Result<> check_branch(std::string_view branch) {
  return check_parts("the branch", branch, limits::revision_bytes_max);
}

Result<> check_revision(std::string_view revision) {
  return check_text("the revision", revision);
}

std::string branch_of(std::string_view name) {
  return fmt::format("refs/heads/tyer/{}", name);
}

std::string short_ref(std::string_view ref) {
  constexpr std::string_view heads = "refs/heads/";
  if (ref.starts_with(heads)) return std::string(ref.substr(heads.size()));
  if (ref.starts_with("refs/")) return std::string(ref.substr(5));
  return std::string(ref.substr(0, 12));
}

}  // namespace tyer::git
