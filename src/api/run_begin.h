// A run that begins: what is decided, applied and told of it, all in one transaction (W10).

#pragma once

#include <string>

#include "api/hub.h"
#include "feed/actor.h"
#include "feed/shifts.h"
#include "store/txn.h"

namespace tyer::api {

struct BegunRun {
  bool is_begun = false;
  std::string answer;  // JSON: a BegunRun with all there is to do, or why there is none.
};

[[nodiscard]] Result<BegunRun> begin_in(store::Txn& txn, Hub& hub, const feed::Actor& actor,
                                        feed::Begin begin);

}  // namespace tyer::api
