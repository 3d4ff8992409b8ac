// A small store for tests of the program: a run with a secret, a lease, a reader.

#pragma once

#include <string>

#include <gtest/gtest.h>

#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::testing {

// Fills the store `url`, making it if need be, with these events:
//   1 run/1 run.created (environment hidden)   2 run/1 run.started
//   3 lock/TSK-01-01 lease.granted             4 run/1 run.ended
//   5 lock/리팩토링 lease.granted              6 lock/리팩토링 lease.released
void fill_demo(const std::string& url);

// One more event: run/NAME run.created.
void add_run(const std::string& url, const std::string& name);

// A feed of this name, also if there is one already, as stores from before have. Its id.
std::string add_feed(const std::string& url, const std::string& name);

// Runs tyer in a directory of its own, with a home that is not the tester's.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest();

  [[nodiscard]] ProgramCall call(std::vector<std::string> words) const;
  [[nodiscard]] ProgramResult tyer(std::vector<std::string> words) const;

  // The same for a line without quotes: tyer("log --limit 2").
  [[nodiscard]] ProgramResult tyer(const std::string& line) const;

  // The same without root's right to read and write whatever it likes.
  [[nodiscard]] ProgramResult tyer_as_others(const std::string& line) const;

  // The demo store as the store of this directory.
  void make_store() const;
  [[nodiscard]] std::string store_url() const { return "sqlite:" + (dir / ".tyer/tyer.db"); }

  void write_file(const std::string& name, const std::string& content) const;
  [[nodiscard]] bool has_file(const std::string& name) const;

  TempDir dir;
  TempDir home;
  std::map<std::string, std::string> environment;
};

[[nodiscard]] std::vector<std::string> split_words(const std::string& line);
[[nodiscard]] std::vector<std::string> split_lines(const std::string& text);

// No line of `text` ends in a space.
[[nodiscard]] bool is_trimmed(const std::string& text);

}  // namespace tyer::testing
