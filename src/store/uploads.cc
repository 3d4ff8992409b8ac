#include "store/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/text.h"
#include "env/beneath.h"
#include "env/os_error.h"
#include "store/limits.h"
#include "store/postgres_uploads.h"
#include "store/sqlite_uploads.h"

namespace tyer::store {
namespace {

constexpr std::string_view partial_suffix = ".partial";
constexpr std::size_t id_bytes_max = 64;

// The file until it has its name: it goes if that never comes. The kernel lock on it says that
// somebody is at work, and goes with the process.
class Partial {
 public:
  Partial(env::Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Partial() {
    if (is_ours_ && !is_kept_) (void)files_.remove(path_);
  }
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  Result<> write(const NextPiece& next) {
    TYER_TRY(file_, files_.open(path_, env::Open::write));
    TYER_TRY(is_ours_, file_->try_lock());
    if (!is_ours_ || !file_->is_current()) {
      is_ours_ = false;
      return fail(Fault::unavailable,
                  fmt::format("another process has {} in hand; try again", path_));
    }
    TYER_TRY_OK(file_->truncate(0));  // Of a writer that was killed.
    while (true) {
      TYER_TRY(const std::string piece, next());
      if (piece.empty()) return file_->sync();
      TYER_TRY_OK(file_->write(size_, piece));
      size_ += piece.size();
    }
  }

  // Beside it, in the folder that `names` has open.
  Result<> keep_as(const std::string& path, const env::Fd& names) {
    const auto name_of = [](const std::string& whole) {
      return whole.substr(whole.rfind('/') + 1);
    };
    if (::renameat(names.get(), name_of(path_).c_str(), names.get(), name_of(path).c_str()) != 0) {
      return std::unexpected(env::os_error(errno, "rename", path_));
    }
    is_kept_ = true;
    if (::fsync(names.get()) != 0) {
      Error error = env::os_error(errno, "sync", path);
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
  bool is_ours_ = false;
  bool is_kept_ = false;
};

class FolderUploads final : public Uploads {
 public:
  FolderUploads(env::Files& files, const std::string& folder)
      : folder_(folder.contains('/') ? folder : "./" + folder),
        root_(folder_.substr(0, std::max<std::size_t>(1, folder_.rfind('/')))),
        own_files_(files.beneath(root_)),
        files_(*own_files_) {}

  Result<std::uint64_t> put(const std::string& id, const NextPiece& next) override {
    TYER_TRY(const std::string path, path_of(id));
    TYER_TRY_OK(files_.make_directory(folder_));
    Partial partial(files_, path + std::string(partial_suffix));
    TYER_TRY_OK(partial.write(next));
    TYER_TRY(const env::Fd names,
             env::open_beneath(root_, folder_, O_RDONLY | O_DIRECTORY, "sync"));
    TYER_TRY_OK(partial.keep_as(path, names));
    return partial.size();
  }

  Result<OpenedUpload> open(const std::string& id) override {
    TYER_TRY(const std::string path, path_of(id));
    OpenedUpload opened;
    TYER_TRY(opened.file, env::open_beneath(root_, path, O_RDONLY, "open"));
    struct stat facts{};
    if (::fstat(opened.file.get(), &facts) != 0) {
      return std::unexpected(env::os_error(errno, "look at", path));
    }
    opened.size = static_cast<std::uint64_t>(facts.st_size);
    return opened;
  }

  Result<> remove(const std::string& id) override {
    TYER_TRY(const std::string path, path_of(id));
    return files_.remove(path);
  }

  Result<std::vector<UploadEntry>> list() override {
    TYER_TRY(const std::vector<env::Entry> entries, files_.list(folder_));
    std::vector<UploadEntry> found;
    for (const env::Entry& entry : entries) {
      if (entry.is_directory || !check_upload_id(entry.name)) continue;
      const auto opened = open(entry.name);
      if (opened) found.push_back({entry.name, opened->size});
    }
    std::ranges::sort(found, {}, &UploadEntry::id);
    return found;
  }

  Result<> sweep() override {
    TYER_TRY(const std::vector<env::Entry> entries, files_.list(folder_));
    for (const env::Entry& entry : entries) {
      if (!entry.name.ends_with(partial_suffix)) continue;
      const std::string id = entry.name.substr(0, entry.name.size() - partial_suffix.size());
      if (!check_upload_id(id)) continue;  // The folder may have other things, of others.
      const std::string path = folder_ + "/" + entry.name;
      const auto file = files_.open(path, env::Open::read);
      if (!file) continue;  // It is done meanwhile.
      TYER_TRY(const bool is_left, (*file)->try_lock());
      if (is_left) TYER_TRY_OK(files_.remove(path));
    }
    return {};
  }

 private:
  [[nodiscard]] Result<std::string> path_of(const std::string& id) const {
    TYER_TRY_OK(check_upload_id(id));
    return folder_ + "/" + id;
  }

  const std::string folder_;
  // The directory that it is in, which the user named. From there on no link is followed.
  const std::string root_;
  const std::unique_ptr<env::Files> own_files_;
  env::Files& files_;
};

// A backup that is used as a store: what it was made with is inside, what comes is beside it.
class InsideAndBeside final : public Uploads {
 public:
  InsideAndBeside(std::unique_ptr<Uploads> inside, std::unique_ptr<Uploads> beside)
      : inside_(std::move(inside)), beside_(std::move(beside)) {}

  Result<std::uint64_t> put(const std::string& id, const NextPiece& next) override {
    return beside_->put(id, next);
  }
  Result<OpenedUpload> open(const std::string& id) override {
    auto opened = inside_->open(id);
    const bool is_elsewhere = !opened && opened.error().fault == Fault::not_found;
    return is_elsewhere ? beside_->open(id) : std::move(opened);
  }
  Result<> remove(const std::string& id) override {
    TYER_TRY_OK(inside_->remove(id));
    return beside_->remove(id);
  }
  Result<std::vector<UploadEntry>> list() override {
    TYER_TRY(std::vector<UploadEntry> found, inside_->list());
    TYER_TRY(const std::vector<UploadEntry> more, beside_->list());
    found.insert(found.end(), more.begin(), more.end());
    std::ranges::stable_sort(found, {}, &UploadEntry::id);
    const auto twice = std::ranges::unique(found, {}, &UploadEntry::id);
    found.erase(twice.begin(), twice.end());
    return found;
  }
  Result<> sweep() override { return beside_->sweep(); }

 private:
  const std::unique_ptr<Uploads> inside_;
  const std::unique_ptr<Uploads> beside_;
};

std::string_view scheme_of(std::string_view url) {
  return url.substr(0, url.find(':'));
}

}  // namespace

NextPiece pieces_of(std::string_view text) {
  return [text]() mutable -> Result<std::string> {
    const std::string_view piece = text.substr(0, limits::upload_piece_bytes);
    text.remove_prefix(piece.size());
    return std::string(piece);
  };
}

NextPiece pieces_of(int fd) {
  return [fd, at = off_t{0}]() mutable -> Result<std::string> {
    std::string piece(limits::upload_piece_bytes, '\0');
    std::size_t filled = 0;
    while (filled < piece.size()) {
      const ssize_t got = env::uninterrupted(
          [&] { return ::pread(fd, piece.data() + filled, piece.size() - filled, at); });
      if (got < 0) return std::unexpected(env::os_error(errno, "read", "a file that was sent"));
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
      at += got;
    }
    piece.resize(filled);
    return piece;
  };
}

Result<> check_upload_id(std::string_view id) {
  const bool is_plain = id.size() > 3 && id.size() <= id_bytes_max && id.starts_with("up_") &&
                        std::ranges::all_of(id, [](char c) {
                          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                        });
  if (is_plain) return {};
  return fail(Fault::invalid, fmt::format("'{}' is not the id of an upload", printable(id, 80)));
}

std::string uploads_folder(const std::string& url) {
  const bool is_beside = scheme_of(url) == "sqlite" || scheme_of(url) == "files";
  if (!is_beside || url == "sqlite::memory:") return "";
  std::string path = url.substr(url.find(':') + 1);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "uploads" : path.substr(0, slash) + "/uploads";
}

std::unique_ptr<Uploads> uploads_in(env::Files& files, const std::string& folder) {
  return std::make_unique<FolderUploads>(files, folder);
}

Result<std::unique_ptr<Uploads>> open_uploads(const std::string& url, env::Env& env,
                                              const Options& options, const std::string& scratch) {
  if (scheme_of(url).starts_with("postgres")) {
    return open_postgres_uploads(url, env.clock, options.space, scratch);
  }
  const std::string folder = uploads_folder(url);
  if (folder.empty()) return nullptr;
  auto beside = uploads_in(env.files, folder);
  if (scheme_of(url) != "sqlite") return beside;
  const std::string path = url.substr(url.find(':') + 1);
  TYER_TRY(const bool carries, carries_uploads(path));
  if (!carries) return beside;
  return std::make_unique<InsideAndBeside>(uploads_inside(path, scratch), std::move(beside));
}

}  // namespace tyer::store
