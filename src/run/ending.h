// What the end of an agent means: pure.

#pragma once

#include <optional>

#include "backend/backend.h"
#include "core/run.h"
#include "env/processes.h"
#include "run/agent.h"
#include "run/job.h"

namespace tyer::run {

[[nodiscard]] core::Outcome outcome_of(backend::Verdict verdict, const env::Exit& exit);
[[nodiscard]] backend::Ending::Cut to_ending(std::optional<Cut> cut);

// Adds to `report` what only its keeper knows of why it ended.
void explain(const Job& job, std::optional<Cut> cut, backend::Report& report);

}  // namespace tyer::run
