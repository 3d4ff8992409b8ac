#include "support/other_user.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/check.h"

namespace tyer::testing {
namespace {

constexpr uid_t nobody = 65534;

}  // namespace

OtherUser::OtherUser() {
  std::filesystem::copy_file(TYER_PROGRAM, program());
  give(folder_.path());
}

bool OtherUser::is_other() {
  return ::geteuid() == 0;
}

ProgramCall OtherUser::call(ProgramCall call) const {
  if (call.program == TYER_PROGRAM) call.program = program();
  if (!is_other()) return call;
  const std::string id = std::to_string(nobody);
  call.words.insert(call.words.begin(),
                    {"--reuid=" + id, "--regid=" + id, "--clear-groups", call.program});
  call.program = "/usr/bin/setpriv";
  return call;
}

void OtherUser::give(const std::string& path) {
  if (!is_other()) return;
  TYER_CHECK(::lchown(path.c_str(), nobody, nobody) == 0, "a file can be given to somebody else");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    TYER_CHECK(::lchown(entry.path().c_str(), nobody, nobody) == 0,
               "a file can be given to somebody else");
  }
}

}  // namespace tyer::testing
