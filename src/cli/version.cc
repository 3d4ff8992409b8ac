#include <fmt/format.h>

#include "base/json.h"
#include "cli/commands.h"
#include "store/sqlite_version.h"

namespace tyer::cli {
namespace {

#ifdef __clang__
constexpr std::string_view compiler = "clang " __clang_version__;
#else
constexpr std::string_view compiler = "g++ " __VERSION__;
#endif

}  // namespace

Done run_version(World& world, const Arguments& arguments) {
  const std::string_view sqlite = store::sqlite_version();
  if (arguments.has("--json")) {
    const Json json{{"version", TYER_VERSION}, {"compiler", compiler}, {"sqlite", sqlite}};
    world.output.print(dump_json(json) + "\n");
  } else {
    world.output.print(fmt::format("tyer {}\n{}, SQLite {}\n", TYER_VERSION, compiler, sqlite));
  }
  return 0;
}

}  // namespace tyer::cli
