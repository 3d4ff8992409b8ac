#include "http/body.h"

#include <unistd.h>

#include <utility>

#include "env/unnamed_file.h"

namespace tyer::http {
namespace {

Refusal no_room() {
  return {.status = 507, .fault = Fault::limit, .what = "there is no room for the body"};
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
  if (auto opened = env::open_unnamed(spool_dir_)) {
    file_ = *std::move(opened);
  } else {
    refusal_ = no_room();
  }
  if (!refusal_) write(text_);
  std::string().swap(text_);
}

void Body::write(std::string_view piece) {
  if (!env::write_all(file_.get(), piece)) refusal_ = no_room();
}

}  // namespace tyer::http
