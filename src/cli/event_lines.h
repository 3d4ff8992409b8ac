// Events as lines: columns for people, JSON for programs.
//
// Both leave out what a kind hides. Of a kind that this program does not know,
// nothing but leases is shown, since nobody can say what of it is secret.

#pragma once

#include <string>
#include <vector>

#include "core/event.h"
#include "core/kind.h"

namespace tyer::cli {

// {"seq":…,"at":…,"key":…,"rev":…,"type":…,"actor":…,"cause":…,"body":{…}} and a line end.
[[nodiscard]] std::string json_line(const core::Event& event, const core::Catalog& catalog);

// Columns stay aligned within a page and never get narrower from page to page.
class EventColumns {
 public:
  struct Look {
    bool color = false;
    std::size_t width = 0;  // Lines are cut here; 0: never.
  };

  EventColumns(const core::Catalog& catalog, Look look) : catalog_(catalog), look_(look) {}

  // A line each: number, time in UTC, key, revision, type, actor, body.
  [[nodiscard]] std::string lines(const std::vector<core::Event>& page);

 private:
  [[nodiscard]] std::string line(const core::Event& event) const;

  const core::Catalog& catalog_;
  const Look look_;
  std::size_t seq_width_ = 0;
  std::size_t key_width_ = 0;
  std::size_t rev_width_ = 0;
  std::size_t type_width_ = 0;
  std::size_t actor_width_ = 0;
};

}  // namespace tyer::cli
