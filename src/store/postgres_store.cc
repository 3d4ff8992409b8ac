#include "store/postgres_store.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "store/postgres_bulk.h"
#include "store/postgres_check.h"
#include "store/postgres_conn.h"
#include "store/postgres_schema.h"
#include "store/postgres_view.h"
#include "store/postgres_writes.h"

namespace tyer::store {
namespace {

// A server that restarts is soon back; who needs longer is told so.
constexpr std::array pauses{100ms, 400ms};
constexpr std::size_t tries_max = pauses.size() + 1;

using Act = std::function<Result<>(Connection&)>;

// How the connections of one store are made.
struct Server {
  const Libpq& pq;
  const env::Clock& clock;
  Address address;

  [[nodiscard]] Result<std::unique_ptr<Connection>> connect(const std::string& setup) const {
    return Connection::connect(pq, address, clock, setup);
  }
};

// Runs `act` on `connection`, which is made if there is none. If the connection
// is lost or the server wants a repetition, `act` is run again, from its start.
// No transaction is left open by an error.
Result<> persist(const Server& server, const std::string& setup,
                 std::unique_ptr<Connection>& connection, const Act& act) {
  for (std::size_t tries = 1;; ++tries) {
    Result<> result;
    bool again = true;
    bool connected = true;
    if (!connection) {
      if (auto made = server.connect(setup)) {
        connection = *std::move(made);
      } else {
        connected = false;
        again = made.error().fault == Fault::unavailable;
        result = std::unexpected(std::move(made).error());
      }
    }
    if (connected) {
      result = act(*connection);
      if (result) return result;
      again = connection->again();
      connection->rollback();
      if (connection->lost()) connection.reset();
    }
    if (!again || tries == tries_max) return result;
    // After a loss at once; while the server cannot be reached, a little later.
    if (!connected) ::poll(nullptr, 0, static_cast<int>(pauses[tries - 1].count()));
  }
}

// The planner knows nothing of a young table and would read all of it; our
// statements are written for the indexes, whatever the values.
std::string setup_for_reading() {
  return "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;"
         " SET enable_bitmapscan = off";
}

// The server ends a transaction that is left idle for `stall_max`.
std::string setup_for_writing(Durability durability, Span stall_max) {
  return fmt::format(
      "{}; SET synchronous_commit = {}; SET idle_in_transaction_session_timeout = {}",
      setup_for_reading(), durability == Durability::full ? "on" : "off", stall_max / 1ms);
}

class PostgresWatch final : public Watch {
 public:
  PostgresWatch(const Server& server, std::string setup)
      : server_(server), setup_(std::move(setup)) {}

  // What was told while there was no connection is lost, so a new one counts as news.
  [[nodiscard]] Result<bool> wait(Span at_most) override {
    bool renewed = connection_ == nullptr;
    bool repeated = false;
    bool told = false;
    TYER_TRY_OK(persist(server_, setup_, connection_, [&](Connection& connection) -> Result<> {
      renewed = renewed || std::exchange(repeated, true);
      TYER_TRY(told, connection.wait(renewed ? Span{0} : at_most));
      return {};
    }));
    return told || renewed;
  }

  [[nodiscard]] int fd() const override { return connection_ ? connection_->socket() : -1; }

 private:
  const Server server_;
  const std::string setup_;
  std::unique_ptr<Connection> connection_;
};

class PostgresStore final : public Store {
 public:
  PostgresStore(Server server, const Options& options, Span wait_max)
      : server_(std::move(server)),
        space_(options.space),
        lock_key_(std::to_string(advisory_key("space/" + options.space))),
        reader_setup_(setup_for_reading()),
        writer_setup_(setup_for_writing(options.durability, wait_max / 2)),
        wait_max_(wait_max) {}

  [[nodiscard]] Result<> prepare(bool create) {
    return persist(server_, writer_setup_, writer_, [&](Connection& connection) -> Result<> {
      if (connection.is_behind_pooler()) {
        TYER_TRY(const auto other, server_.connect(reader_setup_));
        TYER_TRY_OK(connection.check_session(*other));
      }
      return migrate(connection, server_.address, create, wait_max_);
    });
  }

