#include "engine/audit.h"

#include <map>

#include <fmt/format.h>

#include "core/key.h"
#include "core/limits.h"

namespace tyer::engine {
namespace {

constexpr std::size_t page_rows = 200;
constexpr std::size_t problems_max = 100;
// Subjects folded in one pass over the log: memory has a bound, a store of any
// size is checked in a few passes.
constexpr std::size_t subjects_per_pass = 4'000;

// One subject while its events go by.
struct Track {
  core::Subject row;
  core::Subject folded;
  std::uint64_t last_rev = 0;  // Of the newest event seen; 0: none yet.
  bool whole = false;          // Every event since the first was seen and folded.
};

using Tracks = std::map<std::string, Track>;

// The member in which they differ. States may hold secrets and are not shown.
std::string_view difference(const core::Subject& a, const core::Subject& b) {
  if (a.status != b.status) return "status";
  if (a.parent != b.parent) return "parent";
  if (a.due_at != b.due_at) return "due time";
  return "state";
}

class Auditor {
 public:
  Auditor(const core::View& view, const core::Catalog& catalog, const AuditProgress& progress)
      : view_(view), catalog_(catalog), progress_(progress) {}

  Result<> run() {
    TYER_TRY(head_, view_.head());
    std::string after;
    bool first_pass = true;
    while (true) {
      TYER_TRY(Tracks tracks, take_subjects(after));
      if (tracks.empty() && !first_pass) break;
      if (!tracks.empty()) after = tracks.rbegin()->first;
      TYER_TRY_OK(pass(tracks, first_pass));
      for (const auto& [key, track] : tracks) {
        compare(track);
        TYER_TRY_OK(check_text(track.row));
      }
      first_pass = false;
    }
    TYER_TRY_OK(check_leases());
    return check_cursors();
  }

  Audit result;

 private:
  void report(std::string problem) {
    ++result.problems_total;
    if (result.problems.size() < problems_max) result.problems.push_back(std::move(problem));
  }

  Result<Tracks> take_subjects(std::string after) {
    Tracks tracks;
    while (tracks.size() < subjects_per_pass) {
      TYER_TRY(std::vector<core::Subject> page,
               view_.subjects(
                   {.parent = "", .kind = "", .status = "", .after = after, .limit = page_rows}));
      for (core::Subject& row : page) {
        after = row.key;
        tracks[after].row = std::move(row);
        ++result.subjects;
      }
      if (page.size() < page_rows) break;
    }
    return tracks;
  }

  // One walk over the log. What concerns the log itself is looked at once.
  Result<> pass(Tracks& tracks, bool first_pass) {
    std::uint64_t seen = 0;
    core::Event before;
    while (true) {
      TYER_TRY(std::vector<core::Event> page,
               view_.events({.after = before.seq, .root = "", .limit = page_rows}));
      for (core::Event& event : page) {
        if (first_pass) check_order(before, event);
        if (event.rev != 0) {
          const auto found = tracks.find(event.key);
          if (found != tracks.end()) {
            follow(found->second, event);
          } else if (first_pass) {
            TYER_TRY_OK(check_has_subject(event));
          }
        }
        before = std::move(event);
      }
      seen += page.size();
      progress_(seen, head_.seq == 0 ? 0 : head_.seq - head_.first + 1);
      if (page.size() < page_rows) break;
    }
    if (first_pass) result.events = seen;
    return {};
  }

  void check_order(const core::Event& before, const core::Event& event) {
    if (before.seq == 0) return;
    if (event.seq != before.seq + 1) {
      report(fmt::format("event {} is followed by {} (law 9: numbers have no gap)", before.seq,
                         event.seq));
    }
    if (event.at < before.at) {
      report(
          fmt::format("event {} is from {}, before event {} (law 6: time does not run backwards)",
                      event.seq, format_time(event.at), before.seq));
    }
  }

  Result<> check_has_subject(const core::Event& event) {
    TYER_TRY(const auto row, view_.subject(event.key));
    if (!row) {
      report(
          fmt::format("event {} changed {}, which does not exist (law 3)", event.seq, event.key));
    }
    return {};
  }

