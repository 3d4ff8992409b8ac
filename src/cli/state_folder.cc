#include "cli/state_folder.h"

namespace tyer::cli {
namespace {

std::string path_in(const World& world, std::string_view name) {
  const auto found = world.environment.find(name);
  const bool is_path = found != world.environment.end() && found->second.starts_with('/');
  return is_path ? found->second : "";
}

}  // namespace

Result<std::string> state_folder(const World& world) {
  // A relative one is to be ignored, says the XDG specification.
  if (const std::string state = path_in(world, "XDG_STATE_HOME"); !state.empty()) {
    return state + "/tyer";
  }
  if (const std::string home = path_in(world, "HOME"); !home.empty()) {
    return home + "/.local/state/tyer";
  }
  return fail(Fault::invalid, "HOME does not say where your files are; set it, or XDG_STATE_HOME");
}

}  // namespace tyer::cli
