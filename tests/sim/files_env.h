// A simulated process on a simulated disk, as the files store needs it.

#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "sim/disk.h"
#include "store/files_store.h"

namespace tyer::files_sim {

// SplitMix64: small, and the same everywhere.
class SeededRandom final : public env::Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  void fill(std::span<std::uint8_t> bytes) override {
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      std::uint64_t number = next();
      for (std::size_t j = i; j < bytes.size() && j < i + 8; ++j, number >>= 8) {
        bytes[j] = static_cast<std::uint8_t>(number);
      }
    }
  }

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

class SetClock final : public env::Clock {
 public:
  Time time = from_micros(1'750'000'000'000'000);

  [[nodiscard]] Time now() const override { return time; }
  [[nodiscard]] Span mono() const override { return time.time_since_epoch(); }
  [[nodiscard]] Span boot_time() const override { return mono(); }
};

// Knows where it is and nothing else.
class LonelyProcesses final : public env::Processes {
 public:
  explicit LonelyProcesses(std::string boot) : boot_(std::move(boot)) {}

  [[nodiscard]] core::Sight look(const core::Holder&) const override { return {}; }
  [[nodiscard]] core::Place here() const override { return {"here", boot_, "1"}; }
  [[nodiscard]] core::Holder self(std::string run) const override {
    return {here(), 1, 1, std::move(run)};
  }
  [[nodiscard]] Result<core::Holder> holder(std::int64_t, std::string run) const override {
    return self(std::move(run));
  }
  [[nodiscard]] Result<std::unique_ptr<env::Child>> spawn(const env::Spawn&) override {
    return fail(Fault::unavailable, "nothing can be started here");
  }
  [[nodiscard]] Result<std::optional<env::Fd>> watch_end(const core::Holder&) const override {
    return std::nullopt;
  }
  void ring(const std::string&) const override {}

 private:
  const std::string boot_;
};

inline constexpr const char* store_directory = "/disk/store";

// From start to death. `wrapped` stands before its files, if given.
struct Process {
  Process(sim::Disk& disk, SetClock& clock, const std::string& boot)
      : files(disk), processes(boot), env{clock, files, processes, random} {}
  Process(env::Files* wrapped, sim::Disk& disk, SetClock& clock, const std::string& boot)
      : files(disk),
        processes(boot),
        env{clock, wrapped != nullptr ? *wrapped : files, processes, random} {}

  [[nodiscard]] Result<> open(store::Durability durability, std::size_t journal_max) {
    TYER_TRY(store,
             store::open_files(store_directory, env, {.durability = durability}, journal_max));
    return {};
  }

  sim::SimFiles files;
  LonelyProcesses processes;
  SeededRandom random{1};
  env::Env env;
  std::unique_ptr<store::Store> store;
};

[[nodiscard]] core::Event event_of(std::string key, std::string type, std::string body = "{}");

// Everything a store holds, as text.
[[nodiscard]] Result<std::string> picture(store::Store& store);

}  // namespace tyer::files_sim
