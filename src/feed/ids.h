// Ids of new things, made inside the transaction that makes the things.
//
// They sort by time and, at one time, by the log: an id made later is greater, whoever made it. So
// a reader that pages by id never skips what is written meanwhile (H5).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/id.h"
#include "core/view.h"

namespace tyer::feed {

class Ids {
 public:
  // Requires that `view` is that of the transaction and `now` its time.
  [[nodiscard]] static Result<Ids> of(const core::View& view, Time now, const RandomBits& chance) {
    TYER_TRY(const core::Head head, view.head());
    return Ids(head.seq, now, chance);
  }

  // "cm_" and 26 characters. Every one is greater than the one before.
  [[nodiscard]] std::string next(std::string_view prefix) {
    RandomBits bits = chance_;
    // Each thing that is made is at least one event, so no other transaction has this number.
    const std::uint64_t number = ++seq_;
    for (unsigned i = 0; i < 5; ++i) bits[i] = static_cast<std::uint8_t>(number >> (32 - 8 * i));
    return sortable_id(prefix, now_, bits);
  }

 private:
  Ids(std::uint64_t seq, Time now, const RandomBits& chance)
      : seq_(seq), now_(now), chance_(chance) {}

  std::uint64_t seq_;
  Time now_;
  RandomBits chance_;
};

// "01j8…" of "cm_01j8…".
[[nodiscard]] inline std::string_view sortable_part(std::string_view id) {
  return id.substr(id.find('_') + 1);
}

}  // namespace tyer::feed
