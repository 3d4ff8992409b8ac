#include <cerrno>
#include <cstdio>
#include <cstring>

#include <sys/stat.h>

#include <fmt/format.h>

#include "api/stored_uploads.h"
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

struct Everything {
  store::Copied rows;
  api::UploadsCopied uploads;
};

// One end of a copy. A store in memory has no uploads.
struct End {
  store::Store& store;
  store::Uploads* uploads;
};

// What is damaged would be missing in the copy without a word, so it is refused.
Result<Everything> copy_all(World& world, const End& from, const End& to) {
  Progress progress(world.output, world.env.clock);
  TYER_TRY(const std::vector<std::string> damage, from.store.check());
  if (!damage.empty()) {
    return fail(Fault::broken, fmt::format("{} is damaged and cannot be copied whole: {}",
                                           from.store.name(), damage.front()));
  }
  const auto text_of = [&world](const core::Subject& subject) {
    return world.catalog.text_of(subject);
  };
  Everything copied;
  const store::Along along = [&](const core::View& view) -> Result<> {
    if (from.uploads == nullptr || to.uploads == nullptr) return {};
    TYER_TRY(copied.uploads,
             api::copy_uploads(view, *from.uploads, *to.uploads,
                               [&progress](std::uint64_t files, std::uint64_t) {
                                 progress.show(fmt::format("copied {}", count(files, "upload")));
                               }));
    return {};
  };
  TYER_TRY(copied.rows, store::copy(
                            from.store, to.store, text_of,
                            [&progress](const store::Copied& rows) {
                              progress.show(fmt::format("copied {} of {}, {}", rows.events,
                                                        count(rows.events_total, "event"),
                                                        count(rows.subjects, "subject")));
                            },
                            along));
  return copied;
}

void print_copied(World& world, const Arguments& arguments, const Everything& copied,
                  const std::string& from, const std::string& to) {
  const auto& [rows, uploads] = copied;
  if (uploads.missing > 0) {
    world.output.warn(
        fmt::format("tyer: {} of {} not copied: the file is not there (tyer store check)\n",
                    count(uploads.missing, "upload"), from));
  }
  if (uploads.damaged > 0) {
    world.output.warn(fmt::format(
        "tyer: {} of {} copied as it is now, which is not what was sent (tyer store check)\n",
        count(uploads.damaged, "upload"), from));
  }
  if (arguments.has("--json")) {
    world.output.print(dump_json({{"from", from},
                                  {"to", to},
                                  {"events", rows.events},
                                  {"subjects", rows.subjects},
                                  {"leases", rows.leases},
                                  {"cursors", rows.cursors},
                                  {"uploads", uploads.files},
                                  {"upload_bytes", uploads.bytes},
                                  {"uploads_missing", uploads.missing},
                                  {"uploads_damaged", uploads.damaged}}) +
                       "\n");
    return;
  }
  world.output.print(fmt::format(
      "Copied {}, {}, {} and {}{}\n  from {}\n  to   {}\n", count(rows.events, "event"),
      count(rows.subjects, "subject"), count(rows.leases, "lease"), count(rows.cursors, "cursor"),
      uploads.files == 0
          ? ""
          : fmt::format(", with {} of {} bytes", count(uploads.files, "upload"), uploads.bytes),
      from, to));
}

constexpr std::string_view no_log =
    "there is no log beside it, as with a copy of the file alone: what was written last may be "
    "missing";

// A target that was filled in part.
Failure cut_short(Error error, const std::string& target) {
  const bool refused = error.fault == Fault::conflict;
  return {std::move(error),
          refused ? ""
                  : fmt::format("{} may be filled in part; empty it before you try again", target)};
}

struct Named {
  store::Store& store;
  std::string url;
  bool lacks_log = false;
};

