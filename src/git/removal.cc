#include "git/removal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/id.h"
#include "base/text.h"
#include "env/os_error.h"
#include "git/names.h"

namespace tyer::git {
namespace {

constexpr std::string_view done_suffix = ".done";

// Names of worktrees do not start with a dot.
std::string aside(const Repository& repository) {
  return repository.trees() + "/.aside";
}

// "team~worker~ID"; there is no ~ in a name.
std::string aside_path(const Runner& runner, const Repository& repository, std::string name) {
  env::Env& env = runner.env();
  std::ranges::replace(name, '/', '~');
  return fmt::format("{}/{}~{}", aside(repository), name,
                     sortable_id("", env.clock.now(), env.random.bits()));
}

std::string name_aside(const std::string& entry) {
  std::string name = entry.substr(0, entry.rfind('~'));
  std::ranges::replace(name, '~', '/');
  return name;
}

Result<> move(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return std::unexpected(env::os_error(errno, "move", from));
}

// Where tyer keeps what belongs to one call. Only one is at work here at a time.
std::string own_directory(const Repository& repository) {
  return repository.common + "/tyer";
}

// By hand: `git worktree remove` would also remove what somebody has put in the
// worktree's place meanwhile.
Result<> forget(const Runner& runner, const Repository& repository, const Tree& tree) {
  if (tree.admin.empty()) return {};
  env::Env& env = runner.env();
  TYER_TRY_OK(env.files.make_directory(own_directory(repository)));
  const std::string gone = fmt::format("{}/{}", own_directory(repository),
                                       sortable_id("gone", env.clock.now(), env.random.bits()));
  TYER_TRY_OK(move(tree.admin, gone));
  (void)remove_all(gone);
  return {};
}

// Unless somebody has moved the branch on, or works on it elsewhere.
Result<> drop_branch(const Runner& runner, const Repository& repository, const Tree& tree) {
  const std::string branch = branch_of(tree.name);
  TYER_TRY(const std::vector<Checkout> others, checkouts(runner, repository));
  const bool used = std::ranges::find(others, branch, &Checkout::branch) != others.end();
  if (!tree.tip.empty() && !used) {
    const Result<> gone = move_ref(runner, repository, branch, "", tree.tip);
    if (!gone && gone.error().fault != Fault::conflict) return gone;
  }
  return point_ref(runner, repository, base_ref(tree.name), "");
}

class Clear {
 public:
  Clear(const Runner& runner, const Repository& repository, const Tree& tree, Clearing clearing)
      : runner_(runner),
        repository_(repository),
        tree_(tree),
        clearing_(std::move(clearing)),
        holding_{.name = tree.name,
                 .path = tree.path,
                 .tree = tree.exists ? tree.path : "",
                 .admin = tree.admin,
                 .head = tree.head,
                 .branch = tree.checked_out,
                 .base = tree.base,
                 .tip = tree.tip,
                 .left_out = clearing_.left_out} {}

  Result<std::optional<Rescue>> run() {
    TYER_TRY_OK(look());
    if (tree_.exists) TYER_TRY_OK(move_aside());
    TYER_TRY_OK(forget(runner_, repository_, tree_));
    if (clearing_.drop_branch) TYER_TRY_OK(drop_branch(runner_, repository_, tree_));
    // What cannot be removed now is removed by `settle`.
    if (!aside_.empty()) (void)remove_all(aside_);
    ::rmdir(std::filesystem::path(tree_.path).parent_path().c_str());
    return std::move(kept_);
  }

 private:
  // What git knows about it. Reading a shared index changes its time.
  Result<std::vector<Item>> look_at_admin() const {
    std::vector<Item> items;
    if (holding_.admin.empty()) return items;
    TYER_TRY(items, walk(holding_.admin));
    std::erase_if(items, [](const Item& item) { return item.path.starts_with("sharedindex."); });
    return items;
  }

