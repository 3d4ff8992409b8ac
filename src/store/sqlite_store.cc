#include "store/sqlite_store.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/check.h"
#include "env/file_watch.h"
#include "store/limits.h"
#include "store/recent.h"
#include "store/sqlite_conn.h"
#include "store/sqlite_schema.h"
#include "store/sqlite_vfs.h"
#include "store/sqlite_view.h"
#include "store/sqlite_writes.h"
#include "store/turnstile.h"

namespace tyer::store {
namespace {

constexpr std::size_t events_of_a_daemon = 500;  // Who writes so many is no short command.
// Pages of the log before it is folded into the database. Who writes a lot does so less often,
// since that is most of the writing; others keep it small, because whoever opens the file first
// reads all of it.
constexpr int log_pages_of_a_command = 500;
constexpr int log_pages_of_a_daemon = 8000;

// Counts commits of this process, for watches of a database in memory.
class Commits {
 public:
  void add() {
    {
      const std::scoped_lock lock(mutex_);
      ++count_;
    }
    changed_.notify_all();
  }

  // Waits until the count is not `seen` any more and returns it.
  std::uint64_t wait(std::uint64_t seen, Span at_most) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, at_most, [&] { return count_ != seen; });
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t count_ = 0;
};

class MemoryWatch final : public Watch {
 public:
  explicit MemoryWatch(std::shared_ptr<Commits> commits)
      : commits_(std::move(commits)), seen_(commits_->wait(0, 0us)) {}

  Result<bool> wait(Span at_most) override {
    const std::uint64_t before = seen_;
    seen_ = commits_->wait(before, at_most);
    return seen_ != before;
  }

 private:
  std::shared_ptr<Commits> commits_;
  std::uint64_t seen_;
};

class FileWatchHint final : public Watch {
 public:
  explicit FileWatchHint(std::unique_ptr<env::FileWatch> watch) : watch_(std::move(watch)) {}
  Result<bool> wait(Span at_most) override { return watch_->wait(at_most); }
  int fd() const override { return watch_->fd(); }

 private:
  std::unique_ptr<env::FileWatch> watch_;
};

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, env::Clock& clock, const Options& options,
              std::unique_ptr<SqliteConn> first, std::unique_ptr<Turnstile> queue)
      : path_(std::move(path)),
        clock_(clock),
        durability_(options.durability),
        fold_when_closed_(options.fold_when_closed),
        opened_(clock.mono()),
        queue_(std::move(queue)) {
    give_back(std::move(first));
    readers_ = 1;
  }

  ~SqliteStore() override {
    if (in_memory()) return;
    const bool was_long = clock_.mono() - opened_ >= limits::open_for_long;
    if (!fold_when_closed_ && !was_long) return;
    if (const auto writer = the_writer()) (*writer)->fold_log();
  }
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  Result<Begun> begin(std::span<const std::string> keys) override;
  Result<> commit(const Writes& writes) override;
  void rollback() override;
  Result<Time> now() override;
  Result<> read(const std::function<Result<>(const core::View&)>& reader) override;
  Result<std::unique_ptr<Watch>> watch() override;
  Result<std::vector<std::string>> check() override;
  [[nodiscard]] bool is_private() const override { return true; }
  std::string name() const override { return "sqlite:" + path_; }

 private:
  [[nodiscard]] bool in_memory() const { return queue_ == nullptr; }
  void let_next_writer_in();
  Result<SqliteConn*> the_writer();
  Result<std::unique_ptr<SqliteConn>> take_reader();
  void give_back(std::unique_ptr<SqliteConn> reader);

  const std::string path_;
  env::Clock& clock_;
  const Durability durability_;
  const bool fold_when_closed_;
  const Span opened_;  // By the monotonic clock.

  // Held from begin to commit or rollback, by the thread that began.
  std::timed_mutex writing_;
  std::unique_ptr<SqliteConn> writer_;  // Null: nobody has written yet.
  Recent recent_;
  std::optional<SqliteView> view_;          // The writer's.
  const std::unique_ptr<Turnstile> queue_;  // None in memory.
  std::size_t written_ = 0;                 // Events.

  std::mutex pool_mutex_;
  std::condition_variable pool_changed_;
  std::vector<std::unique_ptr<SqliteConn>> idle_readers_;
  std::size_t readers_ = 0;

  const std::shared_ptr<Commits> commits_ = std::make_shared<Commits>();
};

