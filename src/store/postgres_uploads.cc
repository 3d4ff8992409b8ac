#include "store/postgres_uploads.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "env/unnamed_file.h"
#include "store/limits.h"
#include "store/postgres_conn.h"

namespace tyer::store {
namespace {

Result<std::string> from_hex(std::string_view digits) {
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2) {
    std::uint8_t byte = 0;
    const char* const end = digits.data() + at + 2;
    const auto read = std::from_chars(digits.data() + at, end, byte, 16);
    if (read.ec != std::errc{} || read.ptr != end) {
      return fail(Fault::broken, "PostgreSQL gave back an upload that is no hexadecimal text");
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

// With a connection for each call: what is sent may be large and come slowly, and nobody who writes
// to the store waits for it.
class PostgresUploads final : public Uploads {
 public:
  PostgresUploads(const Libpq& pq, Address address, const env::Clock& clock, std::string space,
                  std::string scratch)
      : pq_(pq),
        address_(std::move(address)),
        clock_(clock),
        space_(std::move(space)),
        scratch_(std::move(scratch)) {}

  Result<std::uint64_t> put(const std::string& id, const NextPiece& next) override {
    TYER_TRY_OK(check_upload_id(id));
    TYER_TRY(const auto connection, connect());
    TYER_TRY_OK(connection->query(Sql::begin));
    TYER_TRY_OK(connection->query(Sql::drop_upload, {space_, id}));
    std::uint64_t size = 0;
    for (std::uint64_t number = 0;; ++number) {
      TYER_TRY(const std::string piece, next());
      // An empty file has one piece, without anything in it.
      if (piece.empty() && number > 0) break;
      TYER_TRY_OK(
          connection->query(Sql::put_upload, {space_, id, std::to_string(number), to_hex(piece)}));
      size += piece.size();
      if (piece.empty()) break;
    }
    TYER_TRY_OK(connection->query(Sql::commit));
    return size;
  }

  Result<OpenedUpload> open(const std::string& id) override {
    TYER_TRY(const auto connection, connect());
    OpenedUpload opened;
    for (std::uint64_t number = 0;; ++number) {
      TYER_TRY(const Rows rows,
               connection->query(Sql::upload_piece, {space_, id, std::to_string(number)}));
      if (rows.size() == 0) break;
      if (!opened.file) {
        TYER_TRY(opened.file, env::open_unnamed(scratch_));
      }
      TYER_TRY(const std::string piece, from_hex(rows.text(0, 0)));
      TYER_TRY_OK(env::write_all(opened.file.get(), piece));
      opened.size += piece.size();
    }
    if (!opened.file) {
      return fail(Fault::not_found, fmt::format("the upload {} is not in {}", id, address_.name));
    }
    ::lseek(opened.file.get(), 0, SEEK_SET);
    return opened;
  }

  Result<> remove(const std::string& id) override {
    TYER_TRY(const auto connection, connect());
    TYER_TRY_OK(connection->query(Sql::drop_upload, {space_, id}));
    return {};
  }

  Result<std::vector<UploadEntry>> list() override {
    TYER_TRY(const auto connection, connect());
    TYER_TRY(const Rows rows,
             connection->query(Sql::uploads, {space_, std::to_string(limits::uploads_max + 1)}));
    if (static_cast<std::size_t>(rows.size()) > limits::uploads_max) {
      return fail(Fault::limit,
                  fmt::format("{} has more than {} uploads", address_.name, limits::uploads_max));
    }
    std::vector<UploadEntry> found;
    for (int row = 0; row < rows.size(); ++row) {
      found.push_back(
          {std::string(rows.text(row, 0)), static_cast<std::uint64_t>(rows.number(row, 1))});
    }
    return found;
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Connection>> connect() const {
    return Connection::connect(pq_, address_, clock_, "SET synchronous_commit = on");
  }

  const Libpq& pq_;
  const Address address_;
  const env::Clock& clock_;
  const std::string space_;
  const std::string scratch_;
};

}  // namespace

Result<std::unique_ptr<Uploads>> open_postgres_uploads(const std::string& url,
                                                       const env::Clock& clock,
                                                       const std::string& space,
                                                       const std::string& scratch) {
  TYER_TRY(const Libpq* const pq, libpq());
  TYER_TRY(Address address, parse_address(*pq, url));
  return std::make_unique<PostgresUploads>(*pq, std::move(address), clock, space, scratch);
}

}  // namespace tyer::store
