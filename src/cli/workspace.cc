#include "cli/workspace.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "cli/config_file.h"
#include "cli/limits.h"
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

Result<> make_tyer(World& world, const std::string& path) {
  if (is_directory(path)) return {};
  TYER_TRY_OK(world.env.files.make_directory(path));
  // Whoever commits everything in a project must not commit its store.
  return world.env.files.replace(path + "/.gitignore", "*\n");
}

}  // namespace

std::optional<std::string> find_tyer(const std::string& directory) {
  std::string above = directory;
  while (true) {
    const std::string candidate = (above == "/" ? "" : above) + "/.tyer";
    if (is_directory(candidate)) return candidate;
    const std::size_t slash = above.rfind('/');
    if (above == "/" || slash == std::string::npos) return std::nullopt;
    above = slash == 0 ? "/" : above.substr(0, slash);
  }
}

Result<Settings> load_settings(const World& world, const Arguments& arguments) {
  std::vector<Given> given;
  if (const auto named = arguments.value("--config")) {
    TYER_TRY_OK(add_file(world, absolute(*named, world.directory), true, given));
  } else {
    if (const std::string user = user_config(world); !user.empty()) {
      TYER_TRY_OK(add_file(world, user, false, given));
    }
    if (const auto tyer = find_tyer(world.directory)) {
      TYER_TRY_OK(add_file(world, *tyer + "/config.toml", false, given));
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
  const auto tyer = find_tyer(world.directory);
  return fmt::format("sqlite:{}/tyer.db", tyer ? *tyer : absolute(".tyer", world.directory));
}

OpenedStore open_store(World& world, const Settings& settings, Access access) {
  const std::string url = store_url(world, settings);
  if (!settings.store.empty()) return open_store_at(world, settings, url, access);

  const std::string path = url.substr(url.find(':') + 1);
  if (access != Access::read) {
    TYER_TRY_OK(make_tyer(world, path.substr(0, path.rfind('/'))));
    return open_store_at(world, settings, url, access);
  }
  const auto missing = [&world] {
    return std::unexpected(Failure{
        {Fault::not_found, fmt::format("there is no store here or above ({})", world.directory)},
        "the first command that writes, like tyer run, makes one here; --store URL names another"});
  };
  if (!find_tyer(world.directory)) return missing();
  OpenedStore opened = open_store_at(world, settings, url, access);
  struct stat facts{};
  const bool is_there = ::stat(path.c_str(), &facts) == 0;
  if (!opened && opened.error().error.fault == Fault::not_found && !is_there) return missing();
  return opened;
}

OpenedStore open_store_at(World& world, const Settings& settings, const std::string& url,
                          Access access) {
  TYER_TRY_OK(check_store_url(url));
  const std::string whole = absolute_url(url, world.directory);
  TYER_TRY(auto opened, store::open(whole, world.env, options_of(settings, access)));
  return opened;
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
