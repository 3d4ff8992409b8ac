#include "cli/settings.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/limits.h"
#include "core/limits.h"
#include "http/client.h"
#include "run/limits.h"

namespace tyer::cli {
namespace {

using enum Setting::Kind;

constexpr std::string_view holds_prefix = "lease.hold_by_command.";
constexpr std::size_t space_bytes_max = 63;

constexpr std::array table_rows{
    Setting{"store", "TYER_STORE", "--store", url, "", "",
            "Where everything is kept: `sqlite:PATH`, `files:DIR` or `postgres://…`. Without it, "
            "`tyer.db` in the workspace.",
            "locks, feeds and agents are kept there, and agents run what it says"},
    Setting{"durability", "TYER_DURABILITY", "--durability", choice, "full|normal", "full",
            "`full`: what was committed survives power loss. `normal`: only the death of a "
            "process, and faster."},
    Setting{"space", "TYER_SPACE", "--space", name, "", "main",
            "The workspace in a PostgreSQL database. Other stores have one each."},
    Setting{"color", "TYER_COLOR", "--color", choice, "auto|always|never", "auto",
            "Colour in text for people. `auto`: on a terminal, unless `NO_COLOR` is set."},
    Setting{"lease.heartbeat", "TYER_LEASE_HEARTBEAT", "", duration, "", "1m",
            "How often a holder shows that it lives."},
    Setting{"lease.silence", "TYER_LEASE_SILENCE", "", duration, "", "3m",
            "How long a holder may be silent before others may take its lease. At least twice "
            "`lease.heartbeat`."},
    Setting{"lease.hold", "TYER_LEASE_HOLD", "", duration, "", "30m",
            "How long a lease may be held at all."},
    Setting{"lease.hold_by_command", "", "", durations, "", "",
            "The same for single commands; see below."},
    Setting{"runs.keep", "TYER_RUNS_KEEP", "", number, "", "500",
            "Of how many runs of agents, the newest, the transcripts are kept."},
    Setting{
        "hub.url", "TYER_URL", "--url", hub_url, "", "",
        "The hub that `tyer agent`, `tyer feed`, `tyer events`, `tyer lock` and `tyer run` talk "
        "to, like `http://127.0.0.1:7420`. Without it, they use the store themselves.",
        "what you write and which locks you hold is sent there"},
    Setting{"hub.listen", "TYER_HUB_LISTEN", "--listen", address, "", "127.0.0.1:7420",
            "Where `tyer serve` listens.", "whoever reaches that address reaches your hub"},
    Setting{"hub.sessions_max", "TYER_HUB_SESSIONS_MAX", "", number, "", "5",
            "How many sessions an agent may have, its default session among them."},
    Setting{"hub.bot_mentions_max", "TYER_HUB_BOT_MENTIONS_MAX", "", number, "", "4",
            "How often agents may mention agents under one post within `hub.bot_window`; then the "
            "chain stops."},
    Setting{"hub.author_mentions_max", "TYER_HUB_AUTHOR_MENTIONS_MAX", "", number, "", "60",
            "How often one agent may mention agents under all posts within `hub.bot_window`; then "
            "nobody more is woken."},
    Setting{"hub.bot_window", "TYER_HUB_BOT_WINDOW", "", duration, "", "5m", "See above."},
    Setting{"routing.followers_hear_mentions", "TYER_ROUTING_FOLLOWERS_HEAR_MENTIONS", "", flag, "",
            "false",
            "`true`: a comment that mentions somebody wakes the sessions that follow its thread, "
            "too, not only those that it mentions."},
    Setting{"worker.leave", "TYER_WORKER_LEAVE", "", duration, "", "5m",
            "How long runs under way may go on when their worker leaves or their session is "
            "deleted."},
};

constexpr std::array holds{CommandHold{"/wf:build", "1h"},  CommandHold{"/wf:done", "5m"},
                           CommandHold{"/wf:draft", "30m"}, CommandHold{"/wf:review", "20m"},
                           CommandHold{"/wf:start", "5m"},  CommandHold{"/wf:verify", "30m"}};

std::unexpected<Error> refuse(const Given& given, std::string_view why) {
  return fail(Fault::invalid, fmt::format("{}: {} {}", given.from, printable(given.name), why));
}

Result<Span> read_duration(const Given& given) {
  const auto span = parse_span(given.text);
  if (!span) return refuse(given, span.error().what);
  if (*span <= Span::zero()) return refuse(given, "must be longer than nothing");
  if (*span > limits::hold_most) {
    return refuse(given, fmt::format("must be at most {}", describe_span(limits::hold_most)));
  }
  return *span;
}

Result<std::size_t> read_number(const Given& given, std::size_t most) {
  std::size_t number = 0;
  const char* const end = given.text.data() + given.text.size();
  const auto [rest, error] = std::from_chars(given.text.data(), end, number);
  if (error == std::errc{} && rest == end && number > 0 && number <= most) return number;
  return refuse(given, fmt::format("is '{}', but must be a number from 1 to {}",
                                   printable(given.text, 80), most));
}

Result<bool> read_flag(const Given& given) {
  if (given.text == "true" || given.text == "false") return given.text == "true";
  return refuse(given,
                fmt::format("is '{}', but must be true or false", printable(given.text, 80)));
}

Result<> check_choice(const Given& given, std::string_view choices) {
  if (!given.text.empty() && !given.text.contains('|') &&
      fmt::format("|{}|", choices).contains(fmt::format("|{}|", given.text))) {
    return {};
  }
  return refuse(given, fmt::format("is '{}', but must be {}", printable(given.text, 80),
                                   alternatives(choices)));
}

Result<> check_space(const Given& given) {
  const bool plain = std::ranges::all_of(given.text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
  if (plain && !given.text.empty() && given.text.size() <= space_bytes_max) return {};
  return refuse(given, fmt::format("is '{}', but must be 1 to {} letters, digits, '_', '-' or '.'",
                                   printable(given.text, 80), space_bytes_max));
}

// ADDRESS:PORT, as the server reads it.
Result<> check_address(const Given& given) {
  const std::size_t colon = given.text.rfind(':');
  unsigned port = 0;
  const char* const end = given.text.data() + given.text.size();
  if (colon != std::string::npos && colon > 0) {
    const auto [rest, error] = std::from_chars(given.text.data() + colon + 1, end, port);
    if (error == std::errc{} && rest == end && port <= 65'535) return {};
  }
  return refuse(
      given,
      fmt::format("is '{}', but must be ADDRESS:PORT, like 127.0.0.1:7420, with a port up to 65535",
                  printable(given.text, 80)));
}

std::unexpected<Error> refuse_unknown(const Given& given) {
  std::vector<std::string_view> known;
  for (const Setting& setting : table_rows) known.push_back(setting.name);
  const std::string_view near = nearest(given.name, known);
  return fail(Fault::invalid,
              fmt::format("{}: there is no setting '{}'{}", given.from, printable(given.name, 80),
                          near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

Result<> set_hub(Settings& settings, const Given& given) {
  if (given.name == "hub.url") {
    const auto good = http::parse_url(given.text);
    if (!good) {
      return refuse(given, fmt::format("is '{}', but must be a URL like http://127.0.0.1:7420",
                                       printable(given.text, 80)));
    }
    settings.hub_url = given.text;
  } else if (given.name == "hub.listen") {
    TYER_TRY_OK(check_address(given));
    settings.hub_listen = given.text;
  } else if (given.name == "hub.sessions_max") {
    TYER_TRY(settings.rules.sessions_max, read_number(given, limits::sessions_most));
  } else if (given.name == "hub.bot_mentions_max") {
    TYER_TRY(settings.rules.bot_mentions_max, read_number(given, limits::bot_mentions_most));
  } else if (given.name == "hub.author_mentions_max") {
    TYER_TRY(settings.rules.author_mentions_max, read_number(given, limits::author_mentions_most));
  } else if (given.name == "hub.bot_window") {
    TYER_TRY(settings.rules.bot_window, read_duration(given));
  }
  return {};
}

Result<> set(Settings& settings, const Given& given) {
  if (given.name.starts_with(holds_prefix)) {
    TYER_TRY(const Span hold, read_duration(given));
    settings.hold_by_command[given.name.substr(holds_prefix.size())] = hold;
    return {};
  }
  const auto found = std::ranges::find(table_rows, given.name, &Setting::name);
  if (found == table_rows.end() || found->kind == durations) return refuse_unknown(given);
  if (found->kind == choice) TYER_TRY_OK(check_choice(given, found->choices));
  if (given.name.starts_with("hub.")) return set_hub(settings, given);
  if (given.name == "store") {
    const auto good = check_store_url(given.text);
    if (!good) return std::unexpected(good.error().in(given.from));
    settings.store = absolute_url(given.text, given.directory);
  } else if (given.name == "durability") {
    settings.durability =
        given.text == "full" ? store::Durability::full : store::Durability::normal;
  } else if (given.name == "space") {
    TYER_TRY_OK(check_space(given));
    settings.space = given.text;
  } else if (given.name == "color") {
    settings.color = given.text == "auto"     ? Color::automatic
                     : given.text == "always" ? Color::always
                                              : Color::never;
  } else if (given.name == "lease.heartbeat") {
    TYER_TRY(settings.heartbeat, read_duration(given));
  } else if (given.name == "lease.silence") {
    TYER_TRY(settings.silence, read_duration(given));
  } else if (given.name == "lease.hold") {
    TYER_TRY(settings.hold, read_duration(given));
  } else if (given.name == "worker.leave") {
    TYER_TRY(settings.worker_leave, read_duration(given));
  } else if (given.name == "routing.followers_hear_mentions") {
    TYER_TRY(settings.rules.followers_hear_mentions, read_flag(given));
  } else if (given.name == "runs.keep") {
    TYER_TRY(settings.runs_kept, read_number(given, limits::run_folders_max));
  }
  return {};
}

// The place that won for each setting, in the order of the table.
std::vector<Given> winners(const std::vector<Given>& all, const Settings& settings) {
  std::map<std::string, const Given*, std::less<>> last;
  for (const Given& given : all) last[given.name] = &given;
  std::vector<Given> rows;
  for (const Setting& setting : table_rows) {
    if (setting.kind == durations) continue;
    const auto found = last.find(setting.name);
    Given row =
        found == last.end() ? Given{std::string(setting.name), "", "default", ""} : *found->second;
    if (setting.name == "store") row.text = settings.store;
    rows.push_back(std::move(row));
  }
  for (const auto& [command, hold] : settings.hold_by_command) {
    rows.push_back(*last.find(std::string(holds_prefix) + command)->second);
  }
  return rows;
}

Result<> check_pair(const std::vector<Given>& rows, const Settings& settings) {
  if (settings.silence >= 2 * settings.heartbeat) return {};
  const auto place = [&rows](std::string_view name) {
    const auto found = std::ranges::find(rows, name, &Given::name);
    return fmt::format("{} is {} ({})", name, found->text, found->from);
  };
  return fail(Fault::invalid,
              fmt::format("{}, but {}: silence must be at least twice the heartbeat",
                          place("lease.silence"), place("lease.heartbeat")));
}

}  // namespace

std::span<const Setting> settings_table() {
  return table_rows;
}

std::span<const CommandHold> default_holds() {
  return holds;
}

Result<Settings> resolve(const std::vector<Given>& given) {
  std::vector<Given> all;
  for (const Setting& setting : table_rows) {
    if (setting.fallback.empty()) continue;
    all.push_back({std::string(setting.name), std::string(setting.fallback), "default", ""});
  }
  for (const CommandHold& hold : holds) {
    all.push_back(
        {fmt::format("{}{}", holds_prefix, hold.command), std::string(hold.hold), "default", ""});
  }
  all.insert(all.end(), given.begin(), given.end());

  Settings settings;
  for (const Given& each : all) TYER_TRY_OK(set(settings, each));
  settings.origins = winners(all, settings);
  TYER_TRY_OK(check_pair(settings.origins, settings));
  return settings;
}

bool Settings::is_of_workspace(std::string_view name) const {
  const auto found = std::ranges::find(origins, name, &Given::name);
  return found != origins.end() && found->of_workspace;
}

Result<> check_store_url(std::string_view url) {
  for (const std::string_view scheme : {"sqlite:", "files:", "postgres://", "postgresql://"}) {
    if (url.starts_with(scheme) && url.size() > scheme.size()) return {};
  }
  return fail(
      Fault::invalid,
      fmt::format("'{}' is not a store; write it like sqlite:PATH, files:DIR or postgres://…",
                  printable(masked_url(std::string(url)), 120)));
}

std::string absolute_url(const std::string& url, const std::string& directory) {
  const std::size_t colon = url.find(':');
  const std::string scheme = url.substr(0, colon + 1);
  if (scheme != "sqlite:" && scheme != "files:") return url;
  const std::string path = url.substr(colon + 1);
  if (path.starts_with('/') || path == ":memory:") return url;
  return fmt::format("{}{}{}{}", scheme, directory, directory.ends_with('/') ? "" : "/", path);
}

std::string masked_url(const std::string& url) {
  const std::size_t start = url.find("://");
  if (start == std::string::npos) return url;
  std::string masked = url;
  // A careless password has '@' or '/' in it: better too much masked than too little.
  const std::size_t at = masked.substr(0, masked.find('?')).rfind('@');
  if (at != std::string::npos) {
    const std::size_t colon = masked.find(':', start + 3);
    if (colon < at) masked.replace(colon + 1, at - colon - 1, "***");
  }
  for (std::size_t from = masked.find('?'); from != std::string::npos;) {
    const std::size_t equals = masked.find('=', from);
    const std::size_t next = masked.find('&', from + 1);
    if (equals < next) {
      const std::string name = masked.substr(from + 1, equals - from - 1);
      if (name.contains("pass"))
        masked.replace(equals + 1, std::min(next, masked.size()) - equals - 1, "***");
    }
    from = masked.find('&', from + 1);
  }
  return masked;
}

}  // namespace tyer::cli
