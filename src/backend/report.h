// What an agent said while it ran, what came of it, and what to do next.
//
// Programs are judged by the last result that they report, not by their exit
// code: claude and gemini end with 0 when they are interrupted, and a run that
// was denied every tool ends with 0 as well.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace tyer::backend {

// One thing that happened, for transcripts and for people. Texts are UTF-8 and
// cut at limits::note_bytes_max.
struct Note {
  enum class Kind : std::uint8_t {
    text,          // The agent speaks.
    thinking,      // To itself.
    tool_use,      // `tool` is called with `text`.
    tool_result,   // It answered `text`; `failed` if it says so.
    denied,        // `tool` was not allowed.
    conversation,  // `text` is its id. It is worth storing only once the report says so.
    model,         // `text` answers.
    retry,         // The model could not be asked; the program waits for `wait` and asks again.
    warning,       // Something else that a person may want to know.
    hopeless,      // Going on is of no use: end the run. The report says the same.
  };

  Kind kind = Kind::text;
  std::string text;
  std::string tool;
  bool failed = false;
  std::optional<Span> wait;

  friend bool operator==(const Note&, const Note&) = default;
};

[[nodiscard]] std::string_view name(Note::Kind kind);

enum class Verdict : std::uint8_t {
  done,
  hindered,     // Done, but something that it asked for was denied or missing.
  stale,        // The program does not know the conversation any more.
  credentials,  // No login, a bad key, no credit: a person must act.
  later,        // Too many requests, overload, no network.
  too_long,     // The conversation does not fit into the model any more.
  limit,        // Turns or money that the task allowed are used up.
  mistake,      // Ours: the same call will always fail.
  stopped,      // We were asked to end it.
  timed_out,    // We ended it at its limit of time or of silence.
  interrupted,  // It ended without a result: a crash, a signal from elsewhere.
  failed,       // It reports a failure of its own.
};

inline constexpr int verdict_count = 12;

[[nodiscard]] std::string_view name(Verdict verdict);

// Token counts never overlap: what came from the cache is not in `input`.
struct Usage {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cached = 0;
  std::int64_t cost = 0;  // In millionths of a US dollar; 0 if the program does not say.
  // Of all runs of the conversation so far, not of this one alone.
  bool tokens_are_totals = false;
  bool cost_is_total = false;

  friend bool operator==(const Usage&, const Usage&) = default;
};

// What one run used, given what was reported at the end of the last run of the
// same conversation (nothing for a new one). A total that has become smaller
// began anew meanwhile and counts as it is.
[[nodiscard]] Usage usage_of_run(const Usage& earlier, const Usage& reported);

// Of two runs, one after the other, of one task. Of totals the last counts.
[[nodiscard]] Usage sum_of(const Usage& before, const Usage& after);

// How the process ended.
struct Ending {
  enum class Cut : std::uint8_t { no, asked, time_limit, hopeless };

  int code = 0;
  int signal = 0;
  Cut cut = Cut::no;   // Whether we ended it, and why.
  std::string errors;  // The last of its standard error.
};

struct Report {
  Verdict verdict = Verdict::interrupted;
  std::string why;   // One sentence for a person, without a full stop; empty if done.
  std::string text;  // The answer; what there is of it, if the run failed.
  // To be stored for the next run. Empty unless the run was done: the id of a
  // failed run is never stored.
  std::string conversation;
  Usage usage;
  std::int64_t turns = 0;           // Model calls, as far as the program counts them.
  std::vector<std::string> denied;  // Tools, each once.
  std::optional<Span> wait;         // Of `later`, if they said how long.
  std::uint64_t skipped_lines = 0;  // That could not be read.
  std::uint64_t skipped_bytes = 0;  // Of lines that were too long.

  friend bool operator==(const Report&, const Report&) = default;
};

// How often one task was tried. Begins empty, is given back by `decide_next`.
struct Attempts {
  int abnormal = 0;   // Runs that ended abnormally.
  int waits = 0;      // In a row.
  bool anew = false;  // A new conversation took the place of one that was given up.

  friend bool operator==(const Attempts&, const Attempts&) = default;
};

struct Next {
  enum class Act : std::uint8_t {
    settle,   // It is done. Store the conversation.
    again,    // At once, in the same conversation.
    wait,     // The same after `wait`.
    anew,     // At once, in a new conversation; forget the stored one.
    give_up,  // Say why, and wait for whatever comes next.
  };

  Act act = Act::give_up;
  Span wait{};
  Attempts attempts;

  friend bool operator==(const Next&, const Next&) = default;
};

// At most limits::attempts_max abnormal ends in all. Who says "later" is believed,
// and asked again after as long as they say. A conversation that is stale or too
// long is given up once, and that run does not count. Nothing else is tried again:
// not a run over its time limit, not a bad key, not a mistake of ours.
[[nodiscard]] Next decide_next(const Report& report, const Attempts& so_far);

}  // namespace tyer::backend
