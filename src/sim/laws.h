// The laws, checked against what was really committed.
//
// After every step of a world the new part of the log is read and held against
// a model that is built from the log alone: who holds what, what each subject
// is, what each rule has done. The first law that does not hold is told.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "core/kind.h"
#include "store/store.h"

namespace tyer::sim {

using Broken = std::optional<std::string>;  // Which law, and how; nothing if all hold.

class Laws {
 public:
  Laws(store::Store& store, const core::Catalog& catalog) : store_(store), catalog_(catalog) {}

  // Called with each new event before the model takes it in.
  using Observer = std::function<Broken(const core::Event&, const Laws&)>;
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }

  // Reads what was committed since the last call.
  [[nodiscard]] Broken check();

  // Everything at once, for the end: every row is what its events say.
  [[nodiscard]] Broken check_all();

  [[nodiscard]] const std::map<std::string, core::Lease>& live() const { return live_; }
  [[nodiscard]] const std::map<std::string, core::Subject>& subjects() const { return subjects_; }
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

 private:
  [[nodiscard]] Broken take(const core::Event& event);
  [[nodiscard]] Broken take_lease_event(const core::Event& event);
  [[nodiscard]] Broken take_subject_event(const core::Event& event);
  [[nodiscard]] Broken compare_leases(const core::View& view);
  [[nodiscard]] Broken compare_subjects(const core::View& view, const std::set<std::string>& keys);

  store::Store& store_;
  const core::Catalog& catalog_;
  std::vector<Observer> observers_;

  std::uint64_t seen_ = 0;
  Time newest_ = Time::min();
  std::map<std::string, core::Lease>
      live_;  // As the log says; rows fill in what events do not tell.
  std::map<std::string, std::uint64_t> tokens_;
  std::map<std::string, core::Subject> subjects_;
  std::set<std::tuple<std::string, std::uint64_t, std::string, std::string>> effects_;
};

}  // namespace tyer::sim
