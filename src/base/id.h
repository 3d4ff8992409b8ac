// Names for new things that sort by the time they were made.
//
// Chance and time are arguments: Env gives both, the simulator repeats both.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace tyer {

using RandomBits = std::array<std::uint8_t, 10>;  // 80 bits.

// RFC 9562 version 7: "0190f3c2-7b1a-7c3d-8e4f-0123456789ab". For run ids.
[[nodiscard]] std::string uuid7(Time now, const RandomBits& random);

// `prefix`, then 10 characters of milliseconds and 16 of chance in Crockford's
// base 32, lower case: "cm_01j8z3…". Ids of one prefix sort by time.
[[nodiscard]] std::string sortable_id(std::string_view prefix, Time now, const RandomBits& random);

}  // namespace tyer
