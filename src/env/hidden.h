// What a process that holds secrets keeps from other programs of the same user.

#pragma once

#include <map>
#include <string>

namespace tyer::env {

// From now on only root can look into this process: its environment, memory and descriptors in
// /proc are closed to other programs of its user, which cannot trace it either. It leaves no core
// dump. Children that it forks are the same; a program that is executed is an ordinary one again.
//
// A build with AddressSanitizer is left as it is: the search for leaks traces this process.
void hide_process();

// For libraries that look variables up by themselves, such as PGPASSWORD. What is set here is in
// our memory, and not what /proc shows of us. To be called while there is only one thread.
void set_variables(const std::map<std::string, std::string, std::less<>>& variables);

}  // namespace tyer::env