Result<Begun> SqliteStore::begin(std::span<const std::string> /*keys*/) {
  if (!writing_.try_lock_for(limits::store_wait_max)) {
    return fail(Fault::timeout, fmt::format("{}: another writer did not finish within {}", name(),
                                            describe_span(limits::store_wait_max)));
  }
  if (queue_) {
    if (const Result<> locked = queue_->enter(); !locked) {
      writing_.unlock();
      return std::unexpected(locked.error());
    }
  }
  const auto begun = [&]() -> Result<Begun> {
    TYER_TRY(SqliteConn* const writer, the_writer());
    TYER_TRY_OK(writer->query("BEGIN IMMEDIATE").run());
    TYER_TRY(const core::Head head, view_->head());
    auto version = writer->query("PRAGMA data_version");
    TYER_TRY_OK(version.next());
    recent_.begin(version.integer(0));
    return Begun{.view = &*view_, .head = head, .now = std::max(clock_.now(), head.at)};
  }();
  if (!begun) rollback();
  return begun;
}

Result<> SqliteStore::commit(const Writes& writes) {
  const auto committed = [&]() -> Result<> {
    TYER_TRY_OK(write_rows(*writer_, writes));
    std::optional<GatheredLog> gathered;
    if (durability_ == Durability::full) gathered.emplace(writer_->handle());
    TYER_TRY_OK(writer_->query("COMMIT").run());
    if (gathered) gathered->keep();
    return {};
  }();
  if (!committed) {
    recent_.clear();
    rollback();
    return committed;
  }
  if (writes.committed) writes.committed();
  for (const auto& [key, subject] : writes.subjects) recent_.put(key, subject);
  written_ += writes.events.size();
  if (queue_) queue_->announce();
  // Now and then it takes a while, so everybody who waits for the commit comes first.
  const bool is_daemon = written_ >= events_of_a_daemon;
  const int pages_max = is_daemon ? log_pages_of_a_daemon : log_pages_of_a_command;
  if (writer_->log_pages() >= pages_max) writer_->fold_log();
  let_next_writer_in();
  commits_->add();
  return {};
}

void SqliteStore::rollback() {
  // Fails only if no transaction is open, as after an error that ended it.
  if (writer_) (void)writer_->query("ROLLBACK").run();
  let_next_writer_in();
}

void SqliteStore::let_next_writer_in() {
  if (queue_) queue_->leave();
  writing_.unlock();
}

Result<Time> SqliteStore::now() {
  core::Head head;
  TYER_TRY_OK(read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    return {};
  }));
  return std::max(clock_.now(), head.at);
}

Result<> SqliteStore::read(const std::function<Result<>(const core::View&)>& reader) {
  if (in_memory()) {
    const std::scoped_lock lock(writing_);
    TYER_TRY_OK(the_writer());
    return reader(*view_);
  }
  TYER_TRY(std::unique_ptr<SqliteConn> conn, take_reader());
  const auto result = [&]() -> Result<> {
    TYER_TRY_OK(conn->query("BEGIN").run());
    return reader(SqliteView(*conn));
  }();
  (void)conn->query("ROLLBACK").run();
  give_back(std::move(conn));
  return result;
}

// Connections are alike until somebody writes: a command that only looks has but one. Requires the
// right to write.
Result<SqliteConn*> SqliteStore::the_writer() {
  if (writer_) return writer_.get();
  TYER_TRY(writer_, take_reader());
  {
    const std::scoped_lock lock(pool_mutex_);
    --readers_;
  }
  writer_->keep_log();
  view_.emplace(*writer_, &recent_);
  return writer_.get();
}

