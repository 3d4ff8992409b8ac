// A kind says which events its subjects may meet and what they make of them.
//
// Transitions are data: one row per event type, from which statuses to which.
// What is not in the table is refused with the status and what would be
// allowed. The catalog is the list of all kinds and rules; main builds it once,
// and the engine knows features only through it.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/change.h"
#include "core/event.h"
#include "core/rule.h"
#include "core/subject.h"
#include "core/view.h"

namespace tyer::core {

// In `from`: the subject does not exist yet, or exists in whatever status.
inline constexpr std::string_view absent = "";
inline constexpr std::string_view any = "*";
// In `to`: the status stays.
inline constexpr std::string_view same = "*";

// An event that subjects of every kind may meet: their timer failed and is taken
// off. It changes nothing else.
inline constexpr std::string_view timer_failed = "timer.failed";

struct Transition {
  std::string_view type;
  std::vector<std::string_view> from;
  std::string_view to;
};

// How an event's body changes a subject. The status and the revision are
// already those after the event.
using Fold = Result<> (*)(Subject& subject, const Event& event);

// The usual fold: the body is merged into the state (RFC 7396), but its members
// `due_at` (microseconds or null) and `parent` are the subject's own.
[[nodiscard]] Result<> merge_body(Subject& subject, const Event& event);

// What happens when a subject's due_at has come. The change must move or clear it.
using OnDue = std::function<Result<Change>(const View&, const Subject&, Time now)>;

struct Kind {
  std::string name;
  std::vector<Transition> transitions;
  Fold fold = merge_body;
  OnDue on_due = {};
  std::vector<std::string> hidden = {};  // Members of bodies that are stored and never shown.

  // What can be searched of a subject: UTF-8, from its status and state alone. A released one never
  // changes: indexes keep what it said.
  TextOf text = nullptr;
};

// The subject after `event`, whose rev is set here. Refused as `conflict` if
// the kind's table does not have it.
[[nodiscard]] Result<Subject> apply_event(const Kind& kind, Subject subject, Event& event);

// `body` without what its kind hides, for logs, streams and exports.
[[nodiscard]] std::string shown_body(const Kind& kind, const std::string& body);

// What the search knows of a subject; empty: nothing.
[[nodiscard]] std::string text_of(const Kind& kind, const Subject& subject);

class Catalog {
 public:
  Catalog() = default;
  Catalog(std::vector<Kind> kinds, std::vector<Rule> rules);

  [[nodiscard]] const Kind* kind(std::string_view name) const;
  // The same for a subject of any kind.
  [[nodiscard]] std::string text_of(const Subject& subject) const;
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }

 private:
  std::map<std::string, Kind, std::less<>> kinds_;
  std::vector<Rule> rules_;
};

}  // namespace tyer::core
