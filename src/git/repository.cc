#include "git/repository.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "git/main_checkout.h"
#include "git/names.h"

namespace tyer::git {
namespace {

Result<std::string> real_path(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path real = std::filesystem::canonical(path, problem);
  if (!problem) return real.string();
  return fail(Fault::unavailable,
              fmt::format("cannot find {}: {}", printable(path), problem.message()));
}

// FNV-1a. Two repositories with one id would only wait for each other.
std::string id_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

void note(Checkout& checkout, const std::string& field) {
  const std::size_t space = field.find(' ');
  const std::string name = field.substr(0, space);
  const std::string value = space == std::string::npos ? "" : field.substr(space + 1);
  if (name == "worktree") checkout.path = value;
  if (name == "HEAD" && value.find_first_not_of('0') != std::string::npos) checkout.head = value;
  if (name == "branch") checkout.branch = value;
  if (name == "bare") checkout.bare = true;
  if (name == "locked") {
    checkout.locked = true;
    checkout.lock_reason = value;
  }
}

// Whether the lock was made soon after the note. Then it is that of the call that left
// the note and cannot take its lock back any more.
bool was_made_after(const std::string& lock, std::filesystem::file_time_type noted) {
  std::error_code problem;
  const auto made = std::filesystem::last_write_time(lock, problem);
  return !problem && made >= noted && made - noted < limits::git_lock_after_note;
}

// Runs git to change `ref`. A git that is killed leaves its locks for ever, so it is noted
// which ref is being changed: what a dead call of ours has locked is unlocked.
Result<> change_ref(const Runner& runner, const Repository& repository, const std::string& ref,
                    std::vector<std::string> words) {
  env::Files& files = runner.env().files;
  const std::string notes = repository.common + "/tyer/moving";
  const std::string note = fmt::format("{}/{}", notes, encode_file_name(ref));
  std::error_code none;
  const auto noted = std::filesystem::last_write_time(note, none);
  TYER_TRY_OK(files.make_directory(notes));
  TYER_TRY_OK(files.replace(note, ref));
  const Call call = in(repository, std::move(words));
  TYER_TRY(Answer answer, runner.ask(call));
  for (const std::string& name : {ref, std::string("packed-refs")}) {
    const std::string lock = fmt::format("{}/{}.lock", repository.common, name);
    // Git has waited for it before it complained.
    if (answer.code == 0 || none || !answer.err.contains(lock + "': File exists")) continue;
    if (!was_made_after(lock, noted)) continue;
    TYER_TRY_OK(files.remove(lock));
    TYER_TRY(answer, runner.ask(call));
  }
  TYER_TRY_OK(files.remove(note));
  if (answer.code != 0) return std::unexpected(complaint(call, answer));
  return {};
}

}  // namespace

Result<Repository> find_repository(const Runner& runner, const std::string& directory) {
  const Call call{.words = {"rev-parse", "--path-format=absolute", "--git-common-dir"},
                  .directory = directory};
  TYER_TRY(Answer answer, runner.ask(call));
  if (answer.code != 0 && answer.err.contains("not a git repository")) {
    return fail(Fault::not_found,
                fmt::format("there is no git repository here or above ({})", printable(directory)));
  }
  if (answer.code != 0) return std::unexpected(complaint(call, answer));
  if (answer.out.ends_with('\n')) answer.out.pop_back();
  Repository repository;
  TYER_TRY(repository.common, real_path(answer.out));
  repository.root = main_checkout_of(runner.env().files, repository.common);
  repository.id = id_of(repository.common);
  return repository;
}

Result<Repository> clone(const Runner& runner, const std::string& url,
                         const std::string& directory) {
  if (url.empty() || url.starts_with('-') || url.contains("::") || has_control_characters(url)) {
    return fail(Fault::invalid, fmt::format("'{}' is no address to clone from", printable(url)));
  }
  TYER_TRY_OK(runner.run(
      {.words = {"clone", "--quiet", "--", url, directory}, .at_most = limits::git_slow_max}));
  return find_repository(runner, directory);
}

Call in(const Repository& repository, std::vector<std::string> words) {
  return {.words = std::move(words),
          .directory = repository.common,
          .environment = {{"GIT_DIR", repository.common}}};
}

Call in_tree(const std::string& tree, const std::string& admin, std::vector<std::string> words) {
  return {.words = std::move(words),
          .directory = tree,
          .environment = {{"GIT_DIR", admin}, {"GIT_WORK_TREE", tree}},
          .at_most = limits::git_slow_max};
}

Result<std::vector<Checkout>> checkouts(const Runner& runner, const Repository& repository) {
  TYER_TRY(const std::string text,
           runner.run(in(repository, {"worktree", "list", "--porcelain", "-z"})));
  std::vector<Checkout> found;
  Checkout next;
  for (const std::string& field : split_nul(text)) {
    if (!field.empty()) {
      note(next, field);
      continue;
    }
    // Git takes the main checkout to be around its directory, wherever it really is.
    if (found.empty() && !next.bare) next.path = repository.root;
    found.push_back(std::exchange(next, {}));
  }
  return found;
}

Result<std::optional<std::string>> admin_of(const Runner& runner, const Repository& repository,
                                            const std::string& path) {
  if (path == repository.root) return repository.common;
  const std::string all = repository.common + "/worktrees";
  TYER_TRY(const std::vector<env::Entry> entries, runner.env().files.list(all));
  for (const env::Entry& entry : entries) {
    const std::string admin = fmt::format("{}/{}", all, entry.name);
    auto text = runner.env().files.read(admin + "/gitdir", limits::git_errors_max);
    if (!text) continue;  // Half made, or being removed.
    while (text->ends_with('\n')) text->pop_back();
    // From here, if git was told to write relative paths.
    const std::filesystem::path leads_to = std::filesystem::path(admin) / *text;
    if (leads_to.lexically_normal() == path + "/.git") return admin;
  }
  return std::nullopt;
}

Result<std::optional<std::string>> resolve(const Runner& runner, const Repository& repository,
                                           const std::string& name) {
  TYER_TRY(
      Answer answer,
      runner.ask(in(repository, {"rev-parse", "--quiet", "--verify", "--end-of-options", name})));
  if (answer.code != 0) return std::nullopt;
  if (answer.out.ends_with('\n')) answer.out.pop_back();
  return std::move(answer.out);
}

Result<std::optional<std::string>> symbolic(const Runner& runner, const Repository& repository,
                                            const std::string& ref) {
  TYER_TRY(Answer answer, runner.ask(in(repository, {"symbolic-ref", "--quiet", ref})));
  if (answer.code != 0) return std::nullopt;
  if (answer.out.ends_with('\n')) answer.out.pop_back();
  return std::move(answer.out);
}

Result<std::size_t> commits_beyond(const Runner& runner, const Repository& repository,
                                   const std::string& of, const std::string& in_other) {
  Call call = in(repository, {"rev-list", "--count", of});
  if (!in_other.empty()) call.words.push_back("^" + in_other);
  call.words.emplace_back("--");
  call.at_most = limits::git_slow_max;
  TYER_TRY(const std::string text, runner.line(call));
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<> move_ref(const Runner& runner, const Repository& repository, const std::string& ref,
                  const std::string& after, const std::string& before) {
  std::vector<std::string> words{"update-ref", "--no-deref", "-m", "tyer"};
  if (after.empty()) {
    words.insert(words.end(), {"-d", ref, before});
  } else {
    words.insert(words.end(), {ref, after, before});
  }
  return change_ref(runner, repository, ref, std::move(words));
}

Result<> point_ref(const Runner& runner, const Repository& repository, const std::string& ref,
                   const std::string& target) {
  if (target.empty()) {
    return change_ref(runner, repository, ref, {"update-ref", "--no-deref", "-d", ref});
  }
  if (target.starts_with("refs/")) {
    return change_ref(runner, repository, ref, {"symbolic-ref", ref, target});
  }
  return change_ref(runner, repository, ref, {"update-ref", "--no-deref", ref, target});
}

Result<std::map<std::string, std::string>> identity(const Runner& runner,
                                                    const Repository& repository) {
  std::map<std::string, std::string> variables;
  const auto settle = [&](const std::string& part, const std::string& setting,
                          const std::string& fallback) -> Result<> {
    TYER_TRY(const Answer set, runner.ask(in(repository, {"config", "--get", setting})));
    for (const std::string who : {"GIT_AUTHOR_", "GIT_COMMITTER_"}) {
      if (set.code != 0 && !runner.has(who + part)) variables[who + part] = fallback;
    }
    return {};
  };
  TYER_TRY_OK(settle("NAME", "user.name", "tyer"));
  TYER_TRY_OK(settle("EMAIL", "user.email", "tyer@localhost"));
  return variables;
}

Result<> exclude_tyer(const Runner& runner, const Repository& repository) {
  constexpr std::string_view line = "/.tyer/";
  env::Files& files = runner.env().files;
  TYER_TRY_OK(files.make_directory(repository.common + "/info"));
  const std::string path = repository.common + "/info/exclude";
  TYER_TRY(const auto file, files.open(path, env::Open::write));
  TYER_TRY(const std::uint64_t size, file->size());
  TYER_TRY(const std::string text, file->read(0, limits::git_output_max));
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (rest.substr(0, end) == line) return {};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const bool open_line = !text.empty() && !text.ends_with('\n');
  return file->write(size, fmt::format("{}{}\n", open_line ? "\n" : "", line));
}

}  // namespace tyer::git
