// What the tests of tyer run share: a store or a hub, and a shell under a lock.

#pragma once

#include <string>
#include <vector>

#include "support/locks.h"

namespace tyer::testing {

class RunCommand : public LockDesks {
 protected:
  // tyer run K with these options, and a shell that does `script`.
  [[nodiscard]] ProgramCall run(const std::string& options, const std::string& script) const {
    std::vector<std::string> words = split_words("run K " + options + " --");
    words.insert(words.end(), {"sh", "-c", script});
    return call(words);
  }
};

}  // namespace tyer::testing
