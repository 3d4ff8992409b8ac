// One connection to PostgreSQL.
//
// Statements go out as pipelines: any number of steps, one round trip. Every
// wait for the server has a bound; a server that does not answer counts as
// lost. A lost connection stays lost: whoever owns it makes a new one, because
// only the owner knows what went down with the old one.
//
// Not for several threads at once.

#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "env/clock.h"
#include "store/libpq.h"
#include "store/postgres_sql.h"

namespace tyer::store {

// Where a server is. `name` is for people and never has a password in it.
struct Address {
  std::string url;
  std::string name;
};

[[nodiscard]] Result<Address> parse_address(const Libpq& pq, const std::string& url);

// The rows that a step answered.
class Rows {
 public:
  Rows(const Libpq& pq, PGresult* result) : pq_(&pq), result_(result, pq.PQclear) {}

  [[nodiscard]] int size() const { return pq_->PQntuples(result_.get()); }
  [[nodiscard]] bool is_null(int row, int column) const;
  [[nodiscard]] std::string_view text(int row, int column) const;

  // 0 for null. Requires a column of an integer type.
  [[nodiscard]] std::int64_t number(int row, int column) const;

  // What was done: "COMMIT".
  [[nodiscard]] std::string_view tag() const { return pq_->PQcmdStatus(result_.get()); }

 private:
  const Libpq* pq_;
  std::unique_ptr<PGresult, decltype(Libpq::PQclear)> result_;
};

using Value = std::optional<std::string>;

struct Step {
  Sql sql;
  std::vector<Value> values = {};
  bool flush = false;  // The server is to answer so far before it goes on.
};

// How far a pipeline came: the rows of the steps that succeeded, in order, and
// what stopped it.
struct Outcome {
  std::vector<Rows> rows = {};
  std::optional<Error> error = {};
};

class Connection {
 public:
  // Connects and runs `setup`, which may be several statements.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> connect(const Libpq& pq,
                                                                   const Address& address,
                                                                   const env::Clock& clock,
                                                                   const std::string& setup);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs the steps in one round trip; after one fails, the rest are skipped. A
  // value with a NUL byte, which PostgreSQL cannot keep, is `invalid`.
  [[nodiscard]] Outcome run(std::span<const Step> steps);
  [[nodiscard]] Result<Rows> query(Sql sql, std::vector<Value> values = {});

  // Runs statements that are separated by ';' without preparing them, and gives back the first
  // value of the last that has one.
  [[nodiscard]] Result<std::string> ask(const std::string& text);
  [[nodiscard]] Result<> script(const std::string& text);

  // Whether somebody stands between us and the server: it has said that it is another one.
  [[nodiscard]] bool is_behind_pooler() const { return is_behind_pooler_; }

  // Whether a notification came within `at_most`, at most an hour. All that are
  // there are taken.
  [[nodiscard]] Result<bool> wait(Span at_most);
  [[nodiscard]] int socket() const;

  // Ends the transaction that is open, if any.
  void rollback();

  [[nodiscard]] bool lost() const { return lost_; }

  // `invalid` if a pooler does not give this connection and `other` a session of the server each,
  // for as long as they are there: while one is in a transaction the other must have the process it
  // had before. What a session keeps would be lost: prepared statements, LISTEN, settings.
  [[nodiscard]] Result<> check_session(Connection& other);

  // Whether the last failure is one that passes: a lost connection, a deadlock.
  [[nodiscard]] bool again() const { return again_; }

  // Of the last failure, as the server said it; empty if it did not.
  [[nodiscard]] const std::string& sqlstate() const { return sqlstate_; }

 private:
  Connection(const Libpq& pq, const Address& address, const env::Clock& clock, PGconn* conn);

  [[nodiscard]] Result<> send(std::span<const Step> steps, std::vector<bool>& prepares);
  [[nodiscard]] Result<> receive(std::span<const Step> steps, const std::vector<bool>& prepares,
                                 std::vector<Rows>& rows);
  [[nodiscard]] Result<PGresult*> next(Span deadline);
  [[nodiscard]] Result<Rows> take(Span deadline);
  [[nodiscard]] Result<bool> pump(Span deadline);
  [[nodiscard]] Error refused(const PGresult* result);
  [[nodiscard]] Error mixed_sessions(std::string_view mode) const;
  [[nodiscard]] Error lose(std::string_view why);

  const Libpq& pq_;
  const std::string name_;
  const env::Clock& clock_;
  PGconn* const conn_;
  std::bitset<sql_count> prepared_;
  bool is_behind_pooler_ = false;
  bool lost_ = false;
  bool again_ = false;
  std::string sqlstate_;
};

}  // namespace tyer::store
