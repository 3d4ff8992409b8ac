// Ends leases whose holders are gone, silent or overdue, so that what waits for
// them goes on without anybody asking.
//
// A process that is gone is a fact and convicts at once. A silence may be the
// store's or this machine's own (both slept, the disk was full): it convicts
// only if it lasts `silence_confirm` after it was first seen, during which this
// sweeper's own writes went through, so that a holder that can beat again has
// done so (L10, last line).

#pragma once

#include <map>
#include <string>

#include "core/lease.h"
#include "engine/engine.h"

namespace tyer::engine {

class Sweeper {
 public:
  explicit Sweeper(Engine& engine) : engine_(engine) {}

  [[nodiscard]] Result<Time> step(Time now);

 private:
  struct Suspicion {
    std::uint64_t token = 0;
    Span since{};  // By the monotonic clock of this machine.
  };

  [[nodiscard]] Result<bool> find_suspects();
  [[nodiscard]] Result<> end_lapsed(store::Txn& txn);
  [[nodiscard]] bool is_confirmed(const core::Lease& lease, const core::Judgement& judgement) const;

  Engine& engine_;
  std::map<std::string, Suspicion> silent_;
  Span boot_time_ = Span::min();  // At the last good step; min: there was none.
  Span mono_{};
};

}  // namespace tyer::engine
