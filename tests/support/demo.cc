#include "support/demo.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "base/json.h"
#include "core/run.h"
#include "engine/apply.h"
#include "env/linux_env.h"
#include "feed/kinds.h"
#include "store/open.h"
#include "support/lose_lease.h"

namespace tyer::testing {
namespace {

void apply_all(const std::string& url, const std::vector<core::Change>& changes) {
  env::LinuxEnv real;
  std::vector<core::Kind> kinds = feed::kinds();
  kinds.push_back(core::run_kind());
  const core::Catalog catalog(std::move(kinds), {});
  auto store = store::open(url, real.env(), {.durability = store::Durability::normal});
  ASSERT_TRUE(store) << store.error().what;
  for (const core::Change& change : changes) {
    const auto written = store::write(**store, [&](store::Txn& txn) -> Result<> {
      core::Change decided = change;
      for (core::Ending& ending : decided.endings) {
        TYER_TRY(const auto lease, txn.lease(ending.key));
        ending.token = lease->token;
      }
      TYER_TRY_OK(engine::apply(txn, catalog, decided, {.actor = "tester"}));
      txn.put(core::Cursor{"page", 1});
      return {};
    });
    ASSERT_TRUE(written) << written.error().what;
  }
}

core::Grant grant(const std::string& key) {
  core::Grant grant;
  grant.key = key;
  grant.holder = {{"laptop", "boot", "1"}, 12345, 7, "0190f3c2-7b1a-7c3d-8e4f-0123456789ab"};
  grant.silence_max = 3min;
  grant.hold_max = 30min;
  grant.command = "/wf:build";
  return grant;
}

core::Change draft(std::string key, std::string type, std::string body) {
  return {.events = {{.key = std::move(key), .type = std::move(type), .body = std::move(body)}}};
}

}  // namespace

void fill_demo(const std::string& url) {
  apply_all(url, {draft("run/1", "run.created",
                        R"({"argv":["make"],"environment":{"API_KEY":"hunter2"}})"),
                  draft("run/1", "run.started", R"({"pid":12345})"),
                  {.grants = {grant("lock/TSK-01-01")}},
                  draft("run/1", "run.ended", R"({"outcome":"succeeded"})"),
                  {.grants = {grant("lock/리팩토링")}},
                  {.endings = {{.key = "lock/리팩토링"}}}});
}

void add_run(const std::string& url, const std::string& name) {
  apply_all(url, {draft("run/" + name, "run.created", "{}")});
}

void lose_lease(const std::string& url, const std::string& key) {
  apply_all(url, {{.endings = {{.key = key, .how = core::End::lapsed, .verdict = "silent"}}}});
}

std::string add_feed(const std::string& url, const std::string& name) {
  static int count = 0;
  const std::string id = fmt::format("fd_{:026}", ++count);
  apply_all(url, {draft("feed/" + id, "feed.created", dump_json({{"name", name}}))});
  return id;
}

ProgramTest::ProgramTest() : environment{{"HOME", home.path()}} {}

ProgramCall ProgramTest::call(std::vector<std::string> words) const {
  return {.words = std::move(words), .directory = dir.path(), .environment = environment};
}

ProgramResult ProgramTest::tyer(std::vector<std::string> words) const {
  return run_program(call(std::move(words)));
}

ProgramResult ProgramTest::tyer(const std::string& line) const {
  return tyer(split_words(line));
}

ProgramResult ProgramTest::tyer_as_others(const std::string& line) const {
  if (::geteuid() != 0) return tyer(line);
  std::vector<std::string> words{"--bounding-set=-dac_override,-dac_read_search", TYER_PROGRAM};
  std::ranges::copy(split_words(line), std::back_inserter(words));
  ProgramCall limited = call(std::move(words));
  limited.program = "/usr/bin/setpriv";
  return run_program(limited);
}

void ProgramTest::make_store() const {
  std::filesystem::create_directory(dir / ".tyer");
  fill_demo(store_url());
}

void ProgramTest::write_file(const std::string& name, const std::string& content) const {
  const std::filesystem::path path = name.starts_with('/') ? name : dir / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

bool ProgramTest::has_file(const std::string& name) const {
  return std::filesystem::exists(dir / name);
}

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_trimmed(const std::string& text) {
  for (const std::string& line : split_lines(text)) {
    if (line.ends_with(' ')) return false;
  }
  return true;
}

}  // namespace tyer::testing
