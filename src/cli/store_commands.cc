#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/stat.h>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/workspace.h"
#include "engine/audit.h"
#include "store/copy.h"

namespace tyer::cli {
namespace {

bool exists(const std::string& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0;
}

std::string absolute(const World& world, const std::string& path) {
  return path.starts_with('/') ? path : world.directory + "/" + path;
}

// What is damaged would be missing in the copy without a word, so it is refused.
Result<store::Copied> copy_all(World& world, store::Store& from, store::Store& to) {
  Progress progress(world.output, world.env.clock);
  TYER_TRY(const std::vector<std::string> damage, from.check());
  if (!damage.empty()) {
    return fail(Fault::broken, fmt::format("{} is damaged and cannot be copied whole: {}",
                                           from.name(), damage.front()));
  }
  const auto text_of = [&world](const core::Subject& subject) {
    return world.catalog.text_of(subject);
  };
  return store::copy(from, to, text_of, [&progress](const store::Copied& copied) {
    progress.show(fmt::format("copied {} of {}, {}", copied.events,
                              count(copied.events_total, "event"),
                              count(copied.subjects, "subject")));
  });
}

void print_copied(World& world, const Arguments& arguments, const store::Copied& copied,
                  const std::string& from, const std::string& to) {
  if (arguments.has("--json")) {
    world.output.print(dump_json({{"from", from},
                                  {"to", to},
                                  {"events", copied.events},
                                  {"subjects", copied.subjects},
                                  {"leases", copied.leases},
                                  {"cursors", copied.cursors}}) +
                       "\n");
    return;
  }
  world.output.print(fmt::format("Copied {}, {}, {} and {}\n  from {}\n  to   {}\n",
                                 count(copied.events, "event"), count(copied.subjects, "subject"),
                                 count(copied.leases, "lease"), count(copied.cursors, "cursor"),
                                 from, to));
}

// A target that was filled in part.
Failure cut_short(Error error, const std::string& target) {
  const bool refused = error.fault == Fault::conflict;
  return {std::move(error),
          refused ? ""
                  : fmt::format("{} may be filled in part; empty it before you try again", target)};
}

// The file a backup is written to before it has its name. The kernel lock on it
// keeps a second backup out, and goes with this process if it is killed. It
// must be closed after the store in it, whose own locks closing would drop.
class PartialBackup {
 public:
  static Result<PartialBackup> make(World& world, const std::string& path) {
    PartialBackup partial(world, path + ".partial");
    TYER_TRY(partial.file_, world.env.files.open(partial.path_, env::Open::write));
    TYER_TRY(const bool locked, partial.file_->try_lock());
    if (!locked || !partial.file_->is_current()) {
      partial.file_.reset();
      return fail(Fault::conflict, fmt::format("another backup is writing {}", partial.path_));
    }
    TYER_TRY_OK(partial.remove_besides());
    TYER_TRY_OK(partial.file_->truncate(0));  // Of a backup that was killed.
    return partial;
  }

  PartialBackup(PartialBackup&&) = default;
  PartialBackup& operator=(PartialBackup&&) = delete;

