// Programs of a test that run as a user without any rights: as `nobody` if the test is root's, for
// whom nothing is closed, else as the user who runs the test.

#pragma once

#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::testing {

class OtherUser {
 public:
  OtherUser();

  // Whether it is another one than ours.
  [[nodiscard]] static bool is_other();

  // `call` of tyer by this user, who need not be able to reach where it was built.
  [[nodiscard]] ProgramCall call(ProgramCall call) const;
  // Its file as this user runs it.
  [[nodiscard]] std::string program() const { return folder_ / "tyer"; }

  // The user owns `path` from now on, and all that is in it.
  static void give(const std::string& path);

 private:
  TempDir folder_;
};

}  // namespace tyer::testing
