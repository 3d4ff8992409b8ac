// Which SQLite is linked in.

#pragma once

#include <string_view>

namespace tyer::store {

[[nodiscard]] std::string_view sqlite_version();

}  // namespace tyer::store
