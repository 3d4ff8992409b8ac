// What came of a session's run, as its hub is told.

#pragma once

#include <string>

#include "feed/shifts.h"
#include "run/keeper.h"
#include "work/assignment.h"

namespace tyer::work {

// `is_alone`: the front above the keeper is gone. What ended only because its front was killed, its
// worker left or our own store was out of reach is nobody's judgement of the run: it is lost, and
// done again.
[[nodiscard]] feed::Finish make_finish(const Assignment& given, const Result<run::Kept>& kept,
                                       bool is_alone);

// The body of POST /api/sessions/{id}/runs/{run}/finish.
[[nodiscard]] std::string encode(const feed::Finish& finish);

}  // namespace tyer::work
