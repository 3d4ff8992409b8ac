#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/workspace.h"

namespace tyer::cli {
namespace {

// What `resolve` cannot know of the store: whether one is found or would be made.
void complete_store(const World& world, const Settings& settings, Given& row) {
  if (settings.store.empty()) {
    const bool found = find_tyer(world.directory).has_value();
    row.text = store_url(world, settings);
    row.from = found ? "default" : "default, not made yet";
  }
  row.text = masked_url(row.text);
}

}  // namespace

Done run_config_show(World& world, const Arguments& arguments) {
  TYER_TRY(Settings settings, load_settings(world, arguments));
  for (Given& row : settings.origins) {
    if (row.name == "store") complete_store(world, settings, row);
  }
  if (arguments.has("--json")) {
    Json list = Json::array();
    for (const Given& row : settings.origins) {
      list.push_back({{"name", row.name}, {"value", row.text}, {"from", row.from}});
    }
    world.output.print(dump_json({{"settings", list}}) + "\n");
    return 0;
  }
  std::vector<std::vector<std::string>> rows{{"SETTING", "VALUE", "FROM"}};
  for (const Given& row : settings.origins) {
    rows.push_back({printable(row.name), printable(row.text), printable(row.from, 1'000)});
  }
  world.output.print(table(rows));
  return 0;
}

}  // namespace tyer::cli
