// Looks through a whole store for what the laws forbid, as far as data can show
// it: `tyer store check`. It reads one consistent picture and changes nothing.
//
//   law 1  the token of a lease is the number of the event that granted it
//   law 3  a subject is what its events say; their revisions have no gap
//   law 4  a reader has read nothing that is not there
//   law 6  the time of events never runs backwards
//   law 9  events are numbered without a gap
//
// What the log does not keep any more, and kinds the catalog does not know,
// cannot be checked; that is counted, not reported.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/kind.h"
#include "core/view.h"

namespace tyer::engine {

struct Audit {
  std::uint64_t events = 0;
  std::uint64_t subjects = 0;
  std::uint64_t leases = 0;
  std::uint64_t cursors = 0;
  std::uint64_t unfolded = 0;  // Subjects whose events are not all kept, or of unknown kind.

  std::vector<std::string> problems;  // A sentence each, the first hundred.
  std::uint64_t problems_total = 0;

  friend bool operator==(const Audit&, const Audit&) = default;
};

// `progress` is told how many events of how many were read in this pass.
using AuditProgress = std::function<void(std::uint64_t read, std::uint64_t total)>;

[[nodiscard]] Result<Audit> audit(const core::View& view, const core::Catalog& catalog,
                                  const AuditProgress& progress);

}  // namespace tyer::engine
