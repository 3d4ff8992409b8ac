// The name of JSON without the weight of it, for a header that passes it on.

#pragma once

#include <nlohmann/json_fwd.hpp>

namespace tyer {

using Json = nlohmann::json;

}  // namespace tyer
