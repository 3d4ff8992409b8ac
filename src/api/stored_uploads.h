// The uploads of a whole store: whether each is what its event says, and bringing them to another
// store. `view` is a picture of the store that they belong to.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/view.h"
#include "store/uploads.h"

namespace tyer::api {

// Told after each file how many were looked at, and how large they are.
using UploadProgress = std::function<void(std::uint64_t files, std::uint64_t bytes)>;

struct UploadAudit {
  std::uint64_t files = 0;  // That the store tells of.
  std::uint64_t bytes = 0;

  // Kept, but nothing tells of them: a hub was killed, or is at it now, or another store lies in
  // the same folder. Nothing is wrong with that.
  std::uint64_t strays = 0;
  std::uint64_t stray_bytes = 0;

  std::vector<std::string> problems;  // A sentence each, the first hundred.
  std::uint64_t problems_total = 0;
};

// Reads every file: it is there, as long as it was, and, if that was noted, has the same bytes.
[[nodiscard]] Result<UploadAudit> audit_uploads(const core::View& view, store::Uploads& uploads,
                                                const UploadProgress& progress);

struct UploadsCopied {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t missing = 0;  // The store tells of them, but they are not there.
  std::uint64_t damaged = 0;  // Of `files`: not what was sent. They were copied as they are.
};

// What `to` has already stays as it is if it is what was sent, and is written anew if not.
[[nodiscard]] Result<UploadsCopied> copy_uploads(const core::View& view, store::Uploads& from,
                                                 store::Uploads& to,
                                                 const UploadProgress& progress);

}  // namespace tyer::api
