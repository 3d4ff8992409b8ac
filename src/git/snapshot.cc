#include "git/snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "git/names.h"
#include "git/scratch.h"

namespace tyer::git {
namespace {

// What git makes anew for every worktree, or what belongs to a moment.
bool is_remade(std::string_view path) {
  return path == "gitdir" || path == "commondir" || path == "locked" || path.ends_with(".lock");
}

Result<std::string> link_target(const std::string& path) {
  std::string target(65'536, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return fail(Fault::unavailable, fmt::format("cannot read {}", printable(path)));
  target.resize(static_cast<std::size_t>(length));
  return target;
}

// Whether the `.git` at the top is the one that leads to git's directory for this
// worktree. Any other is a repository of its own, and content.
bool leads_to_admin(const Runner& runner, const Holding& holding) {
  constexpr std::string_view begin = "gitdir: ";
  auto text = runner.env().files.read(holding.tree + "/.git", limits::git_errors_max);
  if (!text || !text->starts_with(begin)) return false;
  while (text->ends_with('\n')) text->pop_back();
  const std::filesystem::path target = text->substr(begin.size());
  // A relative one is meant from where the worktree belongs.
  std::error_code problem;
  const bool same = std::filesystem::equivalent(std::filesystem::path(holding.path) / target,
                                                holding.admin, problem);
  return same && !problem;
}

class Taking {
 public:
  Taking(const Runner& runner, const Repository& repository, const Holding& holding,
         Scratch scratch)
      : runner_(runner), repository_(repository), holding_(holding), scratch_(std::move(scratch)) {}

  Result<Snapshot> take() {
    if (!holding_.tree.empty()) TYER_TRY_OK(add_tree());
    if (!holding_.admin.empty()) TYER_TRY_OK(add_admin());
    TYER_TRY_OK(note_branch());
    if (!facts_.empty()) {
      TYER_TRY(const std::string path, scratch_.file(runner_, facts_));
      add("facts", "100644", path);
    }
    TYER_TRY(const std::vector<std::string> ids, scratch_.store(runner_, sources_));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      entries_ += fmt::format("{} {}\t{}", modes_[i], ids[i], names_[i]) + '\0';
    }
    if (!holding_.admin.empty()) TYER_TRY_OK(add_staged());
    Call update = scratch_.call({"update-index", "-z", "--index-info"});
    update.input = std::move(entries_);
    TYER_TRY_OK(runner_.run(update));
    // What a partial clone has not fetched yet is not ours to miss.
    TYER_TRY(snapshot_.id, runner_.line(scratch_.call({"write-tree", "--missing-ok"})));
    TYER_TRY_OK(find_commits());
    TYER_TRY_OK(compare());
    return std::move(snapshot_);
  }

 private:
  void add(const std::string& name, const char* mode, std::string source) {
    names_.push_back(name);
    modes_.emplace_back(mode);
    sources_.push_back(std::move(source));
  }

  Result<> add_item(const std::string& top, const std::string& prefix, const Item& item) {
    const std::string path = top + "/" + item.path;
    const std::string name = prefix + encode_path(item);
    if (item.kind == Item::Kind::link) {
      TYER_TRY(const std::string target, link_target(path));
      TYER_TRY(std::string source, scratch_.file(runner_, target));
      add(name, "120000", std::move(source));
      return {};
    }
    add(name, (item.mode & 0100) != 0 ? "100755" : "100644", path);
    return {};
  }

  Result<> add_tree() {
    TYER_TRY(snapshot_.items, walk(holding_.tree));
    const bool own_git = leads_to_admin(runner_, holding_);
    for (const Item& item : snapshot_.items) {
      if (own_git && item.path == ".git") continue;
      if (is_left_out(item.path)) continue;
      const bool is_directory = item.kind == Item::Kind::directory;
      const mode_t usual = is_directory || (item.mode & 0100) != 0 ? 0755 : 0644;
      const bool told = item.kind != Item::Kind::link && item.mode != usual;
      if (item.kind == Item::Kind::special) continue;
      if (told || item.empty) {
        facts_ += fmt::format("{} {:o} {}", is_directory ? 'd' : 'f', item.mode, item.path) + '\0';
      }
      if (is_directory) continue;
      TYER_TRY_OK(add_item(holding_.tree, "tree/", item));
      snapshot_.files += 1;
      snapshot_.bytes += item.bytes;
    }
    return {};
  }

  // The paths themselves, and what lies below a directory among them.
  bool is_left_out(const std::string& path) const {
    if (holding_.left_out.empty()) return false;
    if (holding_.left_out.contains(path)) return true;
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      if (holding_.left_out.contains(path.substr(0, slash + 1))) return true;
    }
    return holding_.left_out.contains(path + "/");
  }

  Result<> add_admin() {
    TYER_TRY(const std::vector<Item> items, walk(holding_.admin));
    for (const Item& item : items) {
      const bool has_content = item.kind == Item::Kind::file || item.kind == Item::Kind::link;
      if (!has_content || is_remade(item.path)) continue;
      TYER_TRY_OK(add_item(holding_.admin, "git/", item));
      const bool is_text = item.kind == Item::Kind::file && item.path != "index" &&
                           !item.path.starts_with("sharedindex.");
      if (is_text) TYER_TRY_OK(note_commits(holding_.admin + "/" + item.path));
    }
    return {};
  }

