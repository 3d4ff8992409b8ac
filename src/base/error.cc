#include "base/error.h"

#include <array>

namespace tyer {
namespace {

// Row order is enumerator order. Exit codes are those of docs/exit_codes.md.
constexpr std::array<FaultInfo, fault_count> table{{
    {"invalid", 400, 2, false},
    {"denied", 403, 4, false},
    {"not_found", 404, 1, false},
    {"conflict", 409, 4, false},
    {"fenced", 409, 4, false},
    {"limit", 429, 5, true},
    {"gone", 410, 1, false},
    {"unavailable", 503, 3, true},
    {"timeout", 504, 5, true},
    {"cancelled", 499, 130, false},
    {"broken", 500, 3, false},
}};

static_assert(table[static_cast<std::size_t>(Fault::broken)].name == "broken");

}  // namespace

const FaultInfo& info(Fault fault) {
  return table[static_cast<std::size_t>(fault)];
}

}  // namespace tyer
