// The program's own code in memory.

#pragma once

namespace tyer::env {

// What was needed once, to start, need not stay: the kernel takes the code out of this process'
// memory. Whatever is needed again comes back from the file's pages, a little later the first time.
void let_go_of_code();

}  // namespace tyer::env