  void follow(Track& track, core::Event& event) {
    const std::uint64_t rev = event.rev;
    const bool first = track.last_rev == 0;
    if (!first && rev != track.last_rev + 1) {
      report(fmt::format("{}: revision {} is followed by {} in event {} (law 3)", event.key,
                         track.last_rev, rev, event.seq));
      track.whole = false;
    }
    if (first) track.whole = rev == 1;
    track.last_rev = rev;
    if (!track.whole) return;

    const core::Kind* kind = catalog_.kind(core::kind_of(event.key));
    if (kind == nullptr) {
      track.whole = false;
      return;
    }
    auto folded = core::apply_event(*kind, track.folded, event);
    if (!folded) {
      report(fmt::format("event {} could not have happened (law 3): {}", event.seq,
                         folded.error().what));
      track.whole = false;
      return;
    }
    track.folded = *std::move(folded);
  }

  void compare(const Track& track) {
    const core::Subject& row = track.row;
    if (track.last_rev == 0 && head_.first > 1) {
      ++result.unfolded;  // All its events are forgotten.
      return;
    }
    if (track.last_rev != row.rev) {
      report(fmt::format("{} is at revision {}, its newest event at {} (law 3)", row.key, row.rev,
                         track.last_rev));
      return;
    }
    if (!track.whole) {
      ++result.unfolded;
    } else if (track.folded != row) {
      report(fmt::format("{}: its {} is not what its events say (law 3)", row.key,
                         difference(row, track.folded)));
    }
  }

  Result<> check_text(const core::Subject& row) {
    const core::Kind* const kind = catalog_.kind(core::kind_of(row.key));
    if (kind == nullptr || kind->text == nullptr) return {};
    TYER_TRY(const auto indexed, view_.indexed_text(row.key));
    if (indexed && *indexed != core::text_of(*kind, row)) {
      report(fmt::format("{}: the search does not know what it says; a copy of the store will",
                         row.key));
    }
    return {};
  }

  Result<> check_leases() {
    std::string after;
    while (true) {
      TYER_TRY(const std::vector<core::Lease> page, view_.leases(after, page_rows));
      for (const core::Lease& lease : page) {
        after = lease.key;
        ++result.leases;
        // Token 0 is a lease that another tool wrote.
        if (lease.token != 0) TYER_TRY_OK(check_lease(lease));
      }
      if (page.size() < page_rows) return {};
    }
  }

  Result<> check_lease(const core::Lease& lease) {
    if (lease.token > head_.seq) {
      report(fmt::format("{}: the lease's token {} is beyond the newest event {} (law 1)",
                         lease.key, lease.token, head_.seq));
      return {};
    }
    if (lease.token < head_.first) return {};
    TYER_TRY(const std::vector<core::Event> events,
             view_.events({.after = lease.token - 1, .root = "", .limit = 1}));
    const bool granted = !events.empty() && events.front().seq == lease.token &&
                         events.front().key == lease.key && events.front().type == "lease.granted";
    if (!granted) {
      report(fmt::format("{}: event {} did not grant the lease with this token (law 1)", lease.key,
                         lease.token));
    }
    return {};
  }

  Result<> check_cursors() {
    TYER_TRY(const std::vector<core::Cursor> cursors, view_.cursors());
    result.cursors = cursors.size();
    for (const core::Cursor& cursor : cursors) {
      if (cursor.seq > head_.seq) {
        report(fmt::format("reader {} stands at {}, beyond the newest event {} (law 4)",
                           cursor.reader, cursor.seq, head_.seq));
      }
    }
    return {};
  }

  const core::View& view_;
  const core::Catalog& catalog_;
  const AuditProgress& progress_;
  core::Head head_;
};

}  // namespace

Result<Audit> audit(const core::View& view, const core::Catalog& catalog,
                    const AuditProgress& progress) {
  Auditor auditor(view, catalog, progress);
  TYER_TRY_OK(auditor.run());
  return std::move(auditor.result);
}

}  // namespace tyer::engine
