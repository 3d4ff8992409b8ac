// An Env for tests: the real machine, but with a clock that can be set.

#pragma once

#include <optional>

#include "env/linux_env.h"

namespace tyer::testing {

class SettableClock final : public env::Clock {
 public:
  explicit SettableClock(const env::Clock& real) : real_(real) {}

  // From now on the wall clock stands at `time`.
  void set(Time time) { fixed_ = time; }
  void advance(Span span) { fixed_ = now() + span; }

  [[nodiscard]] Time now() const override { return fixed_.value_or(real_.now()); }
  [[nodiscard]] Span mono() const override { return real_.mono(); }
  [[nodiscard]] Span boot_time() const override { return real_.boot_time(); }

 private:
  const env::Clock& real_;
  std::optional<Time> fixed_;
};

struct TestEnv {
  env::LinuxEnv real;
  SettableClock clock{real.env().clock};
  env::Env env{clock, real.env().files, real.env().processes, real.env().random};
};

}  // namespace tyer::testing
