// What the sessions of a worker do, on a terminal: a table that is kept up to date (W16).

#pragma once

#include <string>
#include <vector>

#include "cli/workspace.h"
#include "work/worker.h"

namespace tyer::cli {

// A head and a line for each session, none wider than `width` nor all of them higher than `height`.
// If there are more sessions than lines, those that do something are shown, and how many are not.
[[nodiscard]] std::vector<std::string> status_lines(std::vector<work::Row> rows, std::size_t width,
                                                    std::size_t height);

class StatusView {
 public:
  explicit StatusView(World& world) : world_(world) {}

  // Over what it has shown before.
  void show(const std::vector<work::Row>& rows);

 private:
  World& world_;
  std::size_t lines_ = 0;
};

}  // namespace tyer::cli