  // Writes what is there, and gives it a ref if git had not all of it.
  Result<> look() {
    TYER_TRY(admin_items_, look_at_admin());
    TYER_TRY(Snapshot snapshot, take(runner_, repository_, holding_));
    const bool is_new = snapshot_.id != snapshot.id || snapshot_.commits != snapshot.commits;
    snapshot_ = std::move(snapshot);
    const bool differs = clearing_.missing_counts ? snapshot_.differs : snapshot_.adds;
    if (!is_new || !(differs || clearing_.unmerged || !snapshot_.commits.empty())) return {};
    TYER_TRY(kept_, keep(runner_, repository_, holding_, snapshot_, clearing_.why));
    return {};
  }

  Result<> move_aside() {
    TYER_TRY_OK(runner_.env().files.make_directory(aside(repository_)));
    const std::string path = aside_path(runner_, repository_, tree_.name);
    // A directory that may not be written cannot be moved.
    if (::access(tree_.path.c_str(), W_OK) != 0) ::chmod(tree_.path.c_str(), 0700);
    TYER_TRY_OK(move(tree_.path, path));
    holding_.tree = path;
    const Result<> settled = look_until_quiet();
    if (!settled) {
      (void)move(path, tree_.path);
      return settled;
    }
    aside_ = path + std::string(done_suffix);
    return move(path, aside_);
  }

  // Somebody who works in it goes on for a moment, wherever it is.
  Result<> look_until_quiet() {
    for (std::size_t i = 0; i < limits::rescue_looks_max; ++i) {
      TYER_TRY(const std::vector<Item> now, walk(holding_.tree));
      TYER_TRY(const std::vector<Item> admin_now, look_at_admin());
      if (now == snapshot_.items && admin_now == admin_items_) return {};
      TYER_TRY_OK(look());
    }
    return fail(Fault::conflict,
                fmt::format("{} is being written to; end who works in it first", tree_.name));
  }

  const Runner& runner_;
  const Repository& repository_;
  const Tree& tree_;
  const Clearing clearing_;
  Holding holding_;
  Snapshot snapshot_;
  std::vector<Item> admin_items_;
  std::optional<Rescue> kept_;
  std::string aside_;
};

}  // namespace

Result<std::optional<Rescue>> clear_tree(const Runner& runner, const Repository& repository,
                                         const Tree& tree, Clearing clearing) {
  return Clear(runner, repository, tree, std::move(clearing)).run();
}

Result<> check_nesting(const Repository& repository, const std::vector<Checkout>& checkouts,
                       const Tree& tree) {
  for (const Checkout& other : checkouts) {
    const bool around =
        tree.path.starts_with(other.path + "/") && other.path.starts_with(repository.trees() + "/");
    if (!around && !other.path.starts_with(tree.path + "/")) continue;
    return fail(Fault::conflict, fmt::format("{} and the worktree {} lie in each other", tree.name,
                                             printable(other.path)));
  }
  return {};
}

std::string base_ref(std::string_view name) {
  return fmt::format("refs/tyer/base/{}", name);
}

Result<> settle(const Runner& runner, const Repository& repository) {
  env::Files& files = runner.env().files;
  TYER_TRY(const std::vector<env::Entry> own, files.list(own_directory(repository)));
  for (const env::Entry& entry : own) {
    // Notes about refs outlive the call that made them: see repository.cc.
    if (entry.name == "moving") continue;
    TYER_TRY_OK(remove_all(fmt::format("{}/{}", own_directory(repository), entry.name)));
  }
  const std::string all = aside(repository);
  TYER_TRY(const std::vector<env::Entry> entries, files.list(all));
  for (const env::Entry& entry : entries) {
    const std::string path = fmt::format("{}/{}", all, entry.name);
    if (entry.name.ends_with(done_suffix)) {
      (void)remove_all(path);
      continue;
    }
    const std::string back = fmt::format("{}/{}", repository.trees(), name_aside(entry.name));
    struct stat facts{};
    // One whose place is taken stays aside: it was not finished with.
    if (::lstat(back.c_str(), &facts) == 0) continue;
    TYER_TRY_OK(files.make_directory(std::filesystem::path(back).parent_path().string()));
    TYER_TRY_OK(move(path, back));
  }
  return {};
}

}  // namespace tyer::git
