#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "env/os_error.h"
#include "git/names.h"
#include "git/removal.h"
#include "git/scratch.h"
#include "git/worktrees.h"

namespace tyer::git {
namespace {

namespace fs = std::filesystem;

struct Facts {
  std::map<std::string, mode_t> modes;
  std::vector<std::string> directories;
};

Facts parse_facts(const std::string& text) {
  Facts facts;
  for (const std::string& line : split_nul(text)) {
    const std::size_t space = line.find(' ', 2);
    if (space == std::string::npos) continue;
    mode_t mode = 0;
    std::from_chars(line.data() + 2, line.data() + space, mode, 8);
    std::string path = line.substr(space + 1);
    // A repository at the top keeps its other name: see decode_names.
    if (path == ".git" || path.starts_with(".git/")) {
      path = encode_path({.path = ".git"}) + path.substr(4);
    }
    facts.modes[path] = mode & 07777;
    if (line.front() == 'd') facts.directories.push_back(path);
  }
  return facts;
}

class Restore {
 public:
  Restore(const Runner& runner, const Repository& repository, const Rescue& rescue,
          std::string path)
      : runner_(runner),
        repository_(repository),
        rescue_(rescue),
        path_(std::move(path)),
        mark_(fmt::format("{}restoring {}", our_mark, rescue.id)) {}

  Result<Restored> run() {
    TYER_TRY(const bool begun, check_place());
    const std::string& commit = rescue_.head.empty() ? rescue_.commit : rescue_.head;
    if (!begun) {
      TYER_TRY_OK(
          runner_.run(in(repository_, {"worktree", "add", "--quiet", "--no-checkout", "--detach",
                                       "--lock", "--reason", mark_, "--", path_, commit})));
    }
    TYER_TRY(const auto admin, admin_of(runner_, repository_, path_));
    if (!admin) return fail(Fault::broken, fmt::format("git does not know {}", printable(path_)));
    admin_ = *admin;
    TYER_TRY_OK(write_files());
    TYER_TRY_OK(write_out("git", admin_));
    TYER_TRY(Restored restored, set_head());
    if (!rescue_.had_tree) {
      TYER_TRY_OK(runner_.run(in_tree(path_, admin_, {"checkout-index", "-a", "-q"})));
    }
    TYER_TRY_OK(restore_name());
    TYER_TRY_OK(runner_.run(in(repository_, {"worktree", "unlock", "--", path_})));
    return restored;
  }

 private:
  // Whether an earlier call began it and did not come to an end.
  Result<bool> check_place() {
    TYER_TRY_OK(runner_.env().files.make_directory(fs::path(path_).parent_path().string()));
    std::error_code problem;
    // As git will know it.
    const fs::path parent = fs::canonical(fs::path(path_).parent_path(), problem);
    if (!problem) path_ = (parent / fs::path(path_).filename()).string();
    TYER_TRY(const std::vector<Checkout> all, checkouts(runner_, repository_));
    const auto known = std::ranges::find(all, path_, &Checkout::path);
    const bool is_known = known != all.end();
    if (is_known && known->locked && known->lock_reason == mark_) return true;
    const bool is_there =
        fs::exists(fs::symlink_status(path_, problem)) && !fs::is_empty(path_, problem);
    if (!is_known && !is_there) return false;
    return fail(Fault::conflict,
                fmt::format("{} is there already; name another place with --to", printable(path_)));
  }

  // The files of one part of the rescue as they were, but for their names.
  Result<> write_out(const std::string& part, const std::string& directory) {
    const std::string name = fmt::format("{}:{}", rescue_.commit, part);
    TYER_TRY(const auto tree, resolve(runner_, repository_, name));
    if (!tree) return {};
    TYER_TRY(const Scratch scratch, Scratch::make(runner_, repository_));
    TYER_TRY_OK(runner_.run(scratch.call({"read-tree", *tree})));
    TYER_TRY_OK(runner_.run(scratch.call_in(directory, {"checkout-index", "-a", "-f", "-q"})));
    return {};
  }

  Result<> write_files() {
    TYER_TRY_OK(write_out("tree", path_));
    TYER_TRY_OK(decode_names());
    TYER_TRY(const auto id, resolve(runner_, repository_, rescue_.commit + ":facts"));
    Facts facts;
    if (id) {
      TYER_TRY(const std::string text, runner_.run(in(repository_, {"cat-file", "blob", *id})));
      facts = parse_facts(text);
    }
    for (const std::string& directory : facts.directories) TYER_TRY_OK(make_inside(directory));
    TYER_TRY(std::vector<Item> items, walk(path_));
    // What lies deepest first: a directory may become read-only.
    for (const Item& item : items | std::views::reverse) {
      if (item.kind == Item::Kind::link || item.path == ".git") continue;
      const bool is_directory = item.kind == Item::Kind::directory;
      const mode_t usual = is_directory || (item.mode & 0100) != 0 ? 0755 : 0644;
      const auto told = facts.modes.find(item.path);
      const std::string path = path_ + "/" + item.path;
      if (::chmod(path.c_str(), told == facts.modes.end() ? usual : told->second) != 0) {
        return std::unexpected(env::os_error(errno, "set the permissions of", path));
      }
    }
    return {};
  }

