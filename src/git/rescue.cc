#include "git/rescue.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/id.h"
#include "base/text.h"

namespace tyer::git {
namespace {

constexpr std::string_view rescue_refs = "refs/tyer/rescue/";

Result<std::string> commit(const Runner& runner, const Repository& repository,
                           const std::string& tree, const std::vector<std::string>& parents,
                           std::string message) {
  Call call = in(repository, {"commit-tree", tree});
  for (const std::string& parent : parents) call.words.insert(call.words.end(), {"-p", parent});
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(runner.env().clock.now().time_since_epoch());
  for (const std::string who : {"GIT_AUTHOR_", "GIT_COMMITTER_"}) {
    call.environment[who + "NAME"] = "tyer";
    call.environment[who + "EMAIL"] = "tyer@localhost";
    call.environment[who + "DATE"] = fmt::format("@{} +0000", seconds.count());
  }
  call.input = std::move(message);
  return runner.line(call);
}

// Many parents are gathered below commits of their own, so that no commit has too many.
Result<std::vector<std::string>> gather(const Runner& runner, const Repository& repository,
                                        const Snapshot& snapshot) {
  std::vector<std::string> parents = snapshot.commits;
  while (parents.size() > limits::rescue_parents_max) {
    std::vector<std::string> fewer;
    for (std::size_t at = 0; at < parents.size(); at += limits::rescue_parents_max) {
      const auto begin = parents.begin() + static_cast<std::ptrdiff_t>(at);
      const auto count = std::min(limits::rescue_parents_max, parents.size() - at);
      TYER_TRY(std::string keeper,
               commit(runner, repository, snapshot.id,
                      {begin, begin + static_cast<std::ptrdiff_t>(count)}, "Kept by a rescue\n"));
      fewer.push_back(std::move(keeper));
    }
    parents = std::move(fewer);
  }
  return parents;
}

// One line of a message, whatever bytes are in it.
std::string encode_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '%') {
      line += fmt::format("%{:02X}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

std::string decode_line(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    unsigned byte = 0;
    if (line[i] == '%' && i + 2 < line.size() &&
        std::from_chars(line.data() + i + 1, line.data() + i + 3, byte, 16).ec == std::errc{}) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += line[i];
    }
  }
  return text;
}

std::string field(std::string_view message, std::string_view name) {
  const std::string wanted = fmt::format("\nTyer-{}: ", name);
  const std::size_t at = message.find(wanted);
  if (at == std::string_view::npos) return "";
  const std::size_t begin = at + wanted.size();
  const std::size_t end = std::min(message.find('\n', begin), message.size());
  return decode_line(message.substr(begin, end - begin));
}

template <class Number>
Number number(const std::string& text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string message_of(const Rescue& rescue) {
  std::string text = fmt::format("Rescue {}\n\n", rescue.name.empty() ? "a worktree" : rescue.name);
  const auto tell = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("Tyer-{}: {}\n", name, encode_line(value));
  };
  tell("Worktree", rescue.name);
  tell("Path", rescue.path);
  tell("Head", rescue.head);
  tell("Branch", rescue.branch);
  tell("Base", rescue.base);
  tell("Tip", rescue.tip);
  tell("Tree", rescue.had_tree ? "" : "missing");
  tell("Why", rescue.why);
  tell("Files", std::to_string(rescue.files));
  tell("Bytes", std::to_string(rescue.bytes));
  return text;
}

}  // namespace

Result<Rescue> keep(const Runner& runner, const Repository& repository, const Holding& holding,
                    const Snapshot& snapshot, const std::string& why) {
  env::Env& env = runner.env();
  Rescue rescue{.id = sortable_id("", env.clock.now(), env.random.bits()),
                .name = holding.name,
                .path = holding.path,
                .head = holding.head,
                .branch = holding.branch,
                .base = holding.base,
                .tip = holding.tip,
                .had_tree = !holding.tree.empty(),
                .why = why,
                .files = snapshot.files,
                .bytes = snapshot.bytes,
                .at = env.clock.now()};
  TYER_TRY(std::vector<std::string> parents, gather(runner, repository, snapshot));
  if (!holding.head.empty()) parents.insert(parents.begin(), holding.head);
  TYER_TRY(rescue.commit, commit(runner, repository, snapshot.id, parents, message_of(rescue)));
  TYER_TRY_OK(
      move_ref(runner, repository, std::string(rescue_refs) + rescue.id, rescue.commit, ""));
  TYER_TRY_OK(env.files.sync_all(repository.common));
  return rescue;
}

Result<std::vector<Rescue>> rescues(const Runner& runner, const Repository& repository) {
  TYER_TRY(const std::string text,
           runner.run(in(repository, {"for-each-ref", "--sort=refname",
                                      "--format=%(refname)%00%(objectname)%00%(committerdate:unix)"
                                      "%00%(contents)%00",
                                      std::string(rescue_refs)})));
  const std::vector<std::string> fields = split_nul(text);
  std::vector<Rescue> found;
  for (std::size_t i = 0; i + 3 < fields.size(); i += 4) {
    const std::string& message = fields[i + 3];
    Rescue rescue{.id = fields[i].substr(fields[i].rfind('/') + 1),
                  .commit = fields[i + 1],
                  .name = field(message, "Worktree"),
                  .path = field(message, "Path"),
                  .head = field(message, "Head"),
                  .branch = field(message, "Branch"),
                  .base = field(message, "Base"),
                  .tip = field(message, "Tip"),
                  .had_tree = field(message, "Tree") != "missing",
                  .why = field(message, "Why"),
                  .files = number<std::size_t>(field(message, "Files")),
                  .bytes = number<std::uint64_t>(field(message, "Bytes"))};
    rescue.at = Time{std::chrono::seconds(number<std::int64_t>(fields[i + 2]))};
    found.push_back(std::move(rescue));
  }
  return found;
}

Result<Rescue> find_rescue(const Runner& runner, const Repository& repository,
                           const std::string& id) {
  TYER_TRY(const std::vector<Rescue> all, rescues(runner, repository));
  std::vector<Rescue> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Rescue& rescue) { return rescue.id.starts_with(id); });
  const std::string shown = printable(id, 80);
  if (id.empty() || found.empty()) {
    return fail(Fault::not_found, fmt::format("there is no rescue '{}'", shown));
  }
  if (found.size() == 1) return found.front();
  return fail(Fault::invalid, fmt::format("'{}' is the beginning of {} rescues; write more of it",
                                          shown, found.size()));
}

}  // namespace tyer::git
