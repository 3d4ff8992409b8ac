// What the sessions of a worker do, on a terminal: a table that is kept up to date (W16).

#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cli/workspace.h"
#include "work/worker.h"

namespace tyer::cli {

// A head and a line for each session, none wider than `width` nor all of them higher than `height`.
// If there are more sessions than lines, those that do something are shown, and how many are not.
[[nodiscard]] std::vector<std::string> status_lines(std::vector<work::Row> rows, std::size_t width,
                                                    std::size_t height);

// What is said at the first signal: so many runs have so much time.
[[nodiscard]] std::string leaving_words(std::size_t runs, Span time);

class StatusView {
 public:
  explicit StatusView(World& world) : world_(world) {}

  // Over what it has shown before.
  void show(const std::vector<work::Row>& rows);

  // A line that stays, above the table.
  void say(const std::string& line);

  // Somebody else has written a line below the table: the next one begins there. From any thread.
  void step_aside() { is_below_ = true; }

 private:
  [[nodiscard]] std::string to_its_beginning();
  void print(const std::string& text);

  World& world_;
  std::vector<std::string> shown_;
  std::vector<std::size_t> widths_;  // Of its lines on the screen, above the cursor.
  std::atomic<bool> is_below_ = false;
};

}  // namespace tyer::cli
