// Who may try a password, and how often.
//
// A password's hash is slow on purpose and takes much memory, so one is made at a time. Nothing is
// counted for all strangers together, or any of them could keep the admin out: each network has a
// count of its own, and all of them together have places to wait for the hash, which are taken as
// chance has it. A browser that was logged in before proves it with the second secret of that
// login, whatever became of it: it has a count and places of its own, so neither who shares its
// address nor a flood from everywhere keeps it out. Whoever has nothing of this has `tyer login`,
// whose link takes no hash.

#pragma once

#include <memory>
#include <semaphore>
#include <string>
#include <string_view>

#include "api/throttle.h"
#include "base/time.h"

namespace tyer::api {

class Attempts {
 public:
  Attempts();

  // One to log in. `wait` is zero if it may be made, and then a place is held while this lives.
  struct Attempt {
    Span wait{};
    Throttle* count = nullptr;
    std::string name;
    std::shared_ptr<void> place;
  };

  // From `peer`; `known`: a login that its browser had before, empty: none.
  [[nodiscard]] Attempt begin(std::string_view peer, const std::string& known, Span now);

  // The password was right: it does not count.
  static void forgive(const Attempt& attempt);

 private:
  Throttle strangers_;
  Throttle known_;
  std::counting_semaphore<> places_;
  std::counting_semaphore<> known_places_;
};

// The network of "203.0.113.9:80": see http::network_of.
[[nodiscard]] std::string network_of(std::string_view peer);

}  // namespace tyer::api
