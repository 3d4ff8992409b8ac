#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/repository_work.h"
#include "git/names.h"
#include "git/worktrees.h"

namespace tyer::cli {
namespace {

std::string describe_bytes(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1 << 20) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

Json rescue_json(const git::Rescue& rescue) {
  return {{"id", rescue.id},
          {"at", format_time(rescue.at, 3)},
          {"worktree", rescue.name},
          {"path", rescue.path},
          {"branch", git::short_ref(rescue.branch)},
          {"head", rescue.head},
          {"commit", rescue.commit},
          {"why", rescue.why},
          {"files", rescue.files},
          {"bytes", rescue.bytes}};
}

}  // namespace

Done run_rescue_list(World& world, const Arguments& arguments) {
  return look_at_repository(
      world, [&](const git::Runner& runner, const git::Repository& repository) -> Done {
        TYER_TRY(const std::vector<git::Rescue> rescues, git::rescues(runner, repository));
        Json all = Json::array();
        std::vector<std::vector<std::string>> rows{
            {"ID", "WHEN", "WORKTREE", "FILES", "BYTES", "WHY"}};
        for (const git::Rescue& rescue : rescues) {
          all.push_back(rescue_json(rescue));
          rows.push_back({rescue.id, format_time(rescue.at, 3),
                          printable(rescue.name.empty() ? rescue.path : rescue.name, 100),
                          std::to_string(rescue.files), describe_bytes(rescue.bytes),
                          printable(rescue.why, 200)});
        }
        if (arguments.has("--json")) {
          world.output.print(dump_json(all) + "\n");
        } else {
          world.output.print(rescues.empty() ? "No rescues.\n" : table(rows));
        }
        return 0;
      });
}

Done run_rescue_restore(World& world, const Arguments& arguments) {
  std::string to = arguments.value("--to").value_or("");
  if (arguments.has("--to") && to.empty()) {
    return std::unexpected(Failure{{Fault::invalid, "--to must not be empty"}});
  }
  while (to.size() > 1 && to.ends_with('/')) to.pop_back();
  if (!to.empty() && !to.starts_with('/')) to = world.directory + "/" + to;
  return work_on_repository(
      world, arguments,
      [&](const git::Runner& runner, const git::Repository& repository, engine::Engine&) -> Done {
        TYER_TRY(const git::Rescue rescue,
                 git::find_rescue(runner, repository, *arguments.value("ID")));
        TYER_TRY(const git::Restored restored, git::restore(runner, repository, rescue, to));
        if (arguments.has("--json")) {
          Json json = rescue_json(rescue);
          json["path"] = restored.path;
          json["head"] = restored.head;
          json["branch"] =
              restored.branch.empty() ? Json(nullptr) : Json(git::short_ref(restored.branch));
          world.output.print(dump_json(json) + "\n");
          return 0;
        }
        const bool lost_branch = restored.branch.empty() && !rescue.branch.empty();
        world.output.print(
            fmt::format("{}: restored in {} on {}\n", rescue.id, printable(restored.path, 4'000),
                        restored.branch.empty() ? fmt::format("{:.12}, detached", restored.head)
                                                : git::short_ref(restored.branch)));
        if (lost_branch) {
          world.output.print(fmt::format("  {} has moved on or is in use, so HEAD is detached\n",
                                         git::short_ref(rescue.branch)));
        }
        return 0;
      });
}

}  // namespace tyer::cli
