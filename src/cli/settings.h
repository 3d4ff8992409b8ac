// What can be configured, and what is.
//
// One table says for each setting its name in a file, its environment variable,
// its flag, its kind and its default. Values come from, each over the one
// before it: defaults, the user's file, the project's file, the environment,
// flags. A value that is not understood is an error naming where it stands,
// never ignored. docs/configuration.md is compared with the table by a test.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feed/limits.h"
#include "store/store.h"

namespace tyer::cli {

struct Setting {
  enum class Kind : std::uint8_t {
    url,      // Of a store.
    hub_url,  // Of a hub.
    address,  // What is listened on.
    choice,
    name,
    number,
    flag,  // true or false.
    duration,
    durations,
  };

  std::string_view name;      // "lease.heartbeat"
  std::string_view variable;  // "TYER_LEASE_HEARTBEAT"; empty: none.
  std::string_view flag;      // "--store"; empty: none.
  Kind kind;
  std::string_view choices;   // "full|normal", of a choice.
  std::string_view fallback;  // The default; empty: see `help`.
  std::string_view help;

  // What it decides if it stands in a workspace, so that the user has to agree to it there. Empty:
  // it does no harm.
  std::string_view decides = {};
};

// `durations` is a table of its own, of command to duration.
[[nodiscard]] std::span<const Setting> settings_table();

// The hold limits of L11, which lease.hold_by_command adds to and replaces.
struct CommandHold {
  std::string_view command;
  std::string_view hold;
};
[[nodiscard]] std::span<const CommandHold> default_holds();

// One value as it was found.
struct Given {
  std::string name;  // A setting's, or "lease.hold_by_command./wf:build".
  std::string text;
  std::string from;       // For people: "/p/.tyer/config.toml:3", "TYER_STORE", "--store".
  std::string directory;  // What a relative path in it is relative to.

  // It stands in the workspace, which may have come from somebody else.
  bool of_workspace = false;

  friend bool operator==(const Given&, const Given&) = default;
};

enum class Color : std::uint8_t { automatic, always, never };

struct Settings {
  std::string store;  // A URL with an absolute path; empty: not said.
  store::Durability durability = store::Durability::full;
  std::string space;
  Color color = Color::automatic;
  Span heartbeat{};
  Span silence{};
  Span hold{};
  std::map<std::string, Span, std::less<>> hold_by_command;
  std::size_t runs_kept = 0;
  Span worker_leave{};
  std::string hub_url;  // Empty: no hub, but the store itself.
  std::string hub_listen;
  limits::FeedRules rules;

  // Every value with its place, in the order of the table.
  std::vector<Given> origins;

  // Whether the value of the setting stands in the workspace.
  [[nodiscard]] bool is_of_workspace(std::string_view name) const;
};

// Later values win. `invalid` names the place of what is wrong.
[[nodiscard]] Result<Settings> resolve(const std::vector<Given>& given);

// Says what is wrong with a store URL, if anything, without opening it.
[[nodiscard]] Result<> check_store_url(std::string_view url);

// `url` with a relative path of a local store made absolute.
[[nodiscard]] std::string absolute_url(const std::string& url, const std::string& directory);

// `url` with *** for passwords, for people and logs.
[[nodiscard]] std::string masked_url(const std::string& url);

}  // namespace tyer::cli
