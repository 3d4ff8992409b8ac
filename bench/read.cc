// Reading a page: 1,000 subjects and 1,000 events, on every store, beside a bare
// SELECT of the same rows.

#include "changes.h"
#include "env/linux_env.h"
#include "raw_sqlite.h"
#include "report.h"
#include "rounds.h"
#include "store/open.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"

namespace tyer::bench {
namespace {

constexpr int reads_a_turn = 20;
constexpr std::size_t rows = limits::page_rows_max;
constexpr std::size_t events = 10 * rows;  // In the log; the page is from its middle.
constexpr std::uint64_t page_after = 5 * rows;

class ReadBench {
 public:
  explicit ReadBench(const Options& options) : options_(options) {}

  Result<> run() {
    TYER_TRY(server_, testing::PostgresServer::start());
    const std::string database = dir_ / "read.db";
    const std::string subjects_sql = fmt::format(
        "SELECT key, parent, status, due_at, rev, state FROM subject"
        " WHERE key > 'item/' AND key < 'item0' ORDER BY key LIMIT {}",
        rows);
    const std::string events_sql = fmt::format(
        "SELECT seq, key, rev, type, at, actor, cause, body FROM event"
        " WHERE seq > {} ORDER BY seq LIMIT {}",
        page_after, rows);
    TYER_TRY_OK(add_store("sqlite", "sqlite:" + database));
    TYER_TRY_OK(add_raw("SQLite itself, subjects", database, subjects_sql));
    TYER_TRY_OK(add_raw("SQLite itself, events", database, events_sql));
    TYER_TRY_OK(add_store("postgres", server_->url()));
    TYER_TRY_OK(add_store("files", "files:" + (dir_ / "files")));
    TYER_TRY_OK(run_rounds(contenders_, options_.rounds, options_.dir));
    print();
    return {};
  }

 private:
  using Read = std::function<Result<std::size_t>(const core::View&)>;

  Result<> add_store(const std::string& name, const std::string& url) {
    TYER_TRY(auto store, store::open(url, real_.env(), {.durability = store::Durability::normal}));
    TYER_TRY_OK(fill(*store, kinds_, events));
    stores_.push_back(std::move(store));
    add_read(name + ", subjects", [](const core::View& view) -> Result<std::size_t> {
      TYER_TRY(const auto page, view.subjects({.kind = "item", .limit = rows}));
      return page.size();
    });
    add_read(name + ", events", [](const core::View& view) -> Result<std::size_t> {
      TYER_TRY(const auto page, view.events({.after = page_after, .limit = rows}));
      return page.size();
    });
    return {};
  }

  void add_read(const std::string& name, const Read& read) {
    contend(name, [store = stores_.back().get(), read]() -> Result<std::size_t> {
      std::size_t count = 0;
      TYER_TRY_OK(store->read([&](const core::View& view) -> Result<> {
        TYER_TRY(count, read(view));
        return {};
      }));
      return count;
    });
  }

  Result<> add_raw(const std::string& name, const std::string& path, const std::string& sql) {
    TYER_TRY(auto raw, RawSqlite::open(path));
    raws_.push_back(std::move(raw));
    contend(name, [raw = raws_.back().get(), sql] { return raw->select(sql); });
    return {};
  }

  // Rows per second over a few pages.
  void contend(const std::string& name, const std::function<Result<std::size_t>()>& page) {
    contenders_.push_back({name, [this, page]() -> Result<double> {
                             const env::Clock& clock = real_.env().clock;
                             const Span start = clock.mono();
                             for (int i = 0; i < reads_a_turn; ++i) {
                               TYER_TRY(const std::size_t count, page());
                               TYER_CHECK(count == rows, "a page is full");
                             }
                             const Span took = clock.mono() - start;
                             return reads_a_turn * static_cast<double>(rows) * 1e6 /
                                    static_cast<double>(took.count());
                           }});
  }

  const Contender& find(std::string_view name) const {
    for (const Contender& one : contenders_) {
      if (one.name == name) return one;
    }
    check_failed("a contender has a known name", __FILE__, __LINE__);
  }

  void print() const {
    Report report("read", "Reading pages of 1,000 rows, rows a second", options_.dir);
    report.columns({"medians of the rounds", "rows a second", "x SQLite itself"});
    for (const Contender& one : contenders_) {
      const Contender& raw =
          find(one.name.ends_with("events") ? "SQLite itself, events" : "SQLite itself, subjects");
      report.row({one.name, figure(one.typical()), times(one.ratio_to(raw))});
    }
    report.print(options_.json);
  }

  const Options& options_;
  testing::TempDir dir_;
  env::LinuxEnv real_;
  const core::Catalog kinds_ = catalog();
  std::unique_ptr<testing::PostgresServer> server_;
  std::vector<std::unique_ptr<store::Store>> stores_;
  std::vector<std::unique_ptr<RawSqlite>> raws_;
  std::vector<Contender> contenders_;
};

}  // namespace
}  // namespace tyer::bench

int main(int argc, char** argv) {
  return tyer::bench::run_bench(argc, argv, [](const tyer::bench::Options& options) {
    return tyer::bench::ReadBench(options).run();
  });
}
