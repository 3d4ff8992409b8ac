#include "store/postgres_conn.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "store/limits.h"

namespace tyer::store {
namespace {

// The longest that one pipeline may take: it may wait for a lock as long as allowed, then work.
constexpr Span answer_max = 2 * limits::store_wait_max;

// PostgreSQL explains at length; its first line is the sentence.
std::string first_line(const char* text) {
  const std::string_view all = text == nullptr ? "" : text;
  return printable(all.substr(0, all.find('\n')), 400);
}

// The end of the session, whether the socket has closed yet or not.
bool ends_session(std::string_view state) {
  return state.starts_with("08") || state.starts_with("57P") || state == "25P03";
}

bool passes(std::string_view state) {
  return state == "40001" || state == "40P01";
}

Fault fault_of(std::string_view state) {
  struct Row {
    std::string_view prefix;
    Fault fault;
  };
  static constexpr std::array rows{
      Row{"53100", Fault::limit},     // Disk full.
      Row{"54", Fault::limit},        // Too long, too many columns.
      Row{"42501", Fault::denied},    // Not the owner, no right.
      Row{"55P03", Fault::timeout},   // lock_timeout.
      Row{"57014", Fault::timeout},   // statement_timeout.
      Row{"22021", Fault::invalid},   // Not UTF-8.
      Row{"22P05", Fault::invalid},   // Not in the database's encoding.
      Row{"40", Fault::unavailable},  // Rolled back: deadlock, standby conflict.
      Row{"25", Fault::unavailable},  // Read-only server, transaction ended.
      Row{"08", Fault::unavailable},  // Connection.
      Row{"53", Fault::unavailable},  // Memory, connections.
      Row{"57", Fault::unavailable},  // Shutdown.
      Row{"58", Fault::unavailable},  // Input and output.
  };
  for (const Row& row : rows) {
    if (state.starts_with(row.prefix)) return row.fault;
  }
  return Fault::broken;
}

}  // namespace

Result<Address> parse_address(const Libpq& pq, const std::string& url) {
  char* why = nullptr;
  PQconninfoOption* const options = pq.PQconninfoParse(url.c_str(), &why);
  // What libpq says of a bad URL may quote the password.
  if (why != nullptr) pq.PQfreemem(why);
  if (options == nullptr) {
    return fail(Fault::invalid,
                "the PostgreSQL URL cannot be read; write it like "
                "postgres://USER:PASSWORD@HOST:5432/DATABASE, with %XX for special characters");
  }
  const auto value = [options](std::string_view keyword) -> std::string {
    for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
      if (option->keyword == keyword) return option->val == nullptr ? "" : option->val;
    }
    return "";
  };
  const std::string user = value("user");
  const std::string host = value("host").empty() ? value("hostaddr") : value("host");
  const std::string port = value("port");
  const bool is_socket = host.starts_with('/');
  std::string name = "postgres://";
  if (!user.empty()) name += user + "@";
  if (!is_socket) name += host;
  if (!port.empty()) name += ":" + port;
  name += "/" + value("dbname");
  if (is_socket) name += "?host=" + host;
  pq.PQconninfoFree(options);
  return Address{url, printable(name)};
}

