// Where a command finds its world (P1, P3): the configuration and the store.
//
// The store is the one that is configured, else `.tyer/tyer.db` in the nearest
// directory with a `.tyer/`, from here up to the root of the file system. A
// command that writes makes one here if there is none; a command that only
// reads makes nothing.

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

// The `.tyer` directory that counts in `directory`, if there is one.
[[nodiscard]] std::optional<std::string> find_tyer(const std::string& directory);

// Reads the configuration files, the environment and the flags.
[[nodiscard]] Result<Settings> load_settings(const World& world, const Arguments& arguments);

// The store's URL, whether it exists or not.
[[nodiscard]] std::string store_url(const World& world, const Settings& settings);

// `hold` is `write` for who serves a store or fills it: once it is closed, its file has everything.
enum class Access : std::uint8_t { read, write, hold };

using OpenedStore = std::expected<std::unique_ptr<store::Store>, Failure>;

// Opens the store that is configured or found.
[[nodiscard]] OpenedStore open_store(World& world, const Settings& settings, Access access);

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
