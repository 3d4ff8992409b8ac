// The account of the one who owns the hub (H1).

#pragma once

namespace tyer::feed {

inline constexpr const char* account_key = "account/admin";

}  // namespace tyer::feed
