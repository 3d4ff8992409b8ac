// Takes a lease from its holder, as who judges it silent does.

#pragma once

#include <string>

namespace tyer::testing {

// The lease of `key` in the store `url`.
void lose_lease(const std::string& url, const std::string& key);

}  // namespace tyer::testing
