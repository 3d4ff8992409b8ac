#include "store/sqlite_uploads.h"

#include <memory>

#include <fmt/format.h>

#include "env/unnamed_file.h"
#include "store/limits.h"
#include "store/sqlite_conn.h"
#include "store/uploads.h"

namespace tyer::store {
namespace {

Result<std::unique_ptr<SqliteConn>> connect(const std::string& path) {
  return SqliteConn::open(path, SqliteConn::Mode::existing);
}

// With a connection for each call: they are few, and large.
class SqliteUploads final : public Uploads {
 public:
  SqliteUploads(std::string path, std::string scratch)
      : path_(std::move(path)), scratch_(std::move(scratch)) {}

  Result<std::uint64_t> put(const std::string& id, const NextPiece& next) override {
    TYER_TRY_OK(check_upload_id(id));
    TYER_TRY(const auto conn, connect(path_));
    TYER_TRY_OK(conn->run("BEGIN IMMEDIATE"));
    TYER_TRY_OK(conn->query("DELETE FROM upload WHERE id = ?").bind(id).run());
    std::uint64_t size = 0;
    for (std::int64_t number = 0;; ++number) {
      TYER_TRY(const std::string piece, next());
      // An empty file has one piece, without anything in it.
      if (piece.empty() && number > 0) break;
      auto rows = conn->query("INSERT INTO upload (id, piece, bytes) VALUES (?, ?, ?)");
      TYER_TRY_OK(rows.bind(id).bind(number).bind_bytes(piece).run());
      size += piece.size();
      if (piece.empty()) break;
    }
    TYER_TRY_OK(conn->run("COMMIT"));
    return size;
  }

  Result<OpenedUpload> open(const std::string& id) override {
    TYER_TRY(const auto conn, connect(path_));
    auto rows = conn->query("SELECT bytes FROM upload WHERE id = ? ORDER BY piece");
    rows.bind(id);
    OpenedUpload opened;
    while (true) {
      TYER_TRY(const bool more, rows.next());
      if (!more) break;
      if (!opened.file) {
        TYER_TRY(opened.file, env::open_unnamed(scratch_));
      }
      const std::string piece = rows.text(0);
      TYER_TRY_OK(env::write_all(opened.file.get(), piece));
      opened.size += piece.size();
    }
    if (!opened.file) {
      return fail(Fault::not_found, fmt::format("the upload {} is not in {}", id, path_));
    }
    ::lseek(opened.file.get(), 0, SEEK_SET);
    return opened;
  }

  Result<> remove(const std::string& id) override {
    TYER_TRY(const auto conn, connect(path_));
    return conn->query("DELETE FROM upload WHERE id = ?").bind(id).run();
  }

  Result<std::vector<UploadEntry>> list() override {
    TYER_TRY(const auto conn, connect(path_));
    auto rows =
        conn->query("SELECT id, sum(length(bytes)) FROM upload GROUP BY id ORDER BY id LIMIT ?");
    rows.bind(std::uint64_t{limits::uploads_max} + 1);
    std::vector<UploadEntry> found;
    while (true) {
      TYER_TRY(const bool more, rows.next());
      if (!more) return found;
      if (found.size() == limits::uploads_max) {
        return fail(Fault::limit, fmt::format("{} has more than {} uploads", path_, found.size()));
      }
      found.push_back({rows.text(0), static_cast<std::uint64_t>(rows.integer(1))});
    }
  }

 private:
  const std::string path_;
  const std::string scratch_;
};

}  // namespace

Result<bool> carries_uploads(const std::string& path) {
  TYER_TRY(const auto conn, connect(path));
  TYER_TRY(const std::int64_t found, conn->ask("SELECT EXISTS (SELECT 1 FROM upload)"));
  return found != 0;
}

std::unique_ptr<Uploads> uploads_inside(const std::string& path, const std::string& scratch) {
  return std::make_unique<SqliteUploads>(path, scratch);
}

}  // namespace tyer::store
