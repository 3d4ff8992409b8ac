// A keeper's place at the hub (W12): it waits there for something to do, is told of it while it is
// being written, and has leave to start once it is.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/env.h"
#include "lock/far_wait.h"
#include "lock/hub_client.h"

namespace tyer::work {

class Stand {
 public:
  using OnSoon = std::function<void(const std::string& line)>;

  // `stop_fds`: one of them is readable when it is not to wait any more.
  Stand(env::Env& env, lock::HubClient& client, std::vector<int> stop_fds);

  struct Told {
    std::string line;
    bool is_announced = false;  // It is the one that was announced last, and as it was.
  };
  // What a run is told that is about to begin. Nothing: it is not to wait any more. `offer` is what
  // the hub is told, `who` tells it whose offer that was. `on_soon`: what is known of a run that
  // will begin in a moment, most likely; the one before it was over by then. Empty: there is none.
  [[nodiscard]] Result<std::optional<Told>> wait(const std::string& offer, const std::string& who,
                                                 const OnSoon& on_soon);
  // Not after the hub has decided it, by the boot clock.
  [[nodiscard]] Span asked() const { return asked_; }

  // It was told of a run and not of what became of that.
  [[nodiscard]] bool is_open() const { return lines_.has_value(); }
  // Until `run` has begun. An error: not for all we know.
  [[nodiscard]] Result<> await(const std::string& run);
  void leave() { lines_.reset(); }

  // Takes the offer back, and what it was given unheard. Until the hub knows, or it is to stop.
  [[nodiscard]] Result<> withdraw(const std::string& who);

 private:
  // Before anything is read: perhaps the hub waits for this processor. False: it says nothing.
  [[nodiscard]] bool make_room(const lock::HubClient::Lines& lines) const;

  env::Env& env_;
  lock::HubClient& client_;
  const std::vector<int> stop_fds_;
  lock::FdSet stops_;
  std::optional<lock::HubClient::Lines> lines_;
  Span asked_{};
};

}  // namespace tyer::work
