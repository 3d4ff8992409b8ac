// Asking a hub for locks, and waiting there until they can be had.
//
// The hub does the waiting and says every few seconds that it still does. If it stops to, or the
// connection breaks, we ask again under the same place in the queue, for as long as the patience
// lasts; what was granted meanwhile and not told is ours then. What the hub cannot see, that a
// holder on this machine has ended, it is told.

#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "env/env.h"
#include "env/fd.h"
#include "lock/hub_client.h"
#include "lock/waiting.h"

namespace tyer::lock {

// Several descriptors as one.
class FdSet {
 public:
  FdSet();
  void add(int fd);                                      // Negative ones are none.
  [[nodiscard]] int fd() const { return epoll_.get(); }  // Readable when one of them is.

 private:
  env::Fd epoll_;
};

// What this machine knows of the end of a holder that whoever looked could not see.
[[nodiscard]] std::optional<std::string> evidence_of_end(const env::Processes& processes,
                                                         const Seen& seen);

class FarWait {
 public:
  // Ends the lease of a holder that is gone.
  using Report =
      std::function<Result<core::Lease>(const core::Lease& lease, const std::string& evidence)>;

  FarWait(env::Env& env, HubClient& client, const Request& request, const Patience& patience,
          Report report);

  [[nodiscard]] Result<Outcome> run();

 private:
  // One connection: the outcome, or nothing if a holder has ended or it was told to stop.
  [[nodiscard]] Result<std::optional<Outcome>> listen();
  [[nodiscard]] Result<Outcome> ask_once();
  [[nodiscard]] Result<Outcome> wait();
  [[nodiscard]] Result<> confirm(const Outcome& outcome);
  [[nodiscard]] Result<bool> take_line(std::string_view line, Span asked,
                                       std::optional<Outcome>& outcome);
  // Of a holder's end that the hub does not know of.
  [[nodiscard]] std::optional<std::string> evidence(const Seen& seen) const;
  [[nodiscard]] bool has_ended(const std::vector<Seen>& held) const;
  // Whether the hub knows more now.
  [[nodiscard]] bool report_ended(const std::vector<Seen>& held);
  void watch(const std::vector<Seen>& held);
  [[nodiscard]] Outcome finish(Outcome outcome) const;
  [[nodiscard]] bool is_over() const;  // The patience.
  [[nodiscard]] bool is_stopped() const;
  [[nodiscard]] Result<bool> pause();
  void leave();

  env::Env& env_;
  HubClient& client_;
  const Request& request_;
  const Patience& patience_;
  const Report report_;
  const std::string place_;
  const Span until_;
  bool was_open_ = false;
  Span retry_{};
  std::vector<Seen> held_;            // As the hub last told.
  std::vector<Seen> ended_;           // By our report.
  std::set<std::uint64_t> reported_;  // Tokens.
  std::vector<env::Fd> ends_;         // Of holders that only we can see.
  std::optional<FdSet> set_;
};

}  // namespace tyer::lock
