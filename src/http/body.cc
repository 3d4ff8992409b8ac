#include "http/body.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace tyer::http {
namespace {

Refusal no_room() {
  return {.status = 507, .fault = Fault::limit, .what = "there is no room for the body"};
}

// Some file systems cannot make a file without a name.
env::Fd open_unlinked(const std::string& folder) {
  env::Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string name = folder + "/body-XXXXXX";
  env::Fd named(::mkostemp(name.data(), O_CLOEXEC));
  if (named) ::unlink(name.c_str());
  return named;
}

}  // namespace

Body::Body(std::uint64_t max, std::size_t memory_max, std::uint64_t expected, std::string spool_dir)
    : max_(max), memory_max_(memory_max), spool_dir_(std::move(spool_dir)) {
  if (expected > memory_max_) spool();
}

void Body::put(std::string_view piece) {
  if (refusal_) return;
  size_ += piece.size();
  if (size_ > max_) {
    refusal_ = {.status = 413, .fault = Fault::limit, .what = "the body is too large"};
    return;
  }
  if (!file_ && size_ > memory_max_) spool();
  if (refusal_) return;
  if (file_) {
    write(piece);
  } else {
    text_ += piece;
  }
}

env::Fd Body::take_file() {
  if (file_) ::lseek(file_.get(), 0, SEEK_SET);
  return std::move(file_);
}

void Body::spool() {
  file_ = open_unlinked(spool_dir_);
  if (!file_) refusal_ = no_room();
  if (!refusal_) write(text_);
  std::string().swap(text_);
}

void Body::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t written =
        env::uninterrupted([&] { return ::write(file_.get(), piece.data(), piece.size()); });
    if (written <= 0) {
      refusal_ = no_room();
      return;
    }
    piece.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace tyer::http
