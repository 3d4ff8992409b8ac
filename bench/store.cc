// Changes per second through the engine, with one writer and with 64 that wait,
// on every store, beside what the databases do without us.

#include "changes.h"
#include "env/linux_env.h"
#include "raw_postgres.h"
#include "raw_sqlite.h"
#include "report.h"
#include "rounds.h"
#include "store/open.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

using store::Durability;

constexpr Span turn = 250ms;
constexpr std::size_t no_bound = std::size_t{1} << 40;
constexpr int many = 64;
constexpr std::size_t events_before = 10'000;  // Logs and journals have their usual size then.

std::string name_of(Durability durability) {
  return durability == Durability::full ? "full" : "normal";
}

// Everything that is measured at one durability.
struct Group {
  Durability durability;
  std::vector<std::unique_ptr<Rig>> rigs;
  std::unique_ptr<RawSqlite> sqlite_single, sqlite_many;
  std::unique_ptr<RawPostgres> postgres;
};

class StoreBench {
 public:
  explicit StoreBench(const Options& options) : options_(options) {}

  Result<> run() {
    TYER_TRY(server_, testing::PostgresServer::start({"fsync=on", "shared_buffers=256MB"}));
    groups_.resize(2);
    TYER_TRY_OK(add(groups_[0], Durability::full));
    TYER_TRY_OK(add(groups_[1], Durability::normal));
    TYER_TRY_OK(run_rounds(contenders_, options_.rounds, options_.dir));
    print();
    return {};
  }

 private:
  Result<> add(Group& group, Durability durability) {
    group.durability = durability;
    const std::string name = name_of(durability);
    const env::Clock& clock = real_.env().clock;
    TYER_TRY(group.sqlite_single, RawSqlite::open(dir_ / (name + "-single.db")));
    TYER_TRY_OK(group.sqlite_single->warm_up(durability));
    TYER_TRY(group.sqlite_many, RawSqlite::open(dir_ / (name + "-many.db")));
    TYER_TRY_OK(group.sqlite_many->warm_up(durability));
    TYER_TRY(group.postgres, RawPostgres::open(server_->url(), durability));

    contend("SQLite itself, 1 row a commit", group,
            [raw = group.sqlite_single.get(), &clock] { return raw->insert_rate(clock, 1, turn); });
    contend("SQLite itself, 64 rows a commit", group, [raw = group.sqlite_many.get(), &clock] {
      return raw->insert_rate(clock, many, turn);
    });
    TYER_TRY_OK(add_rig(group, "sqlite", "sqlite:" + (dir_ / (name + ".db"))));
    contend("PostgreSQL itself, 1 row a commit", group,
            [raw = group.postgres.get(), &clock] { return raw->insert_rate(clock, turn); });
    TYER_TRY_OK(add_rig(group, "postgres", server_->url()));
    return add_rig(group, "files", "files:" + (dir_ / (name + "-files")));
  }

  Result<> add_rig(Group& group, const std::string& title, const std::string& url) {
    store::Options options{.durability = Durability::normal, .space = name_of(group.durability)};
    TYER_TRY(auto store, store::open(url, real_.env(), options));
    TYER_TRY_OK(fill(*store, kinds_, events_before));
    options.durability = group.durability;
    TYER_TRY(store, store::open(url, real_.env(), options));
    group.rigs.push_back(std::make_unique<Rig>(real_.env(), kinds_, std::move(store)));
    Rig* const rig = group.rigs.back().get();
    contend(title + ", 64 waiting", group,
            [rig] { return rig->rate_of_waiting(many, no_bound, turn); });
    contend(title + ", 64 threads", group, [rig] { return rig->rate(many, no_bound, turn); });
    contend(title + ", 1 writer", group, [rig] { return rig->rate(1, no_bound, turn); });
    return {};
  }

  void contend(const std::string& what, const Group& group, std::function<Result<double>()> round) {
    contenders_.push_back({what + ", " + name_of(group.durability), std::move(round)});
  }

  const Contender& find(std::string_view start, Durability durability) const {
    for (const Contender& one : contenders_) {
      if (one.name.starts_with(start) && one.name.ends_with(name_of(durability))) return one;
    }
    check_failed("a contender has a known name", __FILE__, __LINE__);
  }

  void print() const {
    Report report("store", "Changes a second through the engine, beside the databases themselves",
                  options_.dir);
    report.columns({"medians of the rounds", "a second", "x single commit", "x 64 a commit"});
    for (const Contender& one : contenders_) {
      const Durability durability =
          one.name.ends_with("full") ? Durability::full : Durability::normal;
      const bool on_server = one.name.starts_with("postgres") || one.name.starts_with("Postgre");
      const Contender& single =
          find(on_server ? "PostgreSQL itself" : "SQLite itself, 1", durability);
      const Contender& batch = find("SQLite itself, 64", durability);
      report.row({one.name, figure(one.typical()), times(one.ratio_to(single)),
                  on_server ? "-" : times(one.ratio_to(batch))});
    }
    const Contender& sqlite = find("sqlite, 64 waiting", Durability::full);
    report.require("sqlite, 64 waiting, full, by SQLite's single commits",
                   sqlite.ratio_to(find("SQLite itself, 1", Durability::full)), 5);
    report.require("sqlite, 64 waiting, full, by SQLite's 64 rows a commit",
                   sqlite.ratio_to(find("SQLite itself, 64", Durability::full)), 1.0 / 3);
    report.require("postgres, 64 waiting, full, by PostgreSQL's single commits",
                   find("postgres, 64 waiting", Durability::full)
                       .ratio_to(find("PostgreSQL itself", Durability::full)),
                   4);
    report.print(options_.json);
  }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  const core::Catalog kinds_ = catalog();
  std::unique_ptr<testing::PostgresServer> server_;
  std::vector<Group> groups_;
  std::vector<Contender> contenders_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::StoreBench(options).run();
  });
}
