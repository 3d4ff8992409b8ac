// Who is at the other end of a connection within this machine.

#pragma once

#include <string_view>

namespace tyer::env {

// Whether the socket at "127.0.0.1:41234" or "[::1]:41234", the other end of a connection to this
// process, belongs to the user of this process. The kernel knows; what it does not tell is no.
[[nodiscard]] bool is_own_users_socket(std::string_view peer);

// The same of what /proc/net/tcp or tcp6 says. Pure.
enum class SocketOwner : unsigned char { unknown, own, other };
[[nodiscard]] SocketOwner find_owner(std::string_view table, std::string_view address,
                                     unsigned user);

}  // namespace tyer::env