Result<std::unique_ptr<SqliteConn>> SqliteStore::take_reader() {
  std::unique_lock lock(pool_mutex_);
  const bool free = pool_changed_.wait_for(lock, limits::store_wait_max, [&] {
    return !idle_readers_.empty() || readers_ < limits::sqlite_readers_max;
  });
  if (!free) return fail(Fault::timeout, fmt::format("{}: too many readers at a time", name()));
  if (!idle_readers_.empty()) {
    auto conn = std::move(idle_readers_.back());
    idle_readers_.pop_back();
    return conn;
  }
  TYER_TRY(auto conn, SqliteConn::open(path_, SqliteConn::Mode::existing));
  TYER_TRY_OK(configure(*conn, durability_));
  ++readers_;
  return conn;
}

void SqliteStore::give_back(std::unique_ptr<SqliteConn> reader) {
  {
    const std::scoped_lock lock(pool_mutex_);
    idle_readers_.push_back(std::move(reader));
  }
  pool_changed_.notify_one();
}

Result<std::unique_ptr<Watch>> SqliteStore::watch() {
  if (in_memory()) return std::make_unique<MemoryWatch>(commits_);
  TYER_TRY(auto watch, env::FileWatch::open({Turnstile::watched(path_)}));
  return std::make_unique<FileWatchHint>(std::move(watch));
}

Result<std::vector<std::string>> SqliteStore::check() {
  const std::scoped_lock lock(writing_);
  TYER_TRY(SqliteConn* const writer, the_writer());
  return find_damage(*writer);
}

// Whether the file says that it has a write-ahead log. From then on nobody needs it alone.
Result<bool> has_log(const env::File& file) {
  constexpr std::size_t write_version = 18;  // Of the file format: 2 with a log.
  TYER_TRY(const std::string header, file.read(0, write_version + 1));
  return header.size() > write_version && header[write_version] == 2;
}

Result<std::unique_ptr<SqliteConn>> open_first(const std::string& path, const Options& options,
                                               bool alone) {
  TYER_TRY(auto conn, SqliteConn::open(path, options.create ? SqliteConn::Mode::create
                                                            : SqliteConn::Mode::existing));
  TYER_TRY_OK(configure(*conn, options.durability));
  TYER_TRY_OK(migrate(*conn, path, options.create));
  if (alone && options.create) TYER_TRY_OK(conn->run("PRAGMA journal_mode = WAL"));
  return conn;
}

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, env::Env& env,
                                           const Options& options) {
  std::unique_ptr<Turnstile> queue;
  bool alone = false;
  if (path != ":memory:") {
    // Made here and not by SQLite, so that it is the user's alone from the start.
    TYER_TRY(const auto file,
             env.files.open(path, options.create ? env::Open::write : env::Open::read));
    TYER_TRY(queue, Turnstile::open(env.files, path));
    // SQLite refuses, rather than waits, when two switch to the log at once or
    // one of them reads meanwhile.
    TYER_TRY(const bool ready, has_log(*file));
    alone = !ready;
  }
  if (alone) TYER_TRY_OK(queue->enter());
  auto conn = open_first(path, options, alone);
  if (alone) queue->leave();
  if (!conn) return std::unexpected(conn.error());
  return std::make_unique<SqliteStore>(path, env.clock, options, *std::move(conn),
                                       std::move(queue));
}

bool sqlite_lacks_log(const std::string& path, env::Files& files) {
  const auto file = files.open(path, env::Open::read);
  if (!file || !has_log(**file).value_or(false)) return false;
  // It is never made smaller while it is used, nor removed.
  const auto log = files.open(path + "-wal", env::Open::read);
  return !log ? log.error().fault == Fault::not_found : (*log)->size().value_or(1) == 0;
}

}  // namespace tyer::store
