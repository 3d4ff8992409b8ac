// A shift: one run of a session, from taking what it has to answer to what came of it (W10, W11).
//
//   shift/SS/RUN       running, ended; parent session/SS
//
// Whoever begins a shift holds the lease of the session, `session/SS`, so there is one at a time,
// wherever it runs. An item leaves the queue when it is answered or given up, not when it is taken:
// a shift that is lost leaves everything as it was but for the count of wakes (H16).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/change.h"
#include "core/claim.h"
#include "core/rule.h"
#include "core/view.h"
#include "feed/agents.h"
#include "feed/ids.h"
#include "feed/limits.h"
#include "feed/records.h"

namespace tyer::feed {

struct Shift {
  std::string session;
  std::string agent;
  std::string run;
  std::string post;                // What it answers is all in one thread.
  std::vector<std::string> items;  // Posts and comments, the oldest first.
  std::string credential;          // Of its run token.
};

[[nodiscard]] std::string shift_key(const std::string& session, const std::string& run);
[[nodiscard]] Result<Shift> read_shift(const core::Subject& subject);

struct Begin {
  std::string session;
  std::string run;
  core::Grant grant;  // Of the session's lease, its key aside.
  // Also if there is only what an earlier run has failed at: somebody looks at it anew.
  bool all = false;
  Credential credential;  // The run's token; session, agent and run aside.
  std::string mark = {};  // What its keeper and all below it can be found by where it runs.
};

// A run that was lost, of which something may still be there.
struct Left {
  std::string run;
  std::string mark;  // As in Begin.
};

// A run that is to end.
struct Ending {
  std::string session;
  core::Holder holder;  // Of its session's lease.
  std::string mark;     // As in Begin.
  std::optional<Span>
      deleted_for;  // None: somebody has asked for it. How long its session is gone.
};

struct Begun {
  core::Change change;
  bool is_begun = false;
  std::string why;                 // If not: who has the session, or which limit is reached.
  std::optional<Time> not_before;  // Of a limit ...
  bool is_put_off = false;         // ... or of a service that asked to be called later.
  std::vector<Item> items;         // Of one thread, the oldest first.
  // On the machine where it begins: whoever starts it ends all of that first (W10).
  std::vector<Left> left;
  core::Subject session;
  core::Subject agent;
};

// Takes the oldest open item, with those behind it that are in the same thread. One that was woken
// for often enough is skipped instead. Nothing is begun while somebody else has the session, while
// what is left of the run before is still being ended elsewhere, without an item, or over a budget
// (W17).
// A shift whose lease this one takes over ends as lost in the same change. `conflict` if the run
// has begun before: its token is told only once, so who missed it begins another run.
[[nodiscard]] Result<Begun> decide_begin(const core::View& view, const core::Witness& witness,
                                         const Begin& begin, const limits::FeedRules& rules,
                                         Time now);

// What came of a run.
struct Finish {
  std::string session;
  std::string run;
  std::string verdict;  // As backend::name says, or "lost".
  std::string why;
  std::string text;  // Its last words: the answer, unless it wrote one.
  // To go on with; empty: there is none any more. That of a run that is not done is not kept (W5).
  std::optional<std::string> conversation;
  std::int64_t input = 0;  // Tokens ...
  std::int64_t output = 0;
  std::int64_t cached = 0;
  std::int64_t cost = 0;    // ... and millionths of a US dollar.
  std::string totals = {};  // What its program says it used so far in the conversation; JSON.
  // Its service asks not to be called again before this: nothing begins for the session until then,
  // and what is not answered begins then.
  Span wait{};
  // The service did not say for how long: the next time `wait` is doubled, and so on.
  bool wait_grows = false;
  bool is_unheard = false;  // Of one that was lost: its keeper has not heard of it, or started it.
};

// One change: its answer, if it did not write one itself; its conversation; what it used; the end
// of its lease and of its token. Empty if it has ended before. `fenced` if it was lost meanwhile.
[[nodiscard]] Result<core::Change> decide_finish(const core::View& view, const Finish& finish,
                                                 const limits::FeedRules& rules, const Ids& ids,
                                                 Time now);

// A shift whose lease has ended without it has ended as well.
[[nodiscard]] core::Rule end_lost_shift();

// Adds to `change` that the session's shifts are lost, but for that of `run`. How many; that they
// failed is for the caller to count.
[[nodiscard]] Result<std::int64_t> lose_shifts(const core::View& view, const std::string& session,
                                               const std::string& run, core::Change& change,
                                               Time now);

// The event that tells the thread of `post` why a session does not answer `source`. The thread is
// unread by it, and in trouble until that agent or a person writes there, or a person has read it.
[[nodiscard]] core::Draft trouble(const std::string& post, const std::string& session,
                                  const std::string& source, const std::string& text);

// The same for what people need not see at once.
[[nodiscard]] core::Draft notice(const std::string& post, const std::string& session,
                                 const std::string& source, const std::string& text);

// Sessions of these agents (empty: of all) that have something to do and nobody who does it, those
// that wait longest first. `all` as in Begin. Not those over a budget, once all threads
// that wait for them were told: to begin would be refused until it is another day.
[[nodiscard]] Result<std::vector<Session>> list_ready(const core::View& view,
                                                      const std::vector<std::string>& agents,
                                                      bool all, Time now);

// Runs of these agents, or of all if there are none, that somebody wants to end (H14, W12b).
[[nodiscard]] Result<std::vector<Ending>> list_ending(const core::View& view,
                                                      const std::vector<std::string>& agents,
                                                      Time now);

}  // namespace tyer::feed
