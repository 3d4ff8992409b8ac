#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/workspace.h"

namespace tyer::cli {
namespace {

// What `resolve` cannot know of the store: whether one is found or would be made.
void complete_store(const World& world, const Settings& settings, const Workspace& workspace,
                    Given& row) {
  if (settings.store.empty()) {
    row.text = store_url(world, settings);
    row.from = workspace.exists ? "default" : "default, not made yet";
  }
  row.text = masked_url(row.text);
}

}  // namespace

Done run_config_show(World& world, const Arguments& arguments) {
  TYER_TRY(Settings settings, load_settings(world, arguments));
  const Workspace workspace = find_workspace(world);
  for (Given& row : settings.origins) {
    if (row.name == "store") complete_store(world, settings, workspace, row);
  }
  if (arguments.has("--json")) {
    Json list = Json::array();
    for (const Given& row : settings.origins) {
      list.push_back({{"name", row.name}, {"value", row.text}, {"from", row.from}});
    }
    const Json chosen{{"path", workspace.directory},
                      {"exists", workspace.exists},
                      {"why", workspace.why()},
                      {"hidden", workspace.is_astray() ? "" : workspace.astray}};
    world.output.print(dump_json({{"workspace", chosen}, {"settings", list}}) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"SETTING", "VALUE", "FROM"}};
  rows.push_back(
      {"(workspace)", printable(workspace.directory), printable(workspace.why(), 1'000)});
  for (const Given& row : settings.origins) {
    rows.push_back({printable(row.name), printable(row.text), printable(row.from, 1'000)});
  }
  world.output.print(table(rows));
  return 0;
}

}  // namespace tyer::cli
