// The change that benchmarks make: one event of about 100 bytes on one of 1,000
// subjects, all the way through decision, transition, fold and commit.

#pragma once

#include <atomic>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/kind.h"
#include "engine/engine.h"
#include "engine/writer.h"
#include "env/clock.h"
#include "store/limits.h"
#include "store/store.h"
#include "store/txn.h"

namespace tyer::bench {

inline constexpr std::uint64_t subject_count = 1'000;

// A sequence of numbers that looks like chance and is the same in every run.
class Mix {
 public:
  explicit Mix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

[[nodiscard]] inline core::Catalog catalog() {
  return core::Catalog({{.name = "item",
                         .transitions = {{"item.made", {core::absent}, "open"},
                                         {"item.changed", {"open"}, core::same}}}},
                       {});
}

// Made once: the databases beside us do not make theirs each time either.
[[nodiscard]] inline const std::string& key_of(std::uint64_t number) {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < subject_count; ++i) all.push_back(fmt::format("item/{:04}", i));
    return all;
  }();
  return keys[number];
}

// What a command would decide: look at the subject, then say what becomes of it.
[[nodiscard]] inline Result<core::Change> decide(const core::View& view, const std::string& key,
                                                 std::uint64_t step) {
  TYER_TRY(const auto subject, view.subject(key));
  core::Draft draft{.key = key, .type = subject ? "item.changed" : "item.made"};
  draft.body.reserve(128);
  draft.body = R"({"note":"still on its way to )";
  draft.body += key;
  draft.body += R"(","step":)";
  draft.body += std::to_string(step);
  draft.body += R"(,"title":"a piece of work that takes its time"})";
  core::Change change;
  change.events.push_back(std::move(draft));
  return change;
}

// The whole change as a part of a transaction.
[[nodiscard]] inline store::Work change_of(const std::string& key, std::size_t step,
                                           const core::Catalog& kinds,
                                           const engine::Origin& origin) {
  return {[&kinds, &origin, key, step](store::Txn& txn) -> Result<> {
            TYER_TRY(core::Change change, decide(txn, key, step));
            TYER_TRY_OK(engine::apply(txn, kinds, std::move(change), origin));
            return {};
          },
          {key}};
}

// Appends `count` events as quickly as the store takes them.
[[nodiscard]] inline Result<> fill(store::Store& store, const core::Catalog& kinds,
                                   std::size_t count) {
  const engine::Origin origin{.actor = "bench"};
  Mix mix(count);
  std::vector<store::Work> works;
  for (std::size_t written = 0; written < count; written += works.size()) {
    works.clear();
    for (std::size_t i = written; i < count && works.size() < limits::batch_works_max; ++i) {
      // Every subject once, then whichever.
      const std::string key = key_of(i < subject_count ? i : mix.below(subject_count));
      works.push_back(change_of(key, i, kinds, origin));
    }
    for (const Result<>& result : store::write_all(store, works)) TYER_TRY_OK(result);
  }
  return {};
}

// A store with an engine on it whose writers share commits.
class Rig {
 public:
  Rig(env::Env& env, const core::Catalog& kinds, std::unique_ptr<store::Store> store)
      : clock_(env.clock),
        store_(std::move(store)),
        writer_(*store_),
        engine_(env, *store_, kinds,
                [this](const store::Work& work) { return writer_.write(work); }) {}

  [[nodiscard]] store::Store& store() { return *store_; }

  // Changes per second with `writers` that wait for their results without a
  // thread each: whoever has been answered comes with the next.
  [[nodiscard]] Result<double> rate_of_waiting(int writers, std::size_t changes, Span at_most) {
    const Span start = clock_.mono();
    Crowd crowd{.changes = changes, .end = start + at_most, .left = std::latch(writers)};
    for (int i = 0; i < writers; ++i) submit(crowd, Mix(++seed_));
    crowd.left.wait();
    const Span took = clock_.mono() - start;
    if (crowd.error) return std::unexpected(*crowd.error);
    return static_cast<double>(crowd.made) * 1e6 / static_cast<double>(took.count());
  }

  // Changes per second with `writers` threads, each of which waits for its result
  // before it begins the next. Ends when `changes` are made or `at_most` is over.
  [[nodiscard]] Result<double> rate(int writers, std::size_t changes, Span at_most) {
    std::atomic<bool> go = false;
    std::atomic<std::size_t> made = 0;
    std::mutex mutex;
    std::optional<Error> error;
    Span end{};
    std::vector<std::jthread> threads;
    for (int i = 0; i < writers; ++i) {
      threads.emplace_back([&, seed = ++seed_] {
        Mix mix(seed);
        go.wait(false);
        while (made < changes && clock_.mono() < end) {
          const std::string key = key_of(mix.below(subject_count));
          const auto applied = engine_.apply(
              {.actor = "bench"},
              [&](const core::View& view, Time) { return decide(view, key, made); }, {key});
          if (!applied) {
            const std::scoped_lock lock(mutex);
            error = applied.error();
            return;
          }
          ++made;
        }
      });
    }
    const Span start = clock_.mono();
    end = start + at_most;
    go = true;
    go.notify_all();
    threads.clear();  // Joins.
    const Span took = clock_.mono() - start;
    if (error) return std::unexpected(*error);
    return static_cast<double>(made) * 1e6 / static_cast<double>(took.count());
  }

 private:
  struct Crowd {
    std::size_t changes;
    Span end;
    std::latch left;
    std::atomic<std::size_t> made = 0;
    std::mutex mutex;
    std::optional<Error> error;
  };

  void submit(Crowd& crowd, Mix mix) {
    const std::string key = key_of(mix.below(subject_count));
    const auto leave = [&crowd](const Result<>& result) {
      if (!result) {
        const std::scoped_lock lock(crowd.mutex);
        crowd.error = result.error();
      }
      crowd.left.count_down();
    };
    const auto done = [this, &crowd, mix, leave](const Result<>& result) {
      const bool ends = !result || ++crowd.made >= crowd.changes || clock_.mono() >= crowd.end;
      ends ? leave(result) : submit(crowd, mix);
    };
    const Result<> queued =
        writer_.submit(change_of(key, crowd.made, engine_.catalog(), origin_), done);
    if (!queued) leave(queued);
  }

  const engine::Origin origin_{.actor = "bench"};
  env::Clock& clock_;
  std::unique_ptr<store::Store> store_;
  engine::Writer writer_;
  engine::Engine engine_;
  std::uint64_t seed_ = 0;
};

}  // namespace tyer::bench
