#include "git/own_programs.h"

#include <algorithm>
#include <array>
#include <span>

#include "git/limits.h"

namespace tyer::git {
namespace {

// A setting that has git run its value: the section's name and the last part. In between may stand
// a name of the user's.
struct Setting {
  std::string_view section;
  std::string_view last;
};

constexpr std::array local_programs{
    Setting{"filter", "clean"}, Setting{"filter", "smudge"}, Setting{"filter", "process"},
    Setting{"merge", "driver"}, Setting{"diff", "command"}, Setting{"diff", "textconv"},
    Setting{"diff", "external"}, Setting{"gpg", "program"}, Setting{"hook", "command"},
    Setting{"trailer", "command"}, Setting{"trailer", "cmd"},
    // What it brings in may depend on the branch.
    Setting{"includeif", "path"}};

// These only where git gets objects from elsewhere while it works.
constexpr std::array promises{Setting{"remote", "promisor"}, Setting{"extensions", "partialclone"}};
constexpr std::array remote_programs{
    Setting{"core", "sshcommand"},   Setting{"core", "gitproxy"},     Setting{"core", "askpass"},
    Setting{"credential", "helper"}, Setting{"remote", "uploadpack"}, Setting{"remote", "vcs"},
    Setting{"protocol", "allow"}};

bool is_among(std::span<const Setting> settings, std::string_view name) {
  const std::string_view section = name.substr(0, name.find('.'));
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return std::ranges::any_of(settings, [&](const Setting& setting) {
    return setting.section == section && setting.last == last;
  });
}

std::string_view name_of(std::string_view entry) {
  return entry.substr(0, entry.find('\n'));
}

// Of the repository, not of the user or the machine: "NAME\nVALUE" or "NAME".
std::vector<std::string> own_entries(std::string_view listing) {
  std::vector<std::string> entries;
  const std::vector<std::string> fields = split_nul(listing);
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i] == "local" || fields[i] == "worktree") entries.push_back(fields[i + 1]);
  }
  return entries;
}

}  // namespace

std::vector<std::string> programs_in(std::string_view listing) {
  const std::vector<std::string> entries = own_entries(listing);
  const bool fetches = std::ranges::any_of(
      entries, [](const std::string& entry) { return is_among(promises, name_of(entry)); });
  std::vector<std::string> found;
  for (std::string entry : entries) {
    const std::string_view name = name_of(entry);
    if (!is_among(local_programs, name) && !(fetches && is_among(remote_programs, name))) continue;
    if (const std::size_t end = name.size(); end < entry.size()) entry[end] = '=';
    found.push_back(std::move(entry));
  }
  std::ranges::sort(found);
  const auto [first, last] = std::ranges::unique(found);
  found.erase(first, last);
  return found;
}

Result<std::vector<std::string>> own_programs(const Runner& runner, const Repository& repository) {
  const std::vector<std::string> words{"config", "--list", "--show-scope", "-z"};
  TYER_TRY(std::string listing, runner.run(in(repository, words)));
  // Each worktree may have some of its own.
  TYER_TRY(const std::vector<env::Entry> trees,
           runner.env().files.list(repository.common + "/worktrees"));
  for (const env::Entry& tree : trees) {
    const std::string admin = repository.common + "/worktrees/" + tree.name;
    const auto own = runner.env().files.read(admin + "/config.worktree", 1);
    if (!own && own.error().fault == Fault::not_found) continue;
    TYER_TRY(const std::string more, runner.run({.words = words,
                                                 .directory = repository.common,
                                                 .environment = {{"GIT_DIR", admin}}}));
    listing += more;
  }
  return programs_in(listing);
}

}  // namespace tyer::git
