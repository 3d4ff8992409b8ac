// What the system refused, as an Error for a person.
//
// ENOENT is `not_found`, EEXIST `conflict`, a full disk `limit`; everything
// else is `unavailable`, because somebody can repair it while we wait.

#pragma once

#include <string_view>

#include "base/error.h"

namespace tyer::env {

// "cannot write /a/b: the disk is full; free some space". `number` is an errno.
[[nodiscard]] Error os_error(int number, std::string_view doing, std::string_view where);

}  // namespace tyer::env
