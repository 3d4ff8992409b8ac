// Where a command finds its world (P1, P3): the workspace, the configuration and the store.
//
// A workspace is a `.tyer/` with a store or a configuration in it. It is looked for from the main
// checkout of the repository one stands in, up to the root of the file system, so that all of a
// repository's worktrees and directories share one; outside git from the current directory up. A
// command that writes makes one where the search began, if there is none, and says so; a command
// that only reads makes nothing. One that cannot be looked at is not passed over.
// docs/decisions/0018 says what becomes of older ones.

#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/settings.h"
#include "store/store.h"
#include "store/uploads.h"

namespace tyer::cli {

struct Workspace {
  std::string directory;  // The `.tyer`, absolute, whether it is there or not.
  std::string start;      // Where the search for it began: the main checkout, or here.
  bool in_git = false;
  bool exists = false;  // Whether it has a store or a configuration.

  // The `.tyer` whose `config.toml` counts: another one than `directory` if that has no settings,
  // and the worktree one stands in has.
  std::string settings = {};

  // Why it cannot be told whether there is a store in `directory`: nothing may be done with it.
  std::optional<Error> trouble = {};

  // One that only the way from here upward leads to, and not that from the main checkout. It is
  // used as long as the repository has none (then it is `directory`), and hidden from then on.
  std::string astray = {};

  [[nodiscard]] bool is_astray() const { return astray == directory; }

  // The `.tyer` where the search began.
  [[nodiscard]] std::string own_directory() const;

  // Why it is this one, for people.
  [[nodiscard]] std::string why() const;
};

[[nodiscard]] Workspace find_workspace(const World& world);

// Makes the `.tyer` at `directory` a workspace, whatever store is configured. What is in it stays.
[[nodiscard]] std::expected<void, Failure> make_workspace(World& world,
                                                          const std::string& directory);

// Reads the configuration files, the environment and the flags. `load_settings` asks about a
// workspace that is not the user's own; what a setting of the workspace may decide is asked about
// where it is used.
[[nodiscard]] Result<Settings> load_settings(World& world, const Arguments& arguments);
[[nodiscard]] Result<Settings> read_settings(const World& world, const Arguments& arguments);

// The store's URL, whether it exists or not.
[[nodiscard]] std::string store_url(const World& world, const Settings& settings);

// `hold` is `write` for who serves a store or fills it: once it is closed, its file has everything.
enum class Access : std::uint8_t { read, write, hold };

using OpenedStore = std::expected<std::unique_ptr<store::Store>, Failure>;

// Opens the store that is configured or found. Says on standard error, once, that a workspace was
// made, or that there are two and which one is used.
[[nodiscard]] OpenedStore open_store(World& world, const Settings& settings, Access access);

// The same for who serves it, and so runs what its agents say: asks about one in the workspace that
// the user has not made.
[[nodiscard]] OpenedStore open_served_store(World& world, const Settings& settings);

// Opens the store `url`, which a person wrote.
[[nodiscard]] OpenedStore open_store_at(World& world, const Settings& settings,
                                        const std::string& url, Access access);

// The files that belong to the store `url`, which has been opened; null for one in memory.
// `scratch`: a folder for files without a name, or that for temporary files.
[[nodiscard]] Result<std::unique_ptr<store::Uploads>> open_uploads_at(
    const World& world, const Settings& settings, const std::string& url,
    const std::string& scratch = "");

// Whether text for people is coloured.
[[nodiscard]] bool wants_color(const World& world, const Settings& settings);

}  // namespace tyer::cli
