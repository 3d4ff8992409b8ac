// "Did you mean …": the known name nearest to what was typed.

#pragma once

#include <string_view>
#include <vector>

namespace tyer {

// Empty if none is near: more than a third of the letters would have to change.
[[nodiscard]] std::string_view nearest(std::string_view typed,
                                       const std::vector<std::string_view>& known);

}  // namespace tyer
