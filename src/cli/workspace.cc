#include "cli/workspace.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ranges>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/config_file.h"
#include "cli/limits.h"
#include "cli/matters.h"
#include "env/os_error.h"
#include "git/main_checkout.h"
#include "store/open.h"

namespace tyer::cli {
namespace {

bool is_directory(const std::string& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

std::string variable(const World& world, std::string_view name) {
  const auto found = world.environment.find(name);
  return found == world.environment.end() ? "" : found->second;
}

std::string absolute(const std::string& path, const std::string& directory) {
  return path.starts_with('/') ? path : directory + "/" + path;
}

std::string user_config(const World& world) {
  const std::string config = variable(world, "XDG_CONFIG_HOME");
  // A relative one is to be ignored, says the XDG specification.
  if (config.starts_with('/')) return config + "/tyer/config.toml";
  const std::string home = variable(world, "HOME");
  return home.empty() ? "" : home + "/.config/tyer/config.toml";
}

Result<> add_file(const World& world, const std::string& path, bool must_exist,
                  std::vector<Given>& given) {
  const auto text = world.env.files.read(path, limits::config_bytes_max);
  if (!text && text.error().fault == Fault::not_found) {
    if (!must_exist) return {};
    return fail(Fault::invalid, fmt::format("there is no configuration file {}", path));
  }
  if (!text) return std::unexpected(text.error());
  TYER_TRY(const std::vector<Given> found, read_config(*text, path));
  given.insert(given.end(), found.begin(), found.end());
  return {};
}

store::Options options_of(const Settings& settings, Access access) {
  return {.durability = settings.durability,
          .space = settings.space,
          .create = access != Access::read,
          .fold_when_closed = access == Access::hold};
}

bool is_file(const std::string& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

// Whether there is anything at `path`. What cannot be looked at may well be there.
Result<bool> is_there(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) == 0) return true;
  const int problem = errno;
  if (problem != ENOENT && problem != ENOTDIR) {
    return std::unexpected(env::os_error(problem, "look at", path));
  }
  if (::lstat(path.c_str(), &facts) != 0) return false;
  return fail(Fault::unavailable,
              fmt::format("{} is a link that leads nowhere; make what it leads to, or remove it",
                          printable(path)));
}

// A `.tyer` that counts, or may.
struct Found {
  std::string tyer;  // Empty: there is none.
  bool has_store = false;
  std::optional<Error> trouble = {};  // What is in it cannot be told.
};

Result<Found> look_into(const std::string& tyer) {
  TYER_TRY(const bool there, is_there(tyer));
  if (!there) return Found{};
  TYER_TRY(const bool has_store, is_there(tyer + "/tyer.db"));
  TYER_TRY(const bool has_config, is_there(tyer + "/config.toml"));
  return has_store || has_config ? Found{tyer, has_store} : Found{};
}

// The nearest workspace from `directory` up. One that cannot be looked at is not passed over: it
// may be the one that everybody else uses.
Found nearest_above(const std::string& directory) {
  std::string above = directory;
  while (true) {
    const std::string candidate = (above == "/" ? "" : above) + "/.tyer";
    const auto found = look_into(candidate);
    if (!found) return {.tyer = candidate, .trouble = found.error()};
    if (!found->tyer.empty()) return *found;
    const std::size_t slash = above.rfind('/');
    if (above == "/" || slash == std::string::npos) return {};
    above = slash == 0 ? "/" : above.substr(0, slash);
  }
}

bool is_above(const std::string& tyer, const std::string& directory) {
  const std::string top = tyer.substr(0, tyer.rfind('/') + 1);
  return (directory + "/").starts_with(top);
}

std::string config_of(const World& world, const std::string& tyer) {
  return world.env.files.read(tyer + "/config.toml", limits::config_bytes_max).value_or("");
}

bool has_settings(const std::string& config) {
  const auto given = read_config(config, "");
  return !given || !given->empty();
}

std::expected<void, Failure> make_tyer(World& world, const std::string& path) {
  if (is_directory(path)) return {};
  Result<> made = world.env.files.make_directory(path);
  // Whoever commits everything in a project must not commit its store.
  if (made) made = world.env.files.replace(path + "/.gitignore", "*\n");
  if (made) return {};
  return std::unexpected(
      Failure{made.error(),
              "a workspace belongs there; --store URL or TYER_STORE names a store elsewhere"});
}

std::string url_in(const Workspace& workspace) {
  return fmt::format("sqlite:{}/tyer.db", workspace.directory);
}

// A store that is not made yet is none; one whose directory is missing is out of reach, like that
// on a disk that is not mounted. To make the directory would make a second store.
Result<> check_place(const std::string& url) {
  const std::size_t colon = url.find(':') + 1;
  const bool is_local = url.starts_with("sqlite:/") || url.starts_with("files:/");
  if (!is_local) return {};
  std::string path = url.substr(colon);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto found = is_there(path);
  if (!found) {
    return std::unexpected(
        found.error().in(fmt::format("the store {} cannot be reached", printable(url))));
  }
  const std::string directory = path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
  TYER_TRY(const bool has_place, is_there(directory));
  if (*found || has_place) return {};
  return fail(Fault::unavailable,
              fmt::format("the store {} cannot be reached: there is no directory {}; make it, or "
                          "name another store with --store",
                          printable(url), printable(directory)));
}

// Two workspaces where there should be one: a lock of one is not seen in the other.
void remark_on_astray(World& world, const Workspace& workspace) {
  if (workspace.astray.empty()) return;
  if (workspace.is_astray()) {
    world.output.remark(fmt::format(
        "the workspace {} is used here, but not in the rest of the repository; move what is in it "
        "to {} to share it",
        workspace.astray, workspace.own_directory()));
  } else if (!is_file(workspace.astray + "/tyer.db")) {
    world.output.remark(fmt::format(
        "the configuration {0}/config.toml is not used: that of this repository is "
        "{1}/config.toml; make them the same, or '--config {0}/config.toml' uses the other one",
        workspace.astray, workspace.directory));
  } else {
    world.output.remark(fmt::format(
        "the workspace {} is not used: that of this repository is {}; 'tyer config show' says "
        "why, '--store sqlite:{}/tyer.db' uses the other one",
        workspace.astray, workspace.directory, workspace.astray));
  }
}

// `found` is the one, if it is any.
void use(Workspace& workspace, const Found& found) {
  if (found.tyer.empty()) return;
  workspace.directory = workspace.settings = found.tyer;
  workspace.exists = !found.trouble;
  workspace.trouble = found.trouble;
  if (found.trouble && found.tyer != workspace.own_directory()) {
    workspace.trouble->what +=
        fmt::format("; or make a workspace for {} alone with 'tyer init'", workspace.start);
  }
}

std::unexpected<Failure> missing_store(const Workspace& workspace) {
  return std::unexpected(Failure{
      {Fault::not_found, fmt::format("there is no store here or above ({})", workspace.start)},
      "the first command that writes, like tyer run, makes one, and so does tyer init; --store URL "
      "names another"});
}

}  // namespace

std::string Workspace::own_directory() const {
  return (start == "/" ? "" : start) + "/.tyer";
}

std::string Workspace::why() const {
  const std::string root = fmt::format("{} ({})", in_git ? "this repository" : "here", start);
  if (is_astray()) {
    return fmt::format("found above the current directory; {} has none", root);
  }
  std::string text = !exists                        ? "not made yet, would be that of " + root
                     : directory == own_directory() ? "that of " + root
                                                    : "found above " + root;
  if (settings != directory) text += fmt::format("; its settings are those of {}", settings);
  if (!astray.empty()) text += fmt::format("; {} is not used", astray);
  return text;
}

Workspace find_workspace(const World& world) {
  const auto main = git::find_main_checkout(world.env.files, world.directory);
  Workspace workspace{.start = main.value_or(world.directory), .in_git = main.has_value()};
  workspace.directory = workspace.settings = workspace.own_directory();
  use(workspace, nearest_above(workspace.start));
  if (workspace.trouble || !main || *main == world.directory) return workspace;
  const Found nearer = nearest_above(world.directory);
  if (nearer.tyer.empty() || is_above(nearer.tyer, workspace.start)) return workspace;
  if (nearer.has_store || nearer.trouble) {
    if (nearer.has_store) workspace.astray = nearer.tyer;
    if (!workspace.exists) use(workspace, nearer);
    return workspace;
  }
  // A configuration that is part of the repository is in every worktree. A store beside it would
  // be another one in each.
  const std::string config = config_of(world, workspace.directory);
  if (!has_settings(config)) {
    workspace.settings = nearer.tyer;
  } else if (config != config_of(world, nearer.tyer)) {
    workspace.astray = nearer.tyer;
  }
  return workspace;
}

std::expected<void, Failure> make_workspace(World& world, const std::string& directory) {
  TYER_TRY_OK(make_tyer(world, directory));
  const std::string config = directory + "/config.toml";
  if (is_file(config)) return {};
  TYER_TRY_OK(world.env.files.replace(
      config, "# Settings of this workspace; 'tyer config show' lists them all.\n"));
  return {};
}

Result<Settings> load_settings(World& world, const Arguments& arguments) {
  if (!arguments.has("--config")) {
    TYER_TRY_OK(need_agreement(world, owner_matters(world, find_workspace(world))));
  }
  return read_settings(world, arguments);
}

Result<Settings> read_settings(const World& world, const Arguments& arguments) {
  std::vector<Given> given;
  if (const auto named = arguments.value("--config")) {
    TYER_TRY_OK(add_file(world, absolute(*named, world.directory), true, given));
  } else {
    if (const std::string user = user_config(world); !user.empty()) {
      TYER_TRY_OK(add_file(world, user, false, given));
    }
    const Workspace workspace = find_workspace(world);
    if (workspace.trouble) return std::unexpected(*workspace.trouble);
    const auto of_user = static_cast<std::ptrdiff_t>(given.size());
    TYER_TRY_OK(add_file(world, workspace.settings + "/config.toml", false, given));
    // The path of a store leads to one place, whichever worktree has the configuration.
    for (Given& each : given | std::views::drop(of_user)) {
      each.of_workspace = true;
      if (each.directory == workspace.settings) each.directory = workspace.directory;
    }
  }
  for (const Setting& setting : settings_table()) {
    const std::string text = variable(world, setting.variable);
    if (text.empty()) continue;
    given.push_back(
        {std::string(setting.name), text, std::string(setting.variable), world.directory});
  }
  for (const Setting& setting : settings_table()) {
    if (setting.flag.empty()) continue;
    const auto text = arguments.value(setting.flag);
    if (!text) continue;
    given.push_back({std::string(setting.name), *text, std::string(setting.flag), world.directory});
  }
  return resolve(given);
}

std::string store_url(const World& world, const Settings& settings) {
  if (!settings.store.empty()) return settings.store;
  return url_in(find_workspace(world));
}

OpenedStore open_store(World& world, const Settings& settings, Access access) {
  const bool is_named = !settings.store.empty() && !settings.is_of_workspace("store");
  if (is_named) return open_store_at(world, settings, settings.store, access);

  const Workspace workspace = find_workspace(world);
  if (workspace.trouble) return std::unexpected(*workspace.trouble);
  TYER_TRY_OK(need_agreement(world, setting_matters(workspace, settings, "store")));
  if (settings.store.empty()) {
    remark_on_astray(world, workspace);
    if (access != Access::read) {
      TYER_TRY_OK(make_tyer(world, workspace.directory));
    } else if (!workspace.exists) {
      return missing_store(workspace);
    }
  }
  const std::string url = store_url(world, settings);
  const std::vector<Matter> before = store_matters(workspace, url);
  OpenedStore opened = open_store_at(world, settings, url, access);
  const bool is_missing = !opened && opened.error().error.fault == Fault::not_found;
  if (access == Access::read && is_missing && settings.store.empty() && before.empty()) {
    return missing_store(workspace);
  }
  if (opened && access != Access::read && before.empty()) {
    const Result<> noted = agree(world, store_matters(workspace, url));
    if (!noted) {
      world.output.remark(
          fmt::format("that you made this store cannot be noted, and is asked about "
                      "when it is served: {}",
                      noted.error().what));
    }
  }
  if (opened && settings.store.empty() && !workspace.exists) {
    world.output.remark(fmt::format("made the workspace {}", workspace.directory));
  }
  return opened;
}

OpenedStore open_served_store(World& world, const Settings& settings) {
  const bool is_named = !settings.store.empty() && !settings.is_of_workspace("store");
  if (!is_named) {
    const Workspace workspace = find_workspace(world);
    TYER_TRY_OK(need_agreement(world, store_matters(workspace, store_url(world, settings))));
  }
  return open_store(world, settings, Access::hold);
}

OpenedStore open_store_at(World& world, const Settings& settings, const std::string& url,
                          Access access) {
  TYER_TRY_OK(check_store_url(url));
  const std::string whole = absolute_url(url, world.directory);
  TYER_TRY_OK(check_place(whole));
  auto opened = store::open(whole, world.env, options_of(settings, access));
  if (opened) return *std::move(opened);
  // Who writes makes what is missing; it is missing still.
  if (access != Access::read && opened.error().fault == Fault::not_found) {
    opened.error().fault = Fault::unavailable;
  }
  return std::unexpected(Failure{opened.error()});
}

Result<std::unique_ptr<store::Uploads>> open_uploads_at(const World& world,
                                                        const Settings& settings,
                                                        const std::string& url,
                                                        const std::string& scratch) {
  const std::string temporary = variable(world, "TMPDIR");
  const std::string fallback = temporary.starts_with('/') ? temporary : "/tmp";
  return store::open_uploads(absolute_url(url, world.directory), world.env,
                             options_of(settings, Access::read),
                             scratch.empty() ? fallback : scratch);
}

bool wants_color(const World& world, const Settings& settings) {
  if (settings.color != Color::automatic) return settings.color == Color::always;
  return world.output.on_terminal() && variable(world, "NO_COLOR").empty() &&
         variable(world, "TERM") != "dumb";
}

}  // namespace tyer::cli