  [[nodiscard]] Result<Begun> begin(std::span<const std::string> keys) override {
    const Span deadline = server_.clock.mono() + wait_max_;
    TYER_TRY_OK(enter());
    Begun begun;
    const Result<> result =
        persist(server_, writer_setup_, writer_, [&](Connection& connection) -> Result<> {
          TYER_TRY(begun, lock(connection, deadline, keys));
          return {};
        });
    if (!result) {
      leave();
      return std::unexpected(result.error());
    }
    view_.emplace(*writer_, space_);
    begun.view = &*view_;
    head_ = begun.head.seq;
    return begun;
  }

  [[nodiscard]] Result<> commit(const Writes& writes) override {
    TYER_CHECK(view_.has_value(), "a transaction was begun");
    Result<> result;
    if (writes.empty()) {
      writer_->rollback();
    } else {
      result = send(writes);
    }
    finish();
    return result;
  }

  void rollback() override {
    TYER_CHECK(view_.has_value(), "a transaction was begun");
    writer_->rollback();
    finish();
  }

  [[nodiscard]] Result<Time> now() override {
    Time now{};
    TYER_TRY_OK(reading([&](Connection& connection) -> Result<> {
      TYER_TRY(const Rows rows, connection.query(Sql::head, {space_}));
      now = read_head(rows).now;
      return {};
    }));
    return now;
  }

  [[nodiscard]] Result<> read(const std::function<Result<>(const core::View&)>& reader) override {
    return reading(
        [&](Connection& connection) { return reader(PostgresView(connection, space_)); });
  }

  [[nodiscard]] Result<std::unique_ptr<Watch>> watch() override {
    auto made = std::make_unique<PostgresWatch>(server_, "LISTEN " + channel(space_));
    TYER_TRY_OK(made->wait(Span{0}));
    return made;
  }

  [[nodiscard]] Result<std::vector<std::string>> check() override {
    std::vector<std::string> findings;
    TYER_TRY_OK(reading([&](Connection& connection) -> Result<> {
      TYER_TRY(findings, check_space(connection, space_));
      return {};
    }));
    return findings;
  }

  [[nodiscard]] std::string name() const override {
    return space_ == Options{}.space ? server_.address.name
                                     : fmt::format("{} (space {})", server_.address.name, space_);
  }

 private:
  // Opens the write transaction. Only what the lock's last owner committed is
  // seen by the statement after it.
  [[nodiscard]] Result<Begun> lock(Connection& connection, Span deadline,
                                   std::span<const std::string> keys) const {
    const Span left = std::max<Span>(1ms, deadline - server_.clock.mono());
    std::vector<Step> steps{
        {Sql::begin}, {Sql::lock, {lock_key_, std::to_string(left / 1ms)}}, {Sql::head, {space_}}};
    if (!keys.empty()) {
      const std::string list = to_array(keys);
      steps.push_back({Sql::subjects_of, {space_, list}});
      steps.push_back({Sql::leases_of, {space_, list}});
    }
    const Outcome outcome = connection.run(steps);
    if (outcome.error) {
      if (outcome.error->fault == Fault::timeout) return std::unexpected(too_long());
      return std::unexpected(*outcome.error);
    }
    const HeadRow row = read_head(outcome.rows[2]);
    Begun begun{.head = row.head, .now = row.now};
    if (!keys.empty()) {
      begun.subjects = read_subjects(outcome.rows[3], keys);
      begun.leases = read_leases(outcome.rows[4], keys);
    }
    return begun;
  }

  [[nodiscard]] Error too_long() const {
    return {Fault::timeout,
            fmt::format("{}: another writer was busy for {}", name(), describe_span(wait_max_))};
  }

