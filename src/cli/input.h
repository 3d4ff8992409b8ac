// What is read from a file descriptor as a whole, such as standard input.

#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace tyer::cli {

// `limit` if there is more than `bytes_max`. `what` is for the message.
[[nodiscard]] Result<std::string> read_all(int fd, std::size_t bytes_max, std::string_view what);

}  // namespace tyer::cli
