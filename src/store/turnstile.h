// Lets the processes that write one store in one after the other, fairly.
//
// A single kernel lock is not fair: who releases it and asks again at once is
// quicker than the one who was woken. So there are two, as at a door with a
// hallway. Whoever is in the hallway is next; the one who comes out must wait
// for the hallway to be free before it can be next again. Both locks are gone
// with their process.

#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "env/files.h"
#include "store/limits.h"

namespace tyer::store {

class Turnstile {
 public:
  // Uses the files `path`-queue and `path`-writer, which are made if missing. Neither may be a
  // link.
  [[nodiscard]] static Result<std::unique_ptr<Turnstile>> open(env::Files& files,
                                                               const std::string& path) {
    const std::string whole = path.contains('/') ? path : "./" + path;
    const std::size_t slash = whole.rfind('/');
    const auto beside = files.beneath(whole.substr(0, std::max<std::size_t>(1, slash)));
    TYER_TRY(auto hallway, beside->open(whole + "-queue", env::Open::write));
    TYER_TRY(auto door, beside->open(watched(whole), env::Open::write));
    return std::unique_ptr<Turnstile>(new Turnstile(std::move(hallway), std::move(door)));
  }

  [[nodiscard]] Result<> enter() {
    TYER_TRY_OK(hallway_->lock());
    const Result<> entered = pass();
    hallway_->unlock();
    return entered;
  }

  void leave() { door_->unlock(); }

  // Wakes those who watch `watched(path)`. They cannot watch what SQLite writes:
  // it is written before it is synced and seen by others, and nothing follows.
  void announce() { (void)door_->write(0, "."); }
  [[nodiscard]] static std::string watched(const std::string& path) { return path + "-writer"; }

 private:
  Turnstile(std::unique_ptr<env::File> hallway, std::unique_ptr<env::File> door)
      : hallway_(std::move(hallway)), door_(std::move(door)) {}

  // Who is before us is mostly through sooner than a sleeper is awake. Only one
  // process at a time stands here.
  [[nodiscard]] Result<> pass() {
    for (int i = 0; i < limits::door_tries_max; ++i) {
      TYER_TRY(const bool open, door_->try_lock());
      if (open) return {};
      std::this_thread::yield();
    }
    return door_->lock();
  }

  const std::unique_ptr<env::File> hallway_;
  const std::unique_ptr<env::File> door_;
};

}  // namespace tyer::store
