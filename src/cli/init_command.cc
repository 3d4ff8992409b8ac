// tyer init: a workspace on purpose.

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/workspace.h"

namespace tyer::cli {

Done run_init(World& world, const Arguments& arguments) {
  const Workspace before = find_workspace(world);
  const std::string own = before.own_directory();
  if (before.trouble && before.directory == own) return std::unexpected(*before.trouble);
  const bool is_new = !before.exists || before.directory != own;
  if (is_new) TYER_TRY_OK(make_workspace(world, own));
  // Those of the one that is there now.
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  if (is_new) TYER_TRY_OK(open_store(world, settings, Access::write));
  const std::string store = masked_url(store_url(world, settings));
  const std::string above = is_new && before.exists ? before.directory : "";
  if (arguments.has("--json")) {
    world.output.print(
        dump_json({{"workspace", own}, {"made", is_new}, {"store", store}, {"instead_of", above}}) +
        "\n");
    return 0;
  }
  world.output.print(fmt::format("{} {}\nStore: {}\n",
                                 is_new ? "Made the workspace" : "The workspace is there already:",
                                 printable(own), printable(store)));
  if (!above.empty()) {
    world.output.print(fmt::format("It is used here in place of {}\n", printable(above)));
  }
  return 0;
}

}  // namespace tyer::cli
