// What the processes of a torture share besides the store: a memory in which
// each notes whose check has passed, and what has gone wrong.
//
// The claim: there is not one moment with two live leases of a key that both
// pass `check`. It is tested without a clock, so it is exact, and a process that
// was stopped in the middle cannot make it look broken:
//
//   A check is made inside the key's turn (a mutex). The head of the log is read
//   first and the lease after, so a lease that passes was live at that head: it
//   was granted before, and a lease that has ended never comes back.
//   (1) Once a token has passed, a smaller one never passes again.
//   (2) A larger token that passes is larger than every head at which a smaller
//       one has passed. It is the number of an event: if that head had included
//       it, both leases had been live at it.
//
// A killed process may leave its turn at any instruction. What is noted then is
// still true, because the token is written before the head.

#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/fd.h"

namespace tyer::torture {

inline constexpr std::size_t keys_max = 64;
inline constexpr std::size_t problems_max = 20;        // That are kept; all are counted.
inline constexpr std::size_t problem_bytes_max = 400;  // Of one, with its final zero.

// How often it happened, in all processes.
struct Counts {
  std::atomic<std::uint64_t> acquired;   // Leases.
  std::atomic<std::uint64_t> refused;    // Attempts that got none.
  std::atomic<std::uint64_t> passed;     // Checks.
  std::atomic<std::uint64_t> stale;      // Checks that failed.
  std::atomic<std::uint64_t> untrusted;  // Steps that a keeper forbade.
  std::atomic<std::uint64_t> lost;       // Leases that a keeper, a renewal or a release missed.
  std::atomic<std::uint64_t> again;      // Ctrl+C and asked again.
  std::atomic<std::uint64_t> caught;     // Pretenders whose check failed at last.
  std::atomic<std::uint64_t> troubles;   // Timeouts of the store and the like.
};

struct KeyRecord {
  pthread_mutex_t turn;
  std::atomic<std::uint64_t> token;  // The largest that has passed.
  std::atomic<std::uint64_t> head;   // At which it has.
};

struct Memory {
  Counts counts;
  KeyRecord keys[keys_max];
  std::atomic<std::uint64_t> problems;
  char texts[problems_max][problem_bytes_max];
};

class Board {
 public:
  // A new one, and the one that a process inherited.
  Board();
  explicit Board(int fd);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] Counts& counts() { return memory_->counts; }
  [[nodiscard]] KeyRecord& key(std::size_t number) { return memory_->keys[number]; }

  void problem(const std::string& text);
  [[nodiscard]] std::uint64_t problems() const { return memory_->problems; }
  // The first of them.
  [[nodiscard]] std::vector<std::string> texts() const;

 private:
  env::Fd fd_;
  Memory* memory_;
};

// The turn to check one key. Whoever finds another one in it goes without: it
// may be a stopped process, and its own leases would lapse meanwhile.
class Turn {
 public:
  explicit Turn(KeyRecord& key);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] explicit operator bool() const { return taken_; }

  // Notes that `token` has passed at `head`, or says what is wrong with that.
  [[nodiscard]] std::optional<std::string> pass(std::uint64_t token, std::uint64_t head);

 private:
  KeyRecord& key_;
  bool taken_ = false;
};

}  // namespace tyer::torture