  // A branch takes its reflog with it.
  Result<> note_branch() {
    if (holding_.name.empty()) return {};
    const std::string log = fmt::format("{}/logs/{}", repository_.common, branch_of(holding_.name));
    return std::filesystem::exists(log) ? note_commits(log) : Result<>{};
  }

  // Every object id in a text: a reflog, MERGE_HEAD, the list of a rebase.
  Result<> note_commits(const std::string& path) {
    TYER_TRY(const std::string text, runner_.env().files.read(path, limits::rescue_file_bytes_max));
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const bool hex = i < text.size() &&
                       ((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f'));
      if (hex) continue;
      const std::size_t length = i - begin;
      if (length == 40 || length == 64) mentioned_.insert(text.substr(begin, length));
      begin = i + 1;
    }
    return {};
  }

  Result<> add_staged() {
    // One that was never written is not one that says "all deleted".
    has_index_ = std::filesystem::exists(holding_.admin + "/index");
    if (!has_index_) return {};
    Call list = in_tree(holding_.admin, holding_.admin, {"ls-files", "--stage", "-z"});
    // Where the files are does not matter to it.
    list.environment["GIT_WORK_TREE"] = holding_.admin;
    TYER_TRY(const std::string text, runner_.run(list));
    for (const std::string& entry : split_nul(text)) {
      const std::size_t tab = entry.find('\t');
      if (tab == std::string::npos || tab < 3) continue;
      const char stage = entry[tab - 1];
      if (stage != '0') snapshot_.differs = snapshot_.adds = true;
      entries_ +=
          fmt::format("{}\tindex/{}/{}", entry.substr(0, tab - 2), stage, entry.substr(tab + 1)) +
          '\0';
    }
    return {};
  }

  // Those of the ids that are commits and that HEAD does not lead to.
  Result<> find_commits() {
    if (!holding_.tip.empty()) mentioned_.insert(holding_.tip);
    Call check = in(repository_, {"cat-file", "--batch-check=%(objecttype) %(objectname)"});
    for (const std::string& id : mentioned_) check.input += id + "\n";
    TYER_TRY(const std::string found, runner_.run(check));
    std::set<std::string> commits;
    Call list = in(repository_, {"rev-list", "--stdin"});
    list.at_most = limits::git_slow_max;
    for (std::size_t at = 0; at < found.size();) {
      const std::size_t end = std::min(found.find('\n', at), found.size());
      const std::string line = found.substr(at, end - at);
      at = end + 1;
      if (!line.starts_with("commit ")) continue;
      commits.insert(line.substr(7));
      list.input += line.substr(7) + "\n";
    }
    if (commits.empty()) return {};
    if (!holding_.head.empty()) list.input += "^" + holding_.head + "\n";
    TYER_TRY(const std::string beyond, runner_.run(list));
    for (std::size_t at = 0; at < beyond.size();) {
      const std::size_t end = std::min(beyond.find('\n', at), beyond.size());
      const std::string id = beyond.substr(at, end - at);
      if (commits.contains(id)) snapshot_.commits.push_back(id);
      at = end + 1;
    }
    return {};
  }

  Result<> compare() {
    TYER_TRY(const std::string nothing,
             runner_.line(scratch_.call({"hash-object", "-w", "-t", "tree", "--stdin"})));
    const auto part = [&](const std::string& name) -> Result<std::string> {
      TYER_TRY(const auto id, resolve(runner_, repository_, snapshot_.id + ":" + name));
      return id.value_or(nothing);
    };
    TYER_TRY(const std::string files, part("tree"));
    TYER_TRY(const std::string staged, part("index/0"));
    std::optional<std::string> head = nothing;
    if (!holding_.head.empty()) {
      TYER_TRY(head, resolve(runner_, repository_, holding_.head + "^{tree}"));
    }
    if (!head) return fail(Fault::broken, fmt::format("the commit {} is damaged", holding_.head));
    const auto changes = [&](const char* filter, const std::string& to) -> Result<bool> {
      TYER_TRY(const std::string names,
               runner_.run(in(repository_, {"diff-tree", "-r", "--no-renames", "--name-only",
                                            "--ignore-submodules=all", filter, *head, to, "--"})));
      return !names.empty();
    };
    TYER_TRY(const bool files_differ, changes("--diff-filter=ACDMTUX", files));
    TYER_TRY(const bool files_add, changes("--diff-filter=ACMTUX", files));
    const bool is_missing = holding_.tree.empty();
    snapshot_.differs = snapshot_.differs || (!is_missing && files_differ);
    snapshot_.adds = snapshot_.adds || (!is_missing && files_add);
    if (has_index_ && staged != *head) snapshot_.differs = snapshot_.adds = true;
    return {};
  }

  const Runner& runner_;
  const Repository& repository_;
  const Holding& holding_;
  Scratch scratch_;
  Snapshot snapshot_;
  std::vector<std::string> names_;    // In the commit's tree,
  std::vector<std::string> modes_;    // with their modes
  std::vector<std::string> sources_;  // and where the content is.
  std::string facts_;
  std::string entries_;
  std::set<std::string> mentioned_;
  bool has_index_ = false;
};

}  // namespace

Result<Snapshot> take(const Runner& runner, const Repository& repository, const Holding& holding) {
  TYER_TRY(Scratch scratch, Scratch::make(runner, repository));
  return Taking(runner, repository, holding, std::move(scratch)).take();
}

}  // namespace tyer::git
