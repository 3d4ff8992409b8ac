// Feeds: made, renamed, put in order, deleted (H4).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/view.h"
#include "feed/actor.h"
#include "feed/ids.h"

namespace tyer::feed {

struct NewFeed {
  core::Change change;
  std::string id;
};
[[nodiscard]] Result<NewFeed> decide_add_feed(const core::View& view, const Actor& actor,
                                              const std::string& name, Ids& ids, Time now);
[[nodiscard]] Result<core::Change> decide_rename_feed(const core::View& view, const std::string& id,
                                                      const std::string& name,
                                                      std::optional<std::uint64_t> expected_rev);
[[nodiscard]] Result<core::Change> decide_delete_feed(const core::View& view, const std::string& id,
                                                      std::optional<std::uint64_t> expected_rev,
                                                      Time now);

// `ids` come first, in this order; the others follow as they were.
[[nodiscard]] Result<core::Change> decide_order_feeds(const core::View& view,
                                                      const std::vector<std::string>& ids);

// In their order: by their positions, and of one position by their ids.
[[nodiscard]] Result<std::vector<core::Subject>> list_feeds(const core::View& view);
[[nodiscard]] std::int64_t position_of(const core::Subject& feed);

}  // namespace tyer::feed
