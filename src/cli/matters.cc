#include "cli/matters.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/limits.h"
#include "git/own_programs.h"

namespace tyer::cli {
namespace {

std::string user_name(uid_t user) {
  std::array<char, 4'096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const bool is_known =
      ::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr;
  return is_known ? std::string(entry.pw_name) : fmt::format("user {}", user);
}

// Who calls root to help, by sudo, is trusted with what is theirs: they may do anything by it.
bool is_own(const World& world, uid_t owner) {
  const uid_t user = ::geteuid();
  if (owner == user) return true;
  const auto caller = world.environment.find("SUDO_UID");
  if (user != 0 || caller == world.environment.end()) return false;
  uid_t number = 0;
  const char* const end = caller->second.data() + caller->second.size();
  const auto [rest, error] = std::from_chars(caller->second.data(), end, number);
  return error == std::errc{} && rest == end && number == owner;
}

// A group with the number of its user is that user's own, by the custom of most systems.
bool others_can_write(const struct stat& facts) {
  if ((facts.st_mode & S_IWOTH) != 0) return true;
  return (facts.st_mode & S_IWGRP) != 0 && facts.st_gid != facts.st_uid;
}

void look_at_owner(const World& world, const std::string& directory, const std::string& path,
                   std::vector<Matter>& matters) {
  struct stat link{};
  struct stat facts{};
  if (::lstat(path.c_str(), &link) != 0 || ::stat(path.c_str(), &facts) != 0) return;
  for (const uid_t owner : {link.st_uid, facts.st_uid}) {
    if (is_own(world, owner)) continue;
    matters.push_back({directory, fmt::format("owner {} of {}", owner, path),
                       fmt::format("{} belongs to {}, who decides with it which store is used here "
                                   "and what agents run",
                                   path, user_name(owner))});
    return;
  }
  if (!others_can_write(facts)) return;
  matters.push_back({directory, fmt::format("writable {}", path),
                     fmt::format("others can write to {0}, and decide with it which store is used "
                                 "here and what agents run; 'chmod go-w' ends that",
                                 path)});
}

// What only this very file has; it cannot be chosen by who packs or copies one.
std::string identity_of(const std::string& path) {
  struct statx facts{};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &facts) != 0) return "";
  if ((facts.stx_mask & STATX_BTIME) == 0) return fmt::format("{}", facts.stx_ino);
  return fmt::format("{} {}.{:09}", facts.stx_ino, facts.stx_btime.tv_sec, facts.stx_btime.tv_nsec);
}

}  // namespace

std::vector<Matter> owner_matters(const World& world, const Workspace& workspace) {
  std::vector<Matter> matters;
  std::vector<std::string> places{workspace.directory};
  if (workspace.settings != workspace.directory) places.push_back(workspace.settings);
  for (const std::string& place : places) {
    for (const char* const name : {"", "/config.toml", "/tyer.db"}) {
      look_at_owner(world, workspace.directory, place + name, matters);
    }
  }
  return matters;
}

std::vector<Matter> setting_matters(const Workspace& workspace, const Settings& settings,
                                    std::string_view name) {
  const auto setting = std::ranges::find(settings_table(), name, &Setting::name);
  const auto given = std::ranges::find(settings.origins, name, &Given::name);
  const bool matters = setting != settings_table().end() && !setting->decides.empty() &&
                       settings.is_of_workspace(name);
  if (!matters) return {};
  const std::string value = masked_url(given->text);
  return {{workspace.directory, fmt::format("setting {}={}", name, given->text),
           fmt::format("{} ({}) is '{}': {}", name, given->from, value, setting->decides)}};
}

std::vector<Matter> store_matters(const Workspace& workspace, const std::string& url) {
  if (!url.starts_with("sqlite:/") && !url.starts_with("files:/")) return {};
  const std::string path = url.substr(url.find(':') + 1);
  const std::string identity = identity_of(path);
  if (identity.empty()) return {};
  return {{workspace.directory, "store " + identity,
           fmt::format("{} was not made here by you, but copied, moved, or made by an older tyer: "
                       "agents in it run the commands that it says ('--store {}' uses it without "
                       "this question)",
                       path, url)}};
}

Result<std::vector<Matter>> program_matters(const git::Runner& runner,
                                            const git::Repository& repository) {
  TYER_TRY(const auto programs, git::own_programs(runner, repository));
  std::vector<Matter> matters;
  for (const std::string& program : programs) {
    matters.push_back({repository.common, "git " + program,
                       fmt::format("the repository's own configuration has git run a program: {}",
                                   printable(program, limits::meaning_bytes_max / 2))});
  }
  return matters;
}

Result<git::Repository> open_repository(World& world, const git::Runner& runner,
                                        const std::string& directory) {
  TYER_TRY(git::Repository repository, git::find_repository(runner, directory));
  TYER_TRY(std::vector<Matter> matters, program_matters(runner, repository));
  TYER_TRY_OK(need_agreement(world, std::move(matters)));
  return repository;
}

}  // namespace tyer::cli