Done copy_between(World& world, const Arguments& arguments, const Settings& settings,
                  const Named& from, const Named& to) {
  TYER_TRY(const auto from_uploads, open_uploads_at(world, settings, from.url));
  TYER_TRY(const auto to_uploads, open_uploads_at(world, settings, to.url));
  if (from.lacks_log) world.output.warn(fmt::format("tyer: {}: {}\n", from.store.name(), no_log));
  const auto copied =
      copy_all(world, {from.store, from_uploads.get()}, {to.store, to_uploads.get()});
  if (!copied) return std::unexpected(cut_short(copied.error(), to.store.name()));
  print_copied(world, arguments, *copied, from.store.name(), to.store.name());
  return 0;
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

struct Checked {
  std::string store;
  bool lacks_log = false;
  engine::Audit rows;
  api::UploadAudit uploads;

  [[nodiscard]] std::uint64_t problems_total() const {
    return rows.problems_total + uploads.problems_total;
  }
  [[nodiscard]] std::vector<std::string> problems() const {
    std::vector<std::string> all = rows.problems;
    all.insert(all.end(), uploads.problems.begin(), uploads.problems.end());
    return all;
  }
};

Json checked_json(const Checked& checked) {
  return {{"store", checked.store},
          {"ok", checked.problems_total() == 0},
          {"events", checked.rows.events},
          {"subjects", checked.rows.subjects},
          {"leases", checked.rows.leases},
          {"cursors", checked.rows.cursors},
          {"unfolded", checked.rows.unfolded},
          {"uploads", checked.uploads.files},
          {"upload_bytes", checked.uploads.bytes},
          {"stray_uploads", checked.uploads.strays},
          {"stray_upload_bytes", checked.uploads.stray_bytes},
          {"lacks_log", checked.lacks_log},
          {"problems", checked.problems()},
          {"problems_total", checked.problems_total()}};
}

std::string checked_text(const Checked& checked, bool color) {
  const auto& [store, lacks_log, rows, uploads] = checked;
  std::string text = fmt::format("{}\n  {}, {}, {}, {}\n", store, count(rows.events, "event"),
                                 count(rows.subjects, "subject"), count(rows.leases, "lease"),
                                 count(rows.cursors, "cursor"));
  if (uploads.files > 0) {
    text += fmt::format("  {} of {} bytes\n", count(uploads.files, "upload"), uploads.bytes);
  }
  if (rows.unfolded > 0) {
    text += fmt::format("  {} could not be compared with the log: old events or unknown kinds\n",
                        count(rows.unfolded, "subject"));
  }
  if (uploads.strays > 0) {
    text += fmt::format(
        "  {} of {} bytes beside them that the log does not know: cut short, still "
        "coming, or of another store\n",
        count(uploads.strays, "file"), uploads.stray_bytes);
  }
  if (lacks_log) text += fmt::format("  {}\n", no_log);
  const std::uint64_t total = checked.problems_total();
  if (total == 0) return text + paint(color, Style::good, "Nothing is wrong.") + "\n";
  text += paint(color, Style::bad, count(total, "problem") + ":") + "\n";
  const std::vector<std::string> problems = checked.problems();
  for (const std::string& problem : problems) {
    text += fmt::format("  {}\n", printable(problem, 1'000));
  }
  const std::uint64_t more = total - problems.size();
  if (more > 0) text += fmt::format("  and {} more\n", more);
  return text;
}

Result<Checked> check_all(World& world, store::Store& store, store::Uploads* uploads) {
  Progress progress(world.output, world.env.clock);
  progress.show("checking the files of the store");
  Checked checked{.store = store.name()};
  TYER_TRY(const std::vector<std::string> damage, store.check());
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(checked.rows,
             engine::audit(view, world.catalog, [&](std::uint64_t read, std::uint64_t total) {
               progress.show(fmt::format("checked {} of {}", read, count(total, "event")));
             }));
    if (uploads == nullptr) return {};
    TYER_TRY(checked.uploads,
             api::audit_uploads(view, *uploads, [&](std::uint64_t files, std::uint64_t) {
               progress.show(fmt::format("checked {}", count(files, "upload")));
             }));
    return {};
  }));
  engine::Audit& rows = checked.rows;
  rows.problems.insert(rows.problems.begin(), damage.begin(), damage.end());
  rows.problems_total += damage.size();
  return checked;
}

}  // namespace

Done run_store_check(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string url = store_url(world, settings);
  const bool lacks_log = store::lacks_log(absolute_url(url, world.directory), world.env.files);
  TYER_TRY(const auto store, open_store(world, settings, Access::read));
  TYER_TRY(const auto uploads, open_uploads_at(world, settings, url));
  TYER_TRY(Checked checked, check_all(world, *store, uploads.get()));
  checked.lacks_log = lacks_log;
  world.output.print(arguments.has("--json") ? dump_json(checked_json(checked)) + "\n"
                                             : checked_text(checked, wants_color(world, settings)));
  return checked.problems_total() == 0 ? 0 : 1;
}

Done run_store_backup(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string file = absolute(world, *arguments.value("FILE"));
  if (exists(file)) {
    return std::unexpected(Failure{{Fault::conflict, fmt::format("{} exists already", file)},
                                   "choose another name, or remove it first"});
  }
  TYER_TRY(const auto from, open_store(world, settings, Access::read));
  TYER_TRY(const auto uploads, open_uploads_at(world, settings, store_url(world, settings)));
  TYER_TRY(PartialBackup partial, PartialBackup::make(world, file));
  TYER_TRY(auto to, open_store_at(world, settings, "sqlite:" + partial.path(), Access::write));
  // Inside, so that it is one file.
  const auto inside = store::uploads_inside(partial.path(), "/tmp");
  TYER_TRY(const Everything copied, copy_all(world, {*from, uploads.get()}, {*to, inside.get()}));
  to.reset();
  TYER_TRY_OK(partial.finish(file));
  print_copied(world, arguments, copied, from->name(), "sqlite:" + file);
  return 0;
}

Done run_store_restore(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string file = absolute(world, *arguments.value("FILE"));
  if (!exists(file)) return fail(Fault::not_found, fmt::format("there is no backup {}", file));
  const bool lacks_log = store::lacks_log("sqlite:" + file, world.env.files);
  TYER_TRY(const auto from, open_store_at(world, settings, "sqlite:" + file, Access::read));
  TYER_TRY(const auto to, open_store(world, settings, Access::hold));
  return copy_between(world, arguments, settings, {*from, "sqlite:" + file, lacks_log},
                      {*to, store_url(world, settings)});
}

Done run_store_copy(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const std::string from_url = *arguments.value("FROM");
  const std::string to_url = *arguments.value("TO");
  const bool lacks_log = store::lacks_log(absolute_url(from_url, world.directory), world.env.files);
  TYER_TRY(const auto from, open_store_at(world, settings, from_url, Access::read));
  TYER_TRY(const auto to, open_store_at(world, settings, to_url, Access::hold));
  return copy_between(world, arguments, settings, {*from, from_url, lacks_log}, {*to, to_url});
}

}  // namespace tyer::cli
