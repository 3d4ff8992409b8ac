// PostgreSQL as bare as libpq allows: one prepared INSERT, which is its own
// transaction, over the unix socket.

#pragma once

#include <array>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "env/clock.h"
#include "store/libpq.h"
#include "store/store.h"

namespace tyer::bench {

class RawPostgres {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RawPostgres>> open(const std::string& url,
                                                                 store::Durability durability) {
    TYER_TRY(const store::Libpq* const pq, store::libpq());
    std::unique_ptr<RawPostgres> raw(new RawPostgres(*pq));
    const std::array names{"dbname", static_cast<const char*>(nullptr)};
    const std::array values{url.c_str(), static_cast<const char*>(nullptr)};
    raw->conn_ = pq->PQconnectdbParams(names.data(), values.data(), 1);
    const bool full = durability == store::Durability::full;
    const std::string table = full ? "raw_full" : "raw_normal";
    pq->PQsendQuery(raw->conn_, fmt::format("SET synchronous_commit = {}; CREATE TABLE {} "
                                            "(id bigserial PRIMARY KEY, body text)",
                                            full ? "on" : "off", table)
                                    .c_str());
    TYER_TRY_OK(raw->finish());
    pq->PQsendPrepare(raw->conn_, "insert",
                      fmt::format("INSERT INTO {} (body) VALUES ($1)", table).c_str(), 1, nullptr);
    TYER_TRY_OK(raw->finish());
    return raw;
  }
  ~RawPostgres() { pq_.PQfinish(conn_); }
  RawPostgres(const RawPostgres&) = delete;
  RawPostgres& operator=(const RawPostgres&) = delete;

  // Rows of 300 bytes per second, each with its own commit.
  [[nodiscard]] Result<double> insert_rate(const env::Clock& clock, Span at_most) {
    const char* const value = body_.c_str();
    std::size_t rows = 0;
    const Span start = clock.mono();
    Span now = start;
    for (; now < start + at_most; now = clock.mono(), ++rows) {
      pq_.PQsendQueryPrepared(conn_, "insert", 1, &value, nullptr, nullptr, 0);
      TYER_TRY_OK(finish());
    }
    return static_cast<double>(rows) * 1e6 / static_cast<double>((now - start).count());
  }

 private:
  explicit RawPostgres(const store::Libpq& pq) : pq_(pq) {}

  // Takes the results of what was sent.
  [[nodiscard]] Result<> finish() {
    bool good = false;
    while (PGresult* const result = pq_.PQgetResult(conn_)) {
      good = pq_.PQresultStatus(result) == PGRES_COMMAND_OK;
      pq_.PQclear(result);
    }
    if (good) return {};
    return fail(Fault::unavailable, fmt::format("raw PostgreSQL: {}", pq_.PQerrorMessage(conn_)));
  }

  const store::Libpq& pq_;
  PGconn* conn_ = nullptr;
  const std::string body_ = std::string(300, 'x');
};

}  // namespace tyer::bench
