// How many files, sockets and processes this process may have open.

#pragma once

namespace tyer::env {

// As many as it may allow itself. The usual limit is a thousand, for a process that opens one for
// each who talks to it or runs below it.
void allow_many_descriptors();

}  // namespace tyer::env
