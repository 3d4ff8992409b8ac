// Servers of others that tests run. Those for databases refuse to be root: then they are the user
// `postgres`.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tyer::testing {

// Starts a program that dies with the thread that started it, and says what it says to `log`.
[[nodiscard]] pid_t start_server(const std::vector<std::string>& command, const std::string& log);

// Its exit status. Who takes too long is killed.
[[nodiscard]] int end_of_server(pid_t pid);

// Makes the file or directory theirs, if we are root.
void give_to_servers(const std::string& path);

}  // namespace tyer::testing
