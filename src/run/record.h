// A run as it is recorded: the subject `run/<id>`, and the decisions that change it.
//
// One id is one incarnation: an attempt that is tried again has an id of its own, so
// a stop that comes late names a run that has ended and is refused (W12b). The next
// attempt is created in the change that ends the one before. No value of an
// environment is ever in a record, nor are the agent's arguments.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/report.h"
#include "base/json_fwd.h"
#include "core/change.h"
#include "core/run.h"
#include "core/subject.h"
#include "core/view.h"
#include "env/processes.h"
#include "run/job.h"

namespace tyer::run {

[[nodiscard]] std::string key_of(const std::string& id);

// What everything that a run starts has in its environment: "TYER_RUN=<id>".
[[nodiscard]] std::string mark_of(const std::string& id);

// What the keeper itself has in its own, with its front, and everything that it starts in all
// attempts. `first` is the id of its first run, or what was to be.
[[nodiscard]] std::string keeper_mark_of(const std::string& first);

// Where its keeper writes who is below it; see env/kin.h.
[[nodiscard]] std::string kin_path(const std::string& folder);

struct Record {
  std::string id;
  std::string status;  // created, running, ended.
  std::string backend;
  std::string directory;
  std::string worktree;  // Its name, if `directory` is the run's alone.
  std::string folder;
  std::string session;  // Whose run it is: "bot/default"; empty: of no session.
  std::string about;    // What it is to do, in a line; of one without it, how its prompt begins.
  std::string prompt;   // How it begins.
  std::int64_t attempt = 1;
  std::string first;                   // The first attempt.
  std::optional<core::Holder> keeper;  // None: it was not made by a keeper.
  std::optional<core::Holder> front;   // Above the keeper; it ends what a dead one leaves.
  std::optional<Time> created;
  std::optional<Time> not_before;  // It waits until then.
  std::optional<Time> started;
  std::optional<Time> ended;
  bool stop_asked = false;
  std::optional<Time> stop_asked_at;
  std::string stop_asked_by;

  // Of one that has ended.
  std::string outcome;
  std::string verdict;
  std::string why;
  std::string conversation;
  std::string next;  // The attempt after it.
  std::int64_t turns = 0;
  backend::Usage usage;
  std::int64_t output_bytes = 0;
};

[[nodiscard]] Record read_record(const core::Subject& subject);

// `not_found` if there is no such run.
[[nodiscard]] Result<Record> find_record(const core::View& view, const std::string& id);

struct Attempt {
  std::int64_t number = 1;
  std::string first;
  std::string earlier;             // The one before it.
  std::optional<Time> not_before;  // None: at once.
};

// What came of a run.
struct Conclusion {
  core::Outcome outcome = core::Outcome::lost;
  backend::Report report;
  env::Exit exit;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  std::size_t killed = 0;  // Processes that did not end by themselves.
  std::string trouble;     // With its transcript.
  // It failed at something that may pass, such as a store that is out of reach, and not in its
  // agent.
  bool was_hindered = false;
  // Why others ended its lease; none: its keeper has let go of it.
  std::optional<core::Verdict> lapsed;
};

// Who looks after a run.
struct Guards {
  core::Holder keeper;
  core::Holder front;
};

// As records have them, each under its name.
[[nodiscard]] Json guards_json(const Guards& guards);

[[nodiscard]] core::Draft draft_created(const Job& job, const Attempt& attempt,
                                        const Guards& guards, Time now);

// The lease and the start in one change.
[[nodiscard]] core::Change decide_start(const Job& job, const core::Grant& grant, Time now);

// The end of the lease, if it is still `token`'s, the outcome, and `next`, if there
// is one: an attempt that is created. Token 0 is that of a keeper that knows of no lease; it
// may have one all the same, if the answer to its start was lost. Not after somebody asked for a
// stop, who may have come too late to be seen. Empty if the run has ended already.
[[nodiscard]] Result<core::Change> decide_end(const core::View& view, const std::string& id,
                                              std::uint64_t token, const Conclusion& conclusion,
                                              std::optional<core::Draft> next, Time now);

// Refused with a reason for a run that has ended: a stop never hits the run after it.
[[nodiscard]] Result<core::Change> decide_stop(const core::View& view, const std::string& id,
                                               const std::string& by, Time now);

// Whether nobody can end this run any more, and why. `lease` is its lease.
[[nodiscard]] std::optional<std::string> is_lost(const Record& record,
                                                 const std::optional<core::Lease>& lease,
                                                 const core::Witness& witness, Time now);

// The end of a run that is lost, by whoever sees it. Empty if it is not.
[[nodiscard]] Result<core::Change> decide_lost(const core::View& view, const std::string& id,
                                               const core::Witness& witness, Time now);

}  // namespace tyer::run