  // From the bottom up, so that the way to a name is as it was found.
  Result<> decode_names() {
    TYER_TRY(const std::vector<Item> items, walk(path_));
    for (const Item& item : items | std::views::reverse) {
      const fs::path from = fs::path(path_) / item.path;
      const std::string name = decode_name(from.filename().string());
      if (name == from.filename()) continue;
      const fs::path to = from.parent_path() / name;
      // At the top, that name leads to the repository now.
      if (to == fs::path(path_) / ".git") continue;
      TYER_TRY_OK(remove_all(to.string()));
      if (::rename(from.c_str(), to.c_str()) != 0) {
        return std::unexpected(env::os_error(errno, "rename", from.string()));
      }
    }
    return {};
  }

  // Never through a link: it could lead out of the worktree.
  Result<> make_inside(const std::string& directory) {
    fs::path path = path_;
    for (const fs::path& part : fs::path(directory)) {
      if (part == ".." || part == "." || part.is_absolute()) {
        return fail(Fault::broken,
                    fmt::format("the rescue {} has the path {}", rescue_.id, printable(directory)));
      }
      path /= part;
      std::error_code problem;
      const fs::file_status status = fs::symlink_status(path, problem);
      if (fs::is_directory(status)) continue;
      if (fs::exists(status) || ::mkdir(path.c_str(), 0700) != 0) {
        return std::unexpected(
            env::os_error(fs::exists(status) ? EEXIST : errno, "make", path.string()));
      }
    }
    return {};
  }

  Result<Restored> set_head() {
    Restored restored{.path = path_, .head = rescue_.head};
    TYER_TRY(const bool free, branch_is_free());
    if (free && !rescue_.head.empty()) {
      TYER_TRY(const auto now, resolve(runner_, repository_, rescue_.branch));
      if (!now) TYER_TRY_OK(move_ref(runner_, repository_, rescue_.branch, rescue_.head, ""));
    }
    if (free) {
      restored.branch = rescue_.branch;
    } else if (restored.head.empty()) {
      restored.head = rescue_.commit;
    }
    // By hand: git would add a line to the reflog, which is as it was.
    const std::string head = free ? "ref: " + restored.branch : restored.head;
    TYER_TRY_OK(runner_.env().files.replace(admin_ + "/HEAD", head + "\n"));
    return restored;
  }

  Result<bool> branch_is_free() {
    if (rescue_.branch.empty()) return false;
    TYER_TRY(const std::vector<Checkout> all, checkouts(runner_, repository_));
    const bool used = std::ranges::any_of(all, [&](const Checkout& other) {
      return other.branch == rescue_.branch && other.path != path_;
    });
    TYER_TRY(const auto now, resolve(runner_, repository_, rescue_.branch));
    return !used && (!now || *now == rescue_.head);
  }

  // What belongs to the worktree's name: its own branch, wherever HEAD is, and its base.
  Result<> restore_name() {
    if (rescue_.name.empty() || !check_tree_name(rescue_.name)) return {};
    const std::string own = branch_of(rescue_.name);
    TYER_TRY(const auto tip, resolve(runner_, repository_, own));
    if (!tip && !rescue_.tip.empty()) {
      TYER_TRY_OK(move_ref(runner_, repository_, own, rescue_.tip, ""));
    }
    const std::string ref = base_ref(rescue_.name);
    TYER_TRY(const auto base, resolve(runner_, repository_, ref));
    TYER_TRY(const auto wanted, resolve(runner_, repository_, rescue_.base + "^{commit}"));
    if (base || rescue_.base.empty() || !wanted) return {};
    const bool is_branch = rescue_.base.starts_with("refs/heads/");
    return point_ref(runner_, repository_, ref, is_branch ? rescue_.base : *wanted);
  }

  const Runner& runner_;
  const Repository& repository_;
  const Rescue& rescue_;
  std::string path_;
  std::string admin_;
  const std::string mark_;
};

}  // namespace

Result<Restored> restore(const Runner& runner, const Repository& repository, const Rescue& rescue,
                         const std::string& to) {
  TYER_TRY_OK(settle(runner, repository));
  TYER_TRY_OK(exclude_tyer(runner, repository));
  std::string path = to;
  // By its name, in case that the repository has been moved meanwhile.
  if (path.empty() && check_tree_name(rescue.name)) {
    path = fmt::format("{}/{}", repository.trees(), rescue.name);
  }
  if (path.empty()) path = rescue.path;
  return Restore(runner, repository, rescue, path).run();
}

}  // namespace tyer::git
