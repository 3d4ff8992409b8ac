// The files that belong to a store: what people and agents have sent to its hub (H6).
//
// Each lies under its id and never changes. It is put before the event that tells of it (law 5), so
// what an event tells of is there, and what a hub that was killed has left disturbs nobody. SQLite
// and plain files keep them in the folder `uploads` beside the store; PostgreSQL keeps them in the
// table tyer_upload, so that all hubs of a database have the same. A SQLite file can also carry
// them inside: a backup does, and so is one file.
//
// For several threads at once.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/env.h"
#include "env/fd.h"
#include "store/open.h"

namespace tyer::store {

struct UploadEntry {
  std::string id;
  std::uint64_t size = 0;

  friend bool operator==(const UploadEntry&, const UploadEntry&) = default;
};

// At its beginning, for reading alone. It may be a copy without a name.
struct OpenedUpload {
  env::Fd file;
  std::uint64_t size = 0;
};

// The next piece of a file, empty after the last.
using NextPiece = std::function<Result<std::string>()>;
[[nodiscard]] NextPiece pieces_of(std::string_view text);  // It must live as long.
[[nodiscard]] NextPiece pieces_of(int fd);  // From its beginning, wherever it stands.

class Uploads {
 public:
  virtual ~Uploads() = default;

  // Keeps all pieces as `id`, which is new, or has the same: whole and on the disk, or not at all.
  // How long it is. An error of `next` is passed on.
  [[nodiscard]] virtual Result<std::uint64_t> put(const std::string& id, const NextPiece& next) = 0;

  // `not_found` if there is none.
  [[nodiscard]] virtual Result<OpenedUpload> open(const std::string& id) = 0;

  // Removing what is not there is not an error.
  [[nodiscard]] virtual Result<> remove(const std::string& id) = 0;

  // All of them by id; `limit` if they are more than limits::uploads_max.
  [[nodiscard]] virtual Result<std::vector<UploadEntry>> list() = 0;

  // Removes what was never finished, if whoever wrote it is gone.
  [[nodiscard]] virtual Result<> sweep() { return {}; }
};

// Those of the store `url`, which has been opened before; nothing for a store in memory. `scratch`:
// a folder for files without a name.
[[nodiscard]] Result<std::unique_ptr<Uploads>> open_uploads(const std::string& url, env::Env& env,
                                                            const Options& options,
                                                            const std::string& scratch);

// Those that the SQLite file `path` carries inside.
[[nodiscard]] std::unique_ptr<Uploads> uploads_inside(const std::string& path,
                                                      const std::string& scratch);

// Those in a folder, which is made when the first is put.
[[nodiscard]] std::unique_ptr<Uploads> uploads_in(env::Files& files, const std::string& folder);

// Where a store keeps them beside itself; empty for PostgreSQL and a store in memory.
[[nodiscard]] std::string uploads_folder(const std::string& url);

// `invalid` unless it is the plain name of an upload: "up_…".
[[nodiscard]] Result<> check_upload_id(std::string_view id);

}  // namespace tyer::store
