// A real store behind a bad connection. Each simulated process has one.
//
// Faults are drawn when asked for: no answer at all, busy, disk full, a commit
// that did not happen, a commit that happened but whose answer was lost, and
// the death of the process before or after its commit.

#pragma once

#include <cstdint>
#include <functional>

#include "sim/rng.h"
#include "store/store.h"

namespace tyer::sim {

// A protection taken out, to show that the laws notice.
enum class Flaw : std::uint8_t {
  none,
  no_token_check,
  no_one_writer,
  cursor_apart_from_effect,
  no_journal_replay,
  no_start_time,
  no_monotonic_heartbeat,
  found_again_unjudged,
};

struct Weather {
  std::uint64_t one_in = 0;  // A fault in every so many calls; 0 is fair weather.
  bool cut = false;          // No call gets through.
};

class FlakyStore final : public store::Store {
 public:
  // `commits` counts what is committed, whatever is answered. `die` ends the simulated process that
  // uses this store.
  FlakyStore(store::Store& real, std::uint64_t& commits, Rng& rng, const Weather& weather,
             Flaw flaw, std::function<void()> die)
      : real_(real),
        commits_(commits),
        rng_(rng),
        weather_(weather),
        flaw_(flaw),
        die_(std::move(die)) {}

  [[nodiscard]] Result<store::Begun> begin(std::span<const std::string> keys) override;
  [[nodiscard]] Result<> commit(const store::Writes& writes) override;
  void rollback() override { real_.rollback(); }
  [[nodiscard]] Result<Time> now() override;
  [[nodiscard]] Result<> read(const std::function<Result<>(const core::View&)>& reader) override;
  [[nodiscard]] Result<std::unique_ptr<store::Watch>> watch() override { return real_.watch(); }
  [[nodiscard]] Result<std::vector<std::string>> check() override { return real_.check(); }
  [[nodiscard]] std::string name() const override { return real_.name(); }

 private:
  [[nodiscard]] bool trouble() { return weather_.one_in != 0 && rng_.one_in(weather_.one_in); }
  [[nodiscard]] Result<> commit_flawed(store::Writes writes);
  [[nodiscard]] Result<> commit_now(const store::Writes& writes);

  store::Store& real_;
  std::uint64_t& commits_;
  Rng& rng_;
  const Weather& weather_;
  const Flaw flaw_;
  const std::function<void()> die_;
};

}  // namespace tyer::sim
