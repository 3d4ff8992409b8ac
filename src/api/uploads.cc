#include "api/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "api/limits.h"
#include "base/text.h"
#include "env/os_error.h"

namespace tyer::api {
namespace {

constexpr std::string_view no_type = "application/octet-stream";
constexpr std::size_t type_bytes_max = 100;
constexpr std::size_t copy_bytes = 256 << 10;

bool is_type_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
         c == '_';
}

// U+202A to U+202E and U+2066 to U+2069: "gpj.exe" would be read as "exe.jpg".
bool turns_text(std::string_view text) {
  for (std::size_t at = text.find("\xE2"); at != std::string_view::npos;
       at = text.find("\xE2", at + 1)) {
    const std::string_view c = text.substr(at, 3);
    if (c >= "\xE2\x80\xAA" && c <= "\xE2\x80\xAE") return true;
    if (c >= "\xE2\x81\xA6" && c <= "\xE2\x81\xA9") return true;
  }
  return false;
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

constexpr std::string_view partial_suffix = ".partial";

// The file until it has its name: it goes if that never comes. The kernel lock on it says that
// somebody is at work, and goes with the process.
class Partial {
 public:
  Partial(env::Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Partial() {
    if (!kept_) (void)files_.remove(path_);
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  Result<> write(const http::Request& request) {
    TYER_TRY(file_, files_.open(path_, env::Open::create_new));
    TYER_TRY(const bool is_ours, file_->try_lock());
    if (!is_ours) return fail(Fault::unavailable, "another hub is starting; send it again");
    if (request.body_fd < 0) {
      size_ = request.body.size();
      TYER_TRY_OK(file_->write(0, request.body));
      return file_->sync();
    }
    std::string piece(copy_bytes, '\0');
    while (true) {
      const ssize_t got = env::uninterrupted([&] {
        return ::pread(request.body_fd, piece.data(), piece.size(), static_cast<off_t>(size_));
      });
      if (got < 0) return std::unexpected(env::os_error(errno, "read", "what was sent"));
      if (got == 0) return file_->sync();
      TYER_TRY_OK(
          file_->write(size_, std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
      size_ += static_cast<std::uint64_t>(got);
    }
  }

  Result<> keep_as(const std::string& path, const std::string& folder) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) {
      return std::unexpected(env::os_error(errno, "rename", path_));
    }
    kept_ = true;
    const env::Fd names(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!names || ::fsync(names.get()) != 0) {
      Error error = env::os_error(errno, "sync", folder);
      (void)files_.remove(path);
      return std::unexpected(std::move(error));
    }
    return {};
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  env::Files& files_;
  const std::string path_;
  std::unique_ptr<env::File> file_;
  std::uint64_t size_ = 0;
  bool kept_ = false;
};

// What a hub that was killed has left.
Result<> remove_partial(env::Files& files, const std::string& folder) {
  TYER_TRY(const std::vector<env::Entry> entries, files.list(folder));
  for (const env::Entry& entry : entries) {
    if (!entry.name.ends_with(partial_suffix)) continue;
    const std::string path = folder + "/" + entry.name;
    const auto file = files.open(path, env::Open::read);
    if (!file) continue;  // It is done meanwhile.
    TYER_TRY(const bool is_left, (*file)->try_lock());
    if (is_left) TYER_TRY_OK(files.remove(path));
  }
  return {};
}

}  // namespace

Result<> check_upload_name(std::string_view name) {
  if (name.empty()) return fail(Fault::invalid, "name is missing: what the file is called");
  if (name.size() > limits::upload_name_bytes_max) {
    return fail(Fault::limit, fmt::format("the name has {} bytes, at most {} are possible",
                                          name.size(), limits::upload_name_bytes_max));
  }
  if (!is_utf8(name) || has_control_characters(name) || turns_text(name) || name.contains('/') ||
      name.contains('\\') || name == "." || name == "..") {
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

Result<std::uint64_t> keep_upload(env::Files& files, const std::string& folder,
                                  const std::string& id, const http::Request& request) {
  const std::string path = folder + "/" + id;
  Partial partial(files, path + std::string(partial_suffix));
  TYER_TRY_OK(partial.write(request));
  TYER_TRY_OK(partial.keep_as(path, folder));
  return partial.size();
}

Result<OpenedUpload> open_upload(const std::string& folder, const std::string& id) {
  const std::string path = folder + "/" + id;
  OpenedUpload opened{.file = env::Fd(env::uninterrupted([&] {
                        return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
                      }))};
  if (!opened.file) return std::unexpected(env::os_error(errno, "open", path));
  struct stat facts{};
  if (::fstat(opened.file.get(), &facts) != 0) {
    return std::unexpected(env::os_error(errno, "look at", path));
  }
  opened.size = static_cast<std::uint64_t>(facts.st_size);
  return opened;
}

Result<> prepare_uploads(env::Files& files, const HubOptions& hub, http::Limits& limits) {
  if (hub.uploads.empty()) return {};
  TYER_TRY_OK(files.make_directory(hub.uploads));
  TYER_TRY_OK(remove_partial(files, hub.uploads));
  limits.spool_dir = hub.uploads;
  // Who does not say who he is will be refused: not after fifty megabytes.
  limits.body_limit = [is_open = hub.open](const http::Request& head) -> std::uint64_t {
    const bool says_who = !head.header("authorization").empty() || !head.header("cookie").empty();
    const bool is_upload = head.method == "POST" && head.path == "/api/uploads";
    return is_upload && (is_open || says_who) ? limits::upload_bytes_max : 0;
  };
  return {};
}

}  // namespace tyer::api
