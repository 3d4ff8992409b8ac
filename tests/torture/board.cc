#include "torture/board.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "base/check.h"

namespace tyer::torture {
namespace {

Memory* map(int fd) {
  void* const at = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  TYER_CHECK(at != MAP_FAILED, "memory can be shared");
  return static_cast<Memory*>(at);
}

}  // namespace

// A new file is all zeros, which is how every number begins.
Board::Board() : fd_(::memfd_create("board", MFD_CLOEXEC)) {
  TYER_CHECK(fd_ && ::ftruncate(fd_.get(), sizeof(Memory)) == 0, "memory can be had");
  memory_ = map(fd_.get());
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  for (KeyRecord& key : memory_->keys) pthread_mutex_init(&key.turn, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

Board::Board(int fd) : fd_(fd), memory_(map(fd)) {}

Board::~Board() {
  ::munmap(memory_, sizeof(Memory));
}

void Board::problem(const std::string& text) {
  const std::uint64_t place = memory_->problems.fetch_add(1);
  if (place >= problems_max) return;
  const std::size_t size = std::min(text.size(), problem_bytes_max - 1);
  std::copy_n(text.data(), size, memory_->texts[place]);
}

std::vector<std::string> Board::texts() const {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(problems(), problems_max); ++i) {
    all.emplace_back(memory_->texts[i]);
  }
  return all;
}

Turn::Turn(KeyRecord& key) : key_(key) {
  const int answer = pthread_mutex_trylock(&key_.turn);
  // Whoever had it was killed.
  if (answer == EOWNERDEAD) pthread_mutex_consistent(&key_.turn);
  taken_ = answer == 0 || answer == EOWNERDEAD;
}

Turn::~Turn() {
  if (taken_) pthread_mutex_unlock(&key_.turn);
}

std::optional<std::string> Turn::pass(std::uint64_t token, std::uint64_t head) {
  const std::uint64_t before = key_.token;
  const std::uint64_t before_at = key_.head;
  if (token < before) {
    return fmt::format("token {} passed after token {} had passed at head {}", token, before,
                       before_at);
  }
  if (token > before && token <= before_at) {
    return fmt::format("token {} passed, but token {} had passed at head {}, when both were there",
                       token, before, before_at);
  }
  key_.token = token;
  key_.head = std::max(head, before_at);
  return std::nullopt;
}

}  // namespace tyer::torture
