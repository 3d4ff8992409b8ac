#include "support/recordings.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/json.h"

namespace tyer::testing {
namespace {

std::string read_fixture(const std::string& name) {
  std::ifstream file(std::string(TYER_SOURCE) + "/tests/fixtures/agents/" + name, std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const backend::Backend& Recording::backend() const {
  const backend::Backend* found = backend::find_backend(name.substr(0, name.find('-')));
  TYER_CHECK(found != nullptr, "a recording is called by its program");
  return *found;
}

std::vector<Recording> recordings() {
  std::vector<Recording> all;
  const auto manifest = parse_json(read_fixture("manifest.json"));
  EXPECT_TRUE(manifest && !manifest->empty());
  for (const Json& entry : manifest.value_or(Json::array())) {
    const auto exit = static_cast<int>(int_or(entry, "exit"));
    const std::string file = text_or(entry, "fixture");
    all.push_back({.name = text_or(entry, "name"),
                   .output = file.empty() ? "" : read_fixture(file),
                   .ending = {.code = exit < 0 ? 0 : exit,
                              .signal = exit < 0 ? -exit : 0,
                              .errors = text_or(entry, "stderr")}});
  }
  return all;
}

Reading read_pieces(const backend::Backend& backend, const backend::Task& task,
                    const std::vector<std::string_view>& pieces, const backend::Ending& ending) {
  Reading reading;
  const auto reader =
      backend.read(task, [&](const backend::Note& note) { reading.notes.push_back(note); });
  for (const std::string_view piece : pieces) reader->feed(piece);
  reading.report = reader->finish(ending);
  return reading;
}

}  // namespace tyer::testing