  [[nodiscard]] Result<> send(const Writes& writes) {
    std::vector<Step> steps = to_steps(space_, writes);
    const std::size_t xid_at = steps.size();
    // Flushed, so that the id is here before the commit can be in doubt.
    steps.push_back({.sql = Sql::xid, .flush = true});
    steps.push_back({Sql::commit});
    // Inside the transaction it would hold, through the wait for the disk, a lock
    // that all spaces of the server share.
    if (!writes.events.empty() || !writes.leases.empty()) {
      const std::uint64_t head = writes.events.empty() ? head_ : writes.events.back().seq;
      steps.push_back({Sql::notify, {channel(space_), std::to_string(head)}});
    }

    const bool was_lost = writer_->lost();
    const Outcome outcome = writer_->run(steps);
    if (outcome.rows.size() > xid_at + 1) {
      if (outcome.rows[xid_at + 1].tag() == "COMMIT") return {};
      return fail(Fault::unavailable, fmt::format("{}: the transaction had failed before; nothing "
                                                  "was committed",
                                                  name()));
    }
    if (was_lost || !writer_->lost()) {
      writer_->rollback();
      return fail(outcome.error->fault, outcome.error->what + "; nothing was committed");
    }
    const bool has_xid = outcome.rows.size() > xid_at;
    return settle(writes, has_xid ? std::string(outcome.rows[xid_at].text(0, 0)) : "",
                  *outcome.error);
  }

  // Finds out what became of a commit whose answer was lost.
  [[nodiscard]] Result<> settle(const Writes& writes, const std::string& xid, const Error& why) {
    writer_.reset();
    const Span deadline = server_.clock.mono() + wait_max_;
    std::optional<bool> committed;
    const Result<> asked =
        persist(server_, writer_setup_, writer_, [&](Connection& connection) -> Result<> {
          TYER_TRY_OK(lock(connection, deadline, {}));
          TYER_TRY(committed, was_committed(connection, space_, writes, xid));
          connection.rollback();
          return {};
        });
    if (!asked || !committed) {
      return fail(Fault::unavailable,
                  why.what + "; it may or may not have been committed: look before you repeat it");
    }
    if (*committed) return {};
    return fail(Fault::unavailable, why.what + "; nothing was committed");
  }

  // Lets one thread at a time be the writer.
  [[nodiscard]] Result<> enter() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, wait_max_, [this] { return !writing_; })) {
      return std::unexpected(too_long());
    }
    writing_ = true;
    return {};
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    changed_.notify_all();
  }

  void finish() {
    view_.reset();
    if (writer_ && writer_->lost()) writer_.reset();
    leave();
  }

  // Runs `act` in a read-only transaction on a connection of the pool.
  [[nodiscard]] Result<> reading(const Act& act) {
    std::unique_ptr<Connection> connection;
    {
      std::unique_lock lock(mutex_);
      const auto is_free = [this] { return readers_ < limits::store_readers_max; };
      if (!changed_.wait_for(lock, wait_max_, is_free)) {
        return fail(Fault::timeout,
                    fmt::format("{}: all {} connections for reading were busy for {}", name(),
                                limits::store_readers_max, describe_span(wait_max_)));
      }
      ++readers_;
      if (!idle_.empty()) {
        connection = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    const Result<> result =
        persist(server_, reader_setup_, connection, [&](Connection& reader) -> Result<> {
          TYER_TRY_OK(reader.query(Sql::begin_read));
          TYER_TRY_OK(act(reader));
          TYER_TRY_OK(reader.query(Sql::commit));
          return {};
        });
    const std::lock_guard lock(mutex_);
    --readers_;
    if (connection) idle_.push_back(std::move(connection));
    changed_.notify_all();
    return result;
  }

  const Server server_;
  const std::string space_;
  const std::string lock_key_;
  const std::string reader_setup_;
  const std::string writer_setup_;
  const Span wait_max_;

  std::mutex mutex_;
  std::condition_variable changed_;  // Any of the three.
  bool writing_ = false;
  std::size_t readers_ = 0;  // At work.
  std::vector<std::unique_ptr<Connection>> idle_;

  // The writing thread's.
  std::unique_ptr<Connection> writer_;
  std::optional<PostgresView> view_;
  std::uint64_t head_ = 0;
};

}  // namespace

Result<std::unique_ptr<Store>> open_postgres(const std::string& url, env::Env& env,
                                             const Options& options, Span wait_max) {
  if (options.space.empty() || options.space.find('\0') != std::string::npos) {
    return fail(Fault::invalid, "the space of a PostgreSQL store must have a name");
  }
  TYER_TRY(const Libpq* const pq, libpq());
  TYER_TRY(Address address, parse_address(*pq, url));
  auto store = std::make_unique<PostgresStore>(Server{*pq, env.clock, std::move(address)}, options,
                                               wait_max);
  TYER_TRY_OK(store->prepare(options.create));
  return store;
}

}  // namespace tyer::store
