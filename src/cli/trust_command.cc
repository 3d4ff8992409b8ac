// tyer trust: what of a directory counts though somebody else may have put it there.

#include <filesystem>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/matters.h"
#include "cli/repository_work.h"

namespace tyer::cli {
namespace {

void add(std::vector<Matter>& all, std::vector<Matter> more) {
  all.insert(all.end(), more.begin(), more.end());
}

// All that would be asked about in `world.directory`, whatever the environment says instead now.
Result<std::vector<Matter>> all_matters(World world, const Arguments& arguments) {
  for (const Setting& setting : settings_table())
    world.environment.erase(std::string(setting.variable));
  const Workspace workspace = find_workspace(world);
  if (workspace.trouble) return std::unexpected(*workspace.trouble);
  std::vector<Matter> all = owner_matters(world, workspace);
  TYER_TRY(const Settings settings, read_settings(world, arguments));
  for (const Setting& setting : settings_table()) {
    add(all, setting_matters(workspace, settings, setting.name));
  }
  add(all, store_matters(workspace, store_url(world, settings)));
  if (!workspace.in_git) return all;
  const git::Runner runner(world.env, world.environment);
  const auto repository = git::find_repository(runner, world.directory);
  if (!repository) {
    world.output.remark(printable(repository.error().what, 400));
    return all;
  }
  TYER_TRY(std::vector<Matter> programs, program_matters(runner, *repository));
  add(all, std::move(programs));
  return all;
}

Json as_json(const std::vector<Matter>& matters) {
  Json list = Json::array();
  for (const Matter& matter : matters) {
    Json row{{"directory", matter.directory}, {"what", matter.what}};
    if (!matter.meaning.empty()) row["meaning"] = matter.meaning;
    list.push_back(std::move(row));
  }
  return list;
}

std::string as_text(const std::vector<Matter>& matters) {
  std::string text;
  for (const Matter& matter : matters) {
    text += fmt::format("  {}\n", printable(matter.meaning, limits::meaning_bytes_max));
  }
  return text;
}

Done list_agreements(World& world, const Arguments& arguments) {
  TYER_TRY(const std::vector<Matter> list, agreements(world));
  if (arguments.has("--json")) {
    world.output.print(dump_json(as_json(list)) + "\n");
    return 0;
  }
  if (list.empty()) {
    world.output.print("You have not agreed to anything.\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"DIRECTORY", "AGREED TO"}};
  for (const Matter& matter : list) {
    // Which file a store is says nothing to people.
    const bool is_store = matter.what.starts_with("store ");
    rows.push_back({printable(matter.directory), is_store ? "its store" : printable(matter.what)});
  }
  world.output.print(table(rows));
  return 0;
}

Done forget(World& world, const Arguments& arguments) {
  const Workspace workspace = find_workspace(world);
  std::vector<std::string> directories{workspace.directory};
  const git::Runner runner(world.env, world.environment);
  if (const auto repository = git::find_repository(runner, world.directory)) {
    directories.push_back(repository->common);
  }
  TYER_TRY(const std::size_t gone, disagree(world, directories));
  world.output.print(arguments.has("--json")
                         ? dump_json({{"directory", world.directory}, {"forgotten", gone}}) + "\n"
                         : fmt::format("Forgot {}.\n", count(gone, "agreement")));
  return 0;
}

}  // namespace

Done run_trust(World& world, const Arguments& arguments) {
  if (arguments.has("--list")) return list_agreements(world, arguments);
  namespace fs = std::filesystem;
  std::error_code problem;
  const std::string named = arguments.value("DIR").value_or(".");
  const fs::path directory = fs::canonical(fs::path(world.directory) / named, problem);
  if (problem || !fs::is_directory(directory, problem)) {
    return fail(Fault::not_found, fmt::format("there is no directory {}", printable(named)));
  }
  World there = world_at(world, directory.string());
  if (arguments.has("--forget")) return forget(there, arguments);
  TYER_TRY(const std::vector<Matter> all, all_matters(there, arguments));
  TYER_TRY(const std::vector<Matter> open, not_agreed(there, all));
  const bool only_shows = arguments.has("--show");
  if (!only_shows && !open.empty()) TYER_TRY_OK(agree(there, open));
  if (arguments.has("--json")) {
    world.output.print(dump_json({{"directory", there.directory},
                                  {only_shows ? "not_agreed" : "agreed", as_json(open)}}) +
                       "\n");
    return 0;
  }
  if (open.empty()) {
    world.output.print(fmt::format("Nothing in {} waits for you to agree to it.\n",
                                   printable(there.directory, limits::meaning_bytes_max)));
    return 0;
  }
  world.output.print((only_shows ? "You have not agreed to:\n" : "From now on this counts:\n") +
                     as_text(open));
  return 0;
}

}  // namespace tyer::cli
