#include "api/uploads.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "api/limits.h"
#include "api/secrets.h"
#include "base/text.h"
#include "feed/kinds.h"
#include "store/store.h"

namespace tyer::api {
namespace {

constexpr std::string_view no_type = "application/octet-stream";
constexpr std::size_t type_bytes_max = 100;

bool is_type_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
         c == '_';
}

// What a browser might take for a page or a script.
bool is_active(std::string_view type) {
  constexpr std::array parts{"html", "xml", "svg", "script", "css", "multipart", "mhtml"};
  return std::ranges::any_of(parts, [&](const char* part) { return type.contains(part); });
}

// For clients that know no UTF-8 in headers.
std::string ascii_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool is_good = c >= ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '%';
    plain += is_good ? c : '_';
  }
  return plain;
}

// What the store knows of what lies in `folder`.
Result<std::size_t> take_over(env::Files& files, const std::string& folder, store::Uploads& uploads,
                              store::Store& store) {
  const auto old = store::uploads_in(files, folder);
  TYER_TRY(const std::vector<store::UploadEntry> entries, old->list());
  std::size_t taken = 0;
  for (const store::UploadEntry& entry : entries) {
    bool is_known = false;
    TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const auto upload, view.subject(feed::key_of("upload", entry.id)));
      is_known = upload.has_value();
      return {};
    }));
    if (!is_known) continue;  // Of another store, or of a hub that was killed.
    const auto there = uploads.open(entry.id);
    if (!there && there.error().fault != Fault::not_found) return std::unexpected(there.error());
    if (!there) {
      TYER_TRY(const store::OpenedUpload opened, old->open(entry.id));
      TYER_TRY_OK(uploads.put(entry.id, store::pieces_of(opened.file.get())));
    }
    TYER_TRY_OK(old->remove(entry.id));
    ++taken;
  }
  return taken;
}

}  // namespace

Result<> check_upload_name(std::string_view name) {
  if (name.empty()) return fail(Fault::invalid, "name is missing: what the file is called");
  if (name.size() > limits::upload_name_bytes_max) {
    return fail(Fault::limit, fmt::format("the name has {} bytes, at most {} are possible",
                                          name.size(), limits::upload_name_bytes_max));
  }
  if (!is_utf8(name) || has_control_characters(name) || has_hidden_characters(name) ||
      name.contains('/') || name.contains('\\') || name == "." || name == "..") {
    return fail(Fault::invalid,
                fmt::format("'{}' is not a plain name for a file", printable(name, 100)));
  }
  return {};
}

std::string plain_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
  for (char& c : type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t slash = type.find('/');
  const bool is_plain = slash != std::string::npos && slash > 0 && slash + 1 < type.size() &&
                        type.size() <= type_bytes_max &&
                        std::ranges::all_of(type.substr(0, slash), is_type_char) &&
                        std::ranges::all_of(type.substr(slash + 1), is_type_char);
  return is_plain ? type : std::string(no_type);
}

Showing show_upload(std::string_view name, std::string_view plain_type) {
  constexpr std::array<std::string_view, 4> pictures{"image/png", "image/jpeg", "image/gif",
                                                     "image/webp"};
  const bool is_picture = std::ranges::find(pictures, plain_type) != pictures.end();
  return {.content_type = std::string(is_active(plain_type) ? no_type : plain_type),
          .disposition = fmt::format("{}; filename=\"{}\"; filename*=UTF-8''{}",
                                     is_picture ? "inline" : "attachment", ascii_name(name),
                                     percent_encoded(name))};
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

Result<KeptUpload> keep_upload(store::Uploads& uploads, const std::string& id,
                               const http::Request& request) {
  const store::NextPiece sent =
      request.body_fd < 0 ? store::pieces_of(request.body) : store::pieces_of(request.body_fd);
  Sha256 hash;
  TYER_TRY(const std::uint64_t size, uploads.put(id, [&]() -> Result<std::string> {
    TYER_TRY(std::string piece, sent());
    hash.add(piece);
    return piece;
  }));
  return KeptUpload{size, hash.finish()};
}

Result<> prepare_uploads(env::Files& files, const HubOptions& hub, http::Limits& limits) {
  if (!hub.uploads) return {};
  TYER_TRY_OK(files.make_directory(hub.scratch));
  TYER_TRY_OK(hub.uploads->sweep());
  limits.spool_dir = hub.scratch;
  return {};
}

Result<std::size_t> take_over_uploads(env::Files& files, const HubOptions& hub,
                                      store::Store& store) {
  if (!hub.uploads) return 0;
  std::size_t taken = 0;
  for (const std::string& folder : hub.old_uploads) {
    TYER_TRY(const std::size_t from_here, take_over(files, folder, *hub.uploads, store));
    taken += from_here;
  }
  return taken;
}

}  // namespace tyer::api
