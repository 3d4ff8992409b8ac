// Whether SQLite stays as quick as the log grows. Stores with a short, a middling
// and a long log stand side by side and take turns, so that the disk's moods hit
// them alike. The short one is made anew now and then, or it would grow.

#include <array>

#include "changes.h"
#include "env/linux_env.h"
#include "report.h"
#include "rounds.h"
#include "store/open.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

using store::Durability;

constexpr std::size_t changes_a_turn = 8'192;  // Long enough for a checkpoint in each.
constexpr int turns_a_round = 2;
constexpr int writers = 64;
constexpr Span turn_max = 5s;

// A store with the shortest log.
struct Short {
  std::unique_ptr<testing::TempDir> dir;
  std::unique_ptr<Rig> rig;
  std::size_t grown_by = 0;
};

class GrowthBench {
 public:
  explicit GrowthBench(const Options& options)
      : options_(options), sizes_{options.events / 100, options.events / 10, options.events} {}

  Result<> run() {
    const Span start = real_.env().clock.mono();
    for (const std::size_t size : {sizes_[1], sizes_[2]}) {
      TYER_TRY(auto store, open(path(size), Durability::normal));
      TYER_TRY_OK(fill(*store, kinds_, size));
    }
    filled_in_ = real_.env().clock.mono() - start;
    for (const Durability durability : {Durability::normal, Durability::full}) {
      Short& one = durability == Durability::full ? short_full_ : short_normal_;
      contenders_.push_back({title(sizes_[0], durability),
                             [this, &one, durability] { return rate_of_short(one, durability); }});
      for (const std::size_t size : {sizes_[1], sizes_[2]}) {
        TYER_TRY(auto store, open(path(size), durability));
        rigs_.push_back(std::make_unique<Rig>(real_.env(), kinds_, std::move(store)));
        contenders_.push_back({title(size, durability), [rig = rigs_.back().get()] {
                                 return rig->rate_of_waiting(writers, changes_a_turn, turn_max);
                               }});
      }
    }
    TYER_TRY_OK(run_rounds(contenders_, turns_a_round * options_.rounds, options_.dir));
    print(real_.env().clock.mono() - start);
    return {};
  }

 private:
  std::string path(std::size_t size) const { return dir_ / fmt::format("{}.db", size); }

  Result<std::unique_ptr<store::Store>> open(const std::string& path, Durability durability) {
    return store::open("sqlite:" + path, real_.env(), {.durability = durability});
  }

  static std::string title(std::size_t size, Durability durability) {
    return fmt::format("{} events, {}", figure(static_cast<double>(size)),
                       durability == Durability::full ? "full" : "normal");
  }

  Result<double> rate_of_short(Short& one, Durability durability) {
    if (!one.rig || one.grown_by >= sizes_[0] / 2) {
      one = Short{.dir = std::make_unique<testing::TempDir>()};
      TYER_TRY(auto store, open(*one.dir / "short.db", Durability::normal));
      TYER_TRY_OK(fill(*store, kinds_, sizes_[0]));
      TYER_TRY_OK(fill_journal(*store));
      TYER_TRY(store, open(*one.dir / "short.db", durability));
      one.rig = std::make_unique<Rig>(real_.env(), kinds_, std::move(store));
    }
    one.grown_by += changes_a_turn;
    return one.rig->rate_of_waiting(writers, changes_a_turn, turn_max);
  }

  // While SQLite's write-ahead file still grows, every sync costs more. Cursors
  // make it grow and the log not.
  static Result<> fill_journal(store::Store& store) {
    constexpr std::uint64_t commits = 10'000;  // More than the pages it is allowed to have.
    for (std::uint64_t i = 1; i <= commits; ++i) {
      TYER_TRY_OK(store::write(store, [&](store::Txn& txn) -> Result<> {
        txn.put(core::Cursor{"bench", i});
        return {};
      }));
    }
    return {};
  }

  void print(Span took) const {
    Report report("growth", "SQLite with 64 writers as the log grows, changes a second",
                  options_.dir);
    report.columns({"medians of the rounds", "a second", "x shortest log"});
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
      const Contender& shortest = contenders_[i - i % sizes_.size()];
      report.row({contenders_[i].name, figure(contenders_[i].typical()),
                  times(contenders_[i].ratio_to(shortest))});
    }
    report.note(fmt::format("The logs were filled in {}; all of it took {}.",
                            describe_span(filled_in_), describe_span(took)));
    report.require("longest log by shortest, normal", contenders_[2].ratio_to(contenders_[0]), 0.9);
    report.require("longest log by shortest, full", contenders_[5].ratio_to(contenders_[3]), 0.9);
    report.print(options_.json);
  }

  const Options& options_;
  const std::array<std::size_t, 3> sizes_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  const core::Catalog kinds_ = catalog();
  Short short_normal_;
  Short short_full_;
  std::vector<std::unique_ptr<Rig>> rigs_;
  std::vector<Contender> contenders_;
  Span filled_in_{};
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::GrowthBench(options).run();
  });
}