bool Rows::is_null(int row, int column) const {
  return pq_->PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view Rows::text(int row, int column) const {
  return {pq_->PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(pq_->PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::number(int row, int column) const {
  if (is_null(row, column)) return 0;
  const std::string_view digits = text(row, column);
  std::int64_t value = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  TYER_CHECK(end.ec == std::errc{}, "an integer column holds an integer");
  return value;
}

Result<std::unique_ptr<Connection>> Connection::connect(const Libpq& pq, const Address& address,
                                                        const env::Clock& clock,
                                                        const std::string& setup) {
  const std::string patience = fmt::format("{}", limits::store_connect_max / 1s);
  // What comes before the URL it may override, what comes after it may not.
  const std::array keywords{"connect_timeout", "fallback_application_name", "dbname",
                            "client_encoding", static_cast<const char*>(nullptr)};
  const std::array values{patience.c_str(), "tyer", address.url.c_str(), "UTF8",
                          static_cast<const char*>(nullptr)};
  PGconn* const conn = pq.PQconnectdbParams(keywords.data(), values.data(), 1);
  TYER_CHECK(conn != nullptr, "there is memory for a connection");
  std::unique_ptr<Connection> made(new Connection(pq, address, clock, conn));
  if (pq.PQstatus(conn) != CONNECTION_OK) {
    return fail(Fault::unavailable, fmt::format("cannot connect to PostgreSQL at {}: {}",
                                                address.name, first_line(pq.PQerrorMessage(conn))));
  }
  const char* const encoding = pq.PQparameterStatus(conn, "server_encoding");
  if (encoding != nullptr && std::string_view(encoding) != "UTF8") {
    return fail(Fault::invalid,
                fmt::format("the database at {} has the encoding {}: make one with UTF8 (createdb "
                            "--encoding=UTF8 --template=template0)",
                            address.name, encoding));
  }
  // In one round trip. A pooler tells a number of its own for the server's process.
  TYER_TRY(const std::string process, made->ask(setup + "; SELECT pg_backend_pid()"));
  made->is_behind_pooler_ = process != std::to_string(pq.PQbackendPID(conn));
  return made;
}

Connection::Connection(const Libpq& pq, const Address& address, const env::Clock& clock,
                       PGconn* conn)
    : pq_(pq), name_(address.name), clock_(clock), conn_(conn) {
  pq_.PQsetnonblocking(conn_, 1);
  // Otherwise libpq prints notices, such as that of a shutdown, to standard error.
  pq_.PQsetNoticeProcessor(conn_, [](void*, const char*) {}, nullptr);
}

Connection::~Connection() {
  pq_.PQfinish(conn_);
}

Outcome Connection::run(std::span<const Step> steps) {
  Outcome outcome;
  again_ = lost_;
  sqlstate_.clear();
  std::vector<bool> prepares(steps.size());
  Result<> result = send(steps, prepares);
  if (result) result = receive(steps, prepares, outcome.rows);
  if (!result) outcome.error = std::move(result).error();
  return outcome;
}

Result<Rows> Connection::query(Sql sql, std::vector<Value> values) {
  const Step step{sql, std::move(values)};
  Outcome outcome = run({&step, 1});
  if (outcome.error) return std::unexpected(*std::move(outcome.error));
  return std::move(outcome.rows.front());
}

Result<> Connection::script(const std::string& text) {
  TYER_TRY_OK(ask(text));
  return {};
}

Result<std::string> Connection::ask(const std::string& text) {
  again_ = lost_;
  sqlstate_.clear();
  if (lost_ || pq_.PQsendQuery(conn_, text.c_str()) == 0) {
    return std::unexpected(lose(first_line(pq_.PQerrorMessage(conn_))));
  }
  const Span deadline = clock_.mono() + answer_max;
  Result<std::string> result;
  // An answer for each statement, then nothing.
  while (true) {
    TYER_TRY(PGresult* const answer, next(deadline));
    if (answer == nullptr) return result;
    const Rows rows(pq_, answer);
    const ExecStatusType status = pq_.PQresultStatus(answer);
    if (status == PGRES_TUPLES_OK && rows.size() > 0 && result)
      result = std::string(rows.text(0, 0));
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) continue;
    if (result) result = std::unexpected(refused(answer));
    if (lost_) return result;
  }
}

int Connection::socket() const {
  return pq_.PQsocket(conn_);
}

Result<bool> Connection::wait(Span at_most) {
  again_ = lost_;
  const Span deadline = clock_.mono() + std::min<Span>(at_most, 1h);
  while (true) {
    if (lost_ || pq_.PQconsumeInput(conn_) == 0) {
      return std::unexpected(lose(first_line(pq_.PQerrorMessage(conn_))));
    }
    bool told = false;
    while (PGnotify* const note = pq_.PQnotifies(conn_)) {
      pq_.PQfreemem(note);
      told = true;
    }
    if (told) return true;
    const Span left = std::max(Span{0}, deadline - clock_.mono());
    pollfd waiting{pq_.PQsocket(conn_), POLLIN, 0};
    const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    if (::poll(&waiting, 1, static_cast<int>(millis)) == 0) return false;
  }
}

void Connection::rollback() {
  if (lost_ || pq_.PQtransactionStatus(conn_) == PQTRANS_IDLE) return;
  if (const Result<Rows> done = query(Sql::rollback); !done) lost_ = true;
}

Result<> Connection::send(std::span<const Step> steps, std::vector<bool>& prepares) {
  for (const Step& step : steps) {
    for (const Value& value : step.values) {
      if (value && value->find('\0') != std::string::npos) {
        return fail(Fault::invalid,
                    fmt::format("PostgreSQL cannot keep a text with a NUL byte: '{}'",
                                printable(*value, 80)));
      }
    }
  }
  bool sent = !lost_ && pq_.PQenterPipelineMode(conn_) == 1;
  std::bitset<sql_count> known = prepared_;
  std::vector<const char*> texts;
  for (std::size_t i = 0; sent && i < steps.size(); ++i) {
    const Step& step = steps[i];
    const Statement& wanted = statement(step.sql);
    const auto place = static_cast<std::size_t>(step.sql);
    if (!known[place]) {
      sent = pq_.PQsendPrepare(conn_, wanted.name, wanted.text, 0, nullptr) == 1;
      prepares[i] = true;
      known.set(place);
    }
    texts.clear();
    for (const Value& value : step.values) texts.push_back(value ? value->c_str() : nullptr);
    sent = sent && pq_.PQsendQueryPrepared(conn_, wanted.name, static_cast<int>(texts.size()),
                                           texts.data(), nullptr, nullptr, 0) == 1;
    if (step.flush) sent = sent && pq_.PQsendFlushRequest(conn_) == 1;
  }
  if (sent && pq_.PQpipelineSync(conn_) == 1) return {};
  return std::unexpected(lose(first_line(pq_.PQerrorMessage(conn_))));
}

Result<> Connection::receive(std::span<const Step> steps, const std::vector<bool>& prepares,
                             std::vector<Rows>& rows) {
  const Span deadline = clock_.mono() + answer_max;
  Result<> result;
  const auto note = [&result](Error error) {
    if (result) result = std::unexpected(std::move(error));
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (prepares[i]) {
      if (Result<Rows> done = take(deadline)) {
        prepared_.set(static_cast<std::size_t>(steps[i].sql));
      } else {
        note(std::move(done).error());
      }
      if (lost_) return result;
    }
    if (Result<Rows> answer = take(deadline)) {
      rows.push_back(*std::move(answer));
    } else {
      note(std::move(answer).error());
    }
    if (lost_) return result;
  }
  TYER_TRY(PGresult* const end, next(deadline));
  const bool synced = end != nullptr && pq_.PQresultStatus(end) == PGRES_PIPELINE_SYNC;
  pq_.PQclear(end);
  if (!synced || pq_.PQexitPipelineMode(conn_) == 0) {
    // The answers are all here; only the connection is of no more use.
    const Error error = lose(first_line(pq_.PQerrorMessage(conn_)));
    if (rows.size() < steps.size()) note(error);
  }
  return result;
}

// The next answer, or nothing at the end of a step's answers.
Result<PGresult*> Connection::next(Span deadline) {
  while (pq_.PQisBusy(conn_) != 0) {
    TYER_TRY(const bool more, pump(deadline));
    if (!more) break;  // Closed. PQgetResult says so, and does not wait.
  }
  return pq_.PQgetResult(conn_);
}

Result<Rows> Connection::take(Span deadline) {
  TYER_TRY(PGresult* const answer, next(deadline));
  if (answer == nullptr) return std::unexpected(lose(first_line(pq_.PQerrorMessage(conn_))));
  Rows rows(pq_, answer);
  const ExecStatusType status = pq_.PQresultStatus(answer);
  Result<Rows> result = std::move(rows);
  if (status == PGRES_PIPELINE_ABORTED) {
    result = fail(Fault::cancelled, "an earlier step failed");
  } else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    result = std::unexpected(refused(answer));
    if (lost_) return result;
  }
  TYER_TRY(PGresult* const end, next(deadline));
  if (end == nullptr) return result;
  pq_.PQclear(end);
  return std::unexpected(lose("the server's answers are out of step"));
}

// Sends and receives what can be. False if the connection was closed.
Result<bool> Connection::pump(Span deadline) {
  if (pq_.PQsocket(conn_) < 0) return false;
  const bool unsent = pq_.PQflush(conn_) == 1;
  pollfd waiting{pq_.PQsocket(conn_), static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN), 0};
  const Span left = std::max(Span{0}, deadline - clock_.mono());
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  if (::poll(&waiting, 1, static_cast<int>(millis)) == 0) {
    return std::unexpected(lose(fmt::format("no answer within {}", describe_span(answer_max))));
  }
  return pq_.PQconsumeInput(conn_) == 1;
}

Error Connection::refused(const PGresult* result) {
  const char* const state = pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE);
  sqlstate_ = state == nullptr ? "" : state;
  const char* const said = pq_.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string why = first_line(said == nullptr ? pq_.PQerrorMessage(conn_) : said);
  if (ends_session(sqlstate_) || pq_.PQstatus(conn_) != CONNECTION_OK) return lose(why);
  again_ = passes(sqlstate_);
  // A statement that another session has prepared, or that this one has and another is asked for.
  if (is_behind_pooler_ && (sqlstate_ == "42P05" || sqlstate_ == "26000")) {
    return mixed_sessions("transaction");
  }
  return {fault_of(sqlstate_), fmt::format("PostgreSQL at {}: {}", name_, why)};
}

