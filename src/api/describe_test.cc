// The descriptions are made from the table of routes, and the documents are kept like them (H20).

#include "api/describe.h"

#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "api/route.h"
#include "base/json.h"

namespace tyer::api {
namespace {

TEST(Api, IsDescribedAsItsRoutesAre) {
  const auto described = parse_json_object(openapi());
  ASSERT_TRUE(described);

  std::set<std::string> told;
  for (const auto& [path, operations] : (*described)["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) told.insert(method + " " + path);
  }
  std::set<std::string> there;
  for (const Route& route : routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    EXPECT_TRUE(there.insert(method + " " + std::string(route.path)).second) << route.path;
    EXPECT_NE(route.handle, nullptr) << route.path;
  }
  EXPECT_EQ(told, there);
}

TEST(Api, TellsAgentsEverythingTheyMayDoAndNothingElse) {
  const std::string text = skill();

  for (const Route& route : routes()) {
    const std::string row = "`" + std::string(route.method) + " " + std::string(route.path) + "`";
    const bool is_theirs =
        route.who != Who::human && route.who != Who::worker && route.path.starts_with("/api/");
    EXPECT_EQ(text.contains(row), is_theirs) << row;
  }
}

TEST(Api, HasAReferenceThatIsUpToDate) {
  std::ifstream file(TYER_SOURCE "/docs/api.md");
  std::stringstream there;
  there << file.rdbuf();

  const std::string made = reference();
  if (there.str() != made) std::ofstream("api.md") << made;
  EXPECT_TRUE(there.str() == made) << "docs/api.md is not what the routes say; see api.md here";
}

TEST(Api, IsWhatThePageIsMadeFor) {
  std::ifstream file(TYER_SOURCE "/web/openapi.json");
  const Json there = Json::parse(file, nullptr, false);
  const Json made = Json::parse(openapi());

  if (there != made) std::ofstream("openapi.json") << made.dump(1) << "\n";
  EXPECT_TRUE(there == made)
      << "web/openapi.json is not what the routes say; see openapi.json here";
}

}  // namespace
}  // namespace tyer::api
