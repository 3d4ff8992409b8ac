// A run that begins: what is decided, applied and told of it, all in one transaction (W10).

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "feed/shifts.h"
#include "store/txn.h"

namespace tyer::api {

class Hub;

struct BegunRun {
  bool is_begun = false;
  std::string answer;  // JSON: a BegunRun with all there is to do, or why there is none.
};

// `begin` is without its credential: that is made here, and told only once. For the log it is the
// session that begins to work, whoever starts its agent.
[[nodiscard]] Result<BegunRun> begin_in(store::Txn& txn, Hub& hub, feed::Begin begin);

}  // namespace tyer::api
