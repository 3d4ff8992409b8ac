// A store and a witness for decisions about leases: they know what they are told.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/lease.h"
#include "core/view.h"

namespace tyer::testing {

// Leases by key. Nothing else is asked for.
class KnownLeases final : public core::View {
 public:
  std::map<std::string, core::Lease> all;

  Result<std::optional<core::Subject>> subject(const std::string&) const override {
    return std::nullopt;
  }
  Result<std::vector<core::Subject>> subjects(const core::SubjectQuery&) const override {
    return std::vector<core::Subject>{};
  }
  Result<std::vector<core::Subject>> due(Time, std::size_t) const override {
    return std::vector<core::Subject>{};
  }
  Result<std::optional<core::Lease>> lease(const std::string& key) const override {
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::vector<core::Lease>> leases(const std::string& after,
                                          std::size_t limit) const override {
    std::vector<core::Lease> page;
    for (auto each = all.upper_bound(after); each != all.end() && page.size() < limit; ++each) {
      page.push_back(each->second);
    }
    return page;
  }
  Result<std::vector<core::Event>> events(const core::EventQuery&) const override {
    return std::vector<core::Event>{};
  }
  Result<core::Head> head() const override { return core::Head{}; }
  Result<core::Cursor> cursor(const std::string& reader) const override {
    return core::Cursor{reader, 0};
  }
  Result<std::vector<core::Cursor>> cursors() const override { return std::vector<core::Cursor>{}; }
};

// Everybody lives but those it was told of.
class KnownDeaths final : public core::Witness {
 public:
  std::set<std::int64_t> pids;

  core::Sight look(const core::Holder& holder) const override {
    if (pids.contains(holder.pid)) {
      return {core::Liveness::gone, "no process " + std::to_string(holder.pid), std::nullopt};
    }
    return {core::Liveness::alive, "process " + std::to_string(holder.pid) + " is there",
            std::nullopt};
  }
};

}  // namespace tyer::testing
