// What people write for things of the hub: names, or ids where names are not clear.

#pragma once

#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "cli/door.h"

namespace tyer::cli {

// Whether `text` has the form of an id: `prefix` and 26 characters.
[[nodiscard]] bool is_id(std::string_view text, std::string_view prefix);

// The id of what is called so. Names are the same whatever their case; if several things are called
// so, only one that is written exactly so is meant. `not_found` and `invalid` name some that there
// are. The id of an agent or feed is taken as it is: the hub knows whether there is one.
[[nodiscard]] Tried<std::string> find_agent(Door& door, const std::string& text);
[[nodiscard]] Tried<std::string> find_feed(Door& door, const std::string& text);
[[nodiscard]] Tried<std::string> find_session(Door& door, const std::string& agent,
                                              const std::string& text);

// Posts and comments have no names.
[[nodiscard]] Result<std::string> check_post(const std::string& text);

}  // namespace tyer::cli
