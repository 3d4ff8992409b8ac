#include "git/main_checkout.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "git/limits.h"

namespace tyer::git {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

bool is_directory(const std::string& path) {
  std::error_code none;
  return fs::is_directory(path, none);
}

// Without symbolic links, if that can be told.
std::string real_path(const fs::path& path) {
  std::error_code problem;
  const fs::path real = fs::canonical(path, problem);
  return problem ? path.lexically_normal().string() : real.string();
}

// As git recognizes its directory: a repository's own, or that of a linked worktree.
bool is_git_directory(const std::string& path) {
  if (!exists(path + "/HEAD")) return false;
  return exists(path + "/commondir") ||
         (is_directory(path + "/objects") && is_directory(path + "/refs"));
}

// The first line of one of git's small files; empty if there is none.
std::string first_line(env::Files& files, const std::string& path) {
  const auto text = files.read(path, limits::git_pointer_bytes_max);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

// A value as git's configuration writes it: quotes, escapes, and a comment behind it.
std::string unquoted(std::string_view text) {
  std::string value;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (text[i] == '#' || text[i] == ';')) {
      break;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      value += text[++i];
    } else {
      value += text[i];
    }
  }
  return std::string(trimmed(value));
}

// What the configuration of a repository says of its checkouts.
struct Said {
  bool is_bare = false;
  bool has_own_for_worktrees = false;
  std::string worktree;
};

void note(Said& said, const std::string& name, std::string_view value) {
  const std::string text = unquoted(value);
  const std::string word = in_small_letters(text);
  const bool is_true = word == "true" || word == "yes" || word == "on" || word == "1";
  if (name == "core.bare") said.is_bare = is_true;
  if (name == "extensions.worktreeconfig") said.has_own_for_worktrees = is_true;
  if (name == "core.worktree") said.worktree = text;
}

void read_config(env::Files& files, const std::string& path, Said& said) {
  const auto text = files.read(path, limits::git_config_bytes_max);
  if (!text) return;
  std::string section;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('[') && line.contains(']')) {
      const std::size_t close = line.find(']');
      section = in_small_letters(trimmed(line.substr(1, close - 1)));
      line = trimmed(line.substr(close + 1));
    }
    const std::size_t equals = line.find('=');
    const std::string name = section + "." + in_small_letters(trimmed(line.substr(0, equals)));
    // A name alone means yes.
    note(said, name, equals == std::string_view::npos ? "true" : line.substr(equals + 1));
  }
}

std::string common_of(env::Files& files, const std::string& git) {
  const std::string leads_to = first_line(files, git + "/commondir");
  return real_path(leads_to.empty() ? fs::path(git) : fs::path(git) / leads_to);
}

// The repository around a submodule keeps its git directory below `modules` in its own.
std::string common_around(env::Files& files, const std::string& common) {
  constexpr std::string_view inside = "/modules/";
  for (std::size_t at = common.find(inside); at != std::string::npos;
       at = common.find(inside, at + 1)) {
    const std::string around = common.substr(0, at);
    if (is_git_directory(around)) return common_of(files, around);
  }
  return common;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

}  // namespace

std::string main_checkout_of(env::Files& files, const std::string& common) {
  Said said;
  read_config(files, common + "/config", said);
  if (said.has_own_for_worktrees) read_config(files, common + "/config.worktree", said);
  if (said.is_bare) return common;
  if (!said.worktree.empty()) return real_path(fs::path(common) / said.worktree);
  return common.ends_with("/.git") ? parent_of(common) : common;
}

std::optional<std::string> find_main_checkout(env::Files& files, const std::string& directory) {
  for (std::string here = directory;; here = parent_of(here)) {
    const std::string base = here == "/" ? "" : here;
    std::string git = base + "/.git";
    std::error_code none;
    if (const auto kind = fs::status(git, none).type(); kind == fs::file_type::regular) {
      constexpr std::string_view mark = "gitdir: ";
      const std::string line = first_line(files, git);
      // One that leads nowhere says that this is a checkout, though not of what.
      if (!line.starts_with(mark)) return here;
      git = (fs::path(here) / line.substr(mark.size())).lexically_normal().string();
      if (!is_git_directory(git)) return here;
    } else if (kind != fs::file_type::directory || !is_git_directory(git)) {
      git = base;
      if (!is_git_directory(git)) git.clear();
    }
    if (!git.empty()) {
      return main_checkout_of(files, common_around(files, common_of(files, git)));
    }
    if (here == "/") return std::nullopt;
  }
}

}  // namespace tyer::git
