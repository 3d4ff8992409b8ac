#include "api/stored_uploads.h"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "api/secrets.h"
#include "base/json.h"
#include "base/json_text.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

constexpr std::size_t page_rows = 200;
constexpr std::size_t problems_max = 100;

// What an event says of a file.
struct Told {
  std::string key;
  std::string id;
  std::uint64_t size = 0;
  std::string sha256;  // Empty in those of older programs.
};

Result<> each_upload(const core::View& view, const std::function<Result<>(const Told&)>& look) {
  core::SubjectQuery query{
      .parent = "", .kind = "upload", .status = "active", .after = "", .limit = page_rows};
  while (true) {
    TYER_TRY(const std::vector<core::Subject> page, view.subjects(query));
    for (const core::Subject& upload : page) {
      query.after = upload.key;
      TYER_TRY(const Json state, parse_json_object(upload.state));
      TYER_TRY_OK(look({.key = upload.key,
                        .id = feed::id_of(upload),
                        .size = static_cast<std::uint64_t>(int_or(state, "size")),
                        .sha256 = text_or(state, "sha256")}));
    }
    if (page.size() < page_rows) return {};
  }
}

Result<std::string> hash_of(int fd) {
  Sha256 hash;
  const store::NextPiece next = store::pieces_of(fd);
  while (true) {
    TYER_TRY(const std::string piece, next());
    if (piece.empty()) return hash.finish();
    hash.add(piece);
  }
}

// Nothing if it is not there.
Result<std::optional<store::OpenedUpload>> find(store::Uploads& uploads, const std::string& id) {
  auto opened = uploads.open(id);
  if (opened) return *std::move(opened);
  if (opened.error().fault == Fault::not_found) return std::nullopt;
  return std::unexpected(opened.error());
}

// What is wrong with it, if anything is.
Result<std::optional<std::string>> problem_of(const Told& told, store::Uploads& uploads) {
  auto opened = uploads.open(told.id);
  if (!opened && opened.error().fault == Fault::not_found) {
    return fmt::format("{}: its file is missing", told.key);
  }
  if (!opened) return fmt::format("{}: {}", told.key, opened.error().what);
  if (opened->size != told.size) {
    return fmt::format("{}: its file has {} bytes, and {} were sent", told.key, opened->size,
                       told.size);
  }
  if (told.sha256.empty()) return std::nullopt;
  TYER_TRY(const std::string hash, hash_of(opened->file.get()));
  if (hash == told.sha256) return std::nullopt;
  return fmt::format("{}: its file is not what was sent: its SHA-256 is {}, not {}", told.key, hash,
                     told.sha256);
}

// Whether it is what was sent.
Result<bool> put_as_told(const Told& told, int from, store::Uploads& to) {
  Sha256 hash;
  const store::NextPiece next = store::pieces_of(from);
  TYER_TRY(const std::uint64_t size, to.put(told.id, [&]() -> Result<std::string> {
    TYER_TRY(std::string piece, next());
    hash.add(piece);
    return piece;
  }));
  return size == told.size && (told.sha256.empty() || hash.finish() == told.sha256);
}

}  // namespace

Result<UploadAudit> audit_uploads(const core::View& view, store::Uploads& uploads,
                                  const UploadProgress& progress) {
  UploadAudit audit;
  std::set<std::string> told_of;
  TYER_TRY_OK(each_upload(view, [&](const Told& told) -> Result<> {
    TYER_TRY(auto problem, problem_of(told, uploads));
    if (problem && ++audit.problems_total <= problems_max) {
      audit.problems.push_back(*std::move(problem));
    }
    ++audit.files;
    audit.bytes += told.size;
    told_of.insert(told.id);
    progress(audit.files, audit.bytes);
    return {};
  }));
  TYER_TRY(const std::vector<store::UploadEntry> kept, uploads.list());
  for (const store::UploadEntry& entry : kept) {
    if (told_of.contains(entry.id)) continue;
    ++audit.strays;
    audit.stray_bytes += entry.size;
  }
  return audit;
}

Result<UploadsCopied> copy_uploads(const core::View& view, store::Uploads& from, store::Uploads& to,
                                   const UploadProgress& progress) {
  UploadsCopied copied;
  TYER_TRY_OK(each_upload(view, [&](const Told& told) -> Result<> {
    TYER_TRY(const auto there, problem_of(told, to));
    if (there) {
      TYER_TRY(const auto opened, find(from, told.id));
      if (!opened) {
        ++copied.missing;
        return {};
      }
      TYER_TRY(const bool is_whole, put_as_told(told, opened->file.get(), to));
      if (!is_whole) ++copied.damaged;
    }
    ++copied.files;
    copied.bytes += told.size;
    progress(copied.files, copied.bytes);
    return {};
  }));
  return copied;
}

}  // namespace tyer::api