Error Connection::mixed_sessions(std::string_view mode) const {
  return {Fault::invalid,
          fmt::format("a pooler before PostgreSQL at {} gives every {} another session (pgbouncer: "
                      "pool_mode = {}), and tyer needs one that stays: set pool_mode = session "
                      "for this database, or give tyer the server's own address",
                      name_, mode, mode)};
}

Result<> Connection::check_session(Connection& other) {
  const std::string who = "SELECT pg_backend_pid()";
  for (int look = 0; look < limits::pooler_looks; ++look) {
    TYER_TRY(const std::string before, ask(who));
    if (const Result<> begun = other.script("BEGIN"); !begun) {
      const bool is_forbidden = other.sqlstate() == "08P01";
      return std::unexpected(is_forbidden ? mixed_sessions("statement") : begun.error());
    }
    TYER_TRY(const std::string others, other.ask(who));
    if (others == before) return std::unexpected(mixed_sessions("transaction"));
    TYER_TRY(const std::string after, ask(who));
    if (after != before) return std::unexpected(mixed_sessions("transaction"));
    TYER_TRY_OK(other.script("COMMIT"));
  }
  return {};
}

Error Connection::lose(std::string_view why) {
  lost_ = true;
  again_ = true;
  return {Fault::unavailable, fmt::format("the connection to PostgreSQL at {} was lost: {}", name_,
                                          why.empty() ? "it was closed" : why)};
}

}  // namespace tyer::store