  ~PartialBackup() {
    if (!file_) return;
    (void)remove_besides();
    (void)world_.env.files.remove(path_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  // Requires that the store in it is closed.
  Result<> finish(const std::string& path) {
    TYER_TRY_OK(store::fold_into_file(path_));
    TYER_TRY_OK(file_->sync());
    if (exists(path)) return fail(Fault::conflict, fmt::format("{} was made meanwhile", path));
    if (std::rename(path_.c_str(), path.c_str()) != 0) {
      return fail(Fault::unavailable,
                  fmt::format("cannot rename {} to {}: {}", path_, path, std::strerror(errno)));
    }
    (void)remove_besides();
    file_.reset();
    return world_.env.files.sync_all(path);
  }

 private:
  PartialBackup(World& world, std::string path) : world_(world), path_(std::move(path)) {}

  // What the store keeps beside its file: FILE.partial-wal and the like.
  Result<> remove_besides() {
    const std::size_t slash = path_.rfind('/') + 1;
    TYER_TRY(const std::vector<env::Entry> entries, world_.env.files.list(path_.substr(0, slash)));
    for (const env::Entry& entry : entries) {
      if (!entry.name.starts_with(path_.substr(slash) + "-")) continue;
      TYER_TRY_OK(world_.env.files.remove(path_.substr(0, slash) + entry.name));
    }
    return {};
  }

  World& world_;
  std::string path_;
  std::unique_ptr<env::File> file_;
};

Json problems_json(const std::string& name, const engine::Audit& audit) {
  return {{"store", name},
          {"ok", audit.problems_total == 0},
          {"events", audit.events},
          {"subjects", audit.subjects},
          {"leases", audit.leases},
          {"cursors", audit.cursors},
          {"unfolded", audit.unfolded},
          {"problems", audit.problems},
          {"problems_total", audit.problems_total}};
}

std::string problems_text(const std::string& name, const engine::Audit& audit, bool color) {
  std::string text = fmt::format("{}\n  {}, {}, {}, {}\n", name, count(audit.events, "event"),
                                 count(audit.subjects, "subject"), count(audit.leases, "lease"),
                                 count(audit.cursors, "cursor"));
  if (audit.unfolded > 0) {
    text += fmt::format("  {} could not be compared with the log: old events or unknown kinds\n",
                        count(audit.unfolded, "subject"));
  }
  if (audit.problems_total == 0)
    return text + paint(color, Style::good, "Nothing is wrong.") + "\n";
  text += paint(color, Style::bad, count(audit.problems_total, "problem") + ":") + "\n";
  for (const std::string& problem : audit.problems) {
    text += fmt::format("  {}\n", printable(problem, 1'000));
  }
  const std::uint64_t more = audit.problems_total - audit.problems.size();
  if (more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

}  // namespace

Done run_store_check(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(const auto store, open_store(world, settings, Access::read));
  engine::Audit audit;
  {
    Progress progress(world.output, world.env.clock);
    progress.show("checking the files of the store");
    TYER_TRY(const std::vector<std::string> damage, store->check());
    TYER_TRY_OK(store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(audit,
               engine::audit(view, world.catalog, [&](std::uint64_t read, std::uint64_t total) {
                 progress.show(fmt::format("checked {} of {}", read, count(total, "event")));
               }));
      return {};
    }));
    audit.problems.insert(audit.problems.begin(), damage.begin(), damage.end());
    audit.problems_total += damage.size();
  }
  world.output.print(arguments.has("--json")
                         ? dump_json(problems_json(store->name(), audit)) + "\n"
                         : problems_text(store->name(), audit, wants_color(world, settings)));
  return audit.problems_total == 0 ? 0 : 1;
}

Done run_store_backup(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string file = absolute(world, *arguments.value("FILE"));
  if (exists(file)) {
    return std::unexpected(Failure{{Fault::conflict, fmt::format("{} exists already", file)},
                                   "choose another name, or remove it first"});
  }
  TYER_TRY(const auto from, open_store(world, settings, Access::read));
  TYER_TRY(PartialBackup partial, PartialBackup::make(world, file));
  TYER_TRY(auto to, open_store_at(world, settings, "sqlite:" + partial.path(), Access::write));
  TYER_TRY(const store::Copied copied, copy_all(world, *from, *to));
  to.reset();
  TYER_TRY_OK(partial.finish(file));
  print_copied(world, arguments, copied, from->name(), "sqlite:" + file);
  return 0;
}

Done run_store_restore(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string file = absolute(world, *arguments.value("FILE"));
  if (!exists(file)) return fail(Fault::not_found, fmt::format("there is no backup {}", file));
  TYER_TRY(const auto from, open_store_at(world, settings, "sqlite:" + file, Access::read));
  TYER_TRY(const auto to, open_store(world, settings, Access::hold));
  const auto copied = copy_all(world, *from, *to);
  if (!copied) return std::unexpected(cut_short(copied.error(), to->name()));
  print_copied(world, arguments, *copied, from->name(), to->name());
  return 0;
}

Done run_store_copy(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(const auto from, open_store_at(world, settings, *arguments.value("FROM"), Access::read));
  TYER_TRY(const auto to, open_store_at(world, settings, *arguments.value("TO"), Access::hold));
  const auto copied = copy_all(world, *from, *to);
  if (!copied) return std::unexpected(cut_short(copied.error(), to->name()));
  print_copied(world, arguments, *copied, from->name(), to->name());
  return 0;
}

}  // namespace tyer::cli
