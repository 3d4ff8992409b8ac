// The beat of a run's lease, the ear for those who ask it to stop, and the eye on the
// processes that the agent has started: in a thread of its own, so that neither a busy agent nor a
// slow store holds the other up.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "engine/keeper.h"
#include "engine/loop.h"
#include "env/bell.h"
#include "env/files.h"

namespace tyer::run {

class Heart {
 public:
  Heart(engine::Engine& engine, Span heartbeat, const std::string& id);

  // Beats for `lease` from now on; `asked` as in engine::Keeper.
  void beat_for(const core::Lease& lease, Span asked) { keeper_.hold(lease, asked); }
  // From now on it writes there who is below this process, for who has to end them if nobody
  // lives who adopts them. Before `start`.
  void record_kin(std::unique_ptr<env::File> file) { kin_file_ = std::move(file); }
  // Also beats for what `other` holds; if one of these is lost, so is the run. Before `start`.
  void beat_also(engine::Keeper* other) { other_ = other; }
  void start();
  // No beat comes after this.
  void stop() { loop_.reset(); }

  // Readable when `is_lost` or `stop_asked` may have changed.
  [[nodiscard]] int fd() const { return news_.get(); }
  // Readable when somebody rang: call `listen`.
  [[nodiscard]] int bell_fd() const { return bell_ ? bell_->fd() : -1; }
  void listen();

  [[nodiscard]] bool is_lost() const { return lost_; }
  [[nodiscard]] bool stop_asked() const { return stop_asked_; }

 private:
  [[nodiscard]] Result<Time> step(Time now);
  void note_kin();

  engine::Engine& engine_;
  const std::string id_;
  engine::Keeper keeper_;
  engine::Keeper* other_ = nullptr;
  env::Fd news_;
  std::optional<env::Bell> bell_;  // None: a stop is seen a little later.
  std::unique_ptr<env::File> kin_file_;
  std::string kin_;  // As it was written last.
  bool has_looked_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<bool> stop_asked_ = false;
  const Log log_;
  std::optional<engine::Loop> loop_;  // Last: it uses everything above.
};

}  // namespace tyer::run
