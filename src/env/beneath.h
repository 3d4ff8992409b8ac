// Names beneath a directory, without a way out of it: for directories whose content others may have
// made, such as a store in a repository that somebody has cloned.
//
// The root itself is opened as the user wrote it, through links too. Beneath it every component is
// opened for itself and none may be a link, so that no name leads anywhere else, whatever is
// renamed meanwhile. What is neither a plain file nor a directory is never opened for use: a pipe
// would let its reader wait. Both are `broken`, and the error names what stands in the way.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "env/fd.h"

namespace tyer::env {

// The components of `path` behind `root`; none if it is `root`. `broken` if it does not begin with
// `root`, or has an empty one, "." or ".." among them.
[[nodiscard]] Result<std::vector<std::string>> names_beneath(const std::string& root,
                                                             const std::string& path);

// A name and the open directory it is in.
struct Spot {
  Fd directory;
  std::string name;  // Without a slash; "." for the root itself.
};

// Where `path` is. Its last component may be anything, or missing.
[[nodiscard]] Result<Spot> find_beneath(const std::string& root, const std::string& path);

// A plain file, or with O_DIRECTORY among the flags a directory. `doing`: a verb for the error.
[[nodiscard]] Result<Fd> open_beneath(const std::string& root, const std::string& path, int flags,
                                      std::string_view doing);

// Opens without waiting for anybody, as the user's alone if it is made. Errors are in errno.
[[nodiscard]] Fd open_at_once(int directory, const std::string& name, int flags);

}  // namespace tyer::env
