// Undoes gzip, for peers that do not read it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::http {

// `broken` if it is not what `gzip -n` writes; `limit` if it becomes longer than `bytes_max`.
[[nodiscard]] Result<std::string> gunzip(std::string_view gzip, std::size_t bytes_max);

}  // namespace tyer::http
