#include "store/postgres_schema.h"

#include <vector>

#include <fmt/format.h>

#include "store/migrations.h"
#include "store/postgres_search.h"

namespace tyer::store {
namespace {

std::vector<Migration> known_steps() {
  std::vector<Migration> steps;
  for (const Migration& migration : migrations()) {
    if (migration.dialect == "postgres") steps.push_back(migration);
  }
  return steps;
}

// Nothing if there is no table of ours.
Result<std::optional<std::int64_t>> schema_number(Connection& connection) {
  TYER_TRY(const Rows exists, connection.query(Sql::schema_exists));
  if (exists.text(0, 0) != "t") return std::nullopt;
  TYER_TRY(const Rows number, connection.query(Sql::schema_number));
  return number.number(0, 0);
}

// Applies the step after the newest one that is there, unless another program was first.
Result<> apply_next(Connection& connection, const std::vector<Migration>& steps, Span wait_max) {
  TYER_TRY_OK(connection.query(Sql::begin));
  TYER_TRY_OK(connection.query(
      Sql::lock, {std::to_string(advisory_key("schema")), std::to_string(wait_max / 1ms)}));
  TYER_TRY_OK(
      connection.script("CREATE TABLE IF NOT EXISTS tyer_schema ("
                        "number int PRIMARY KEY, applied_at timestamptz NOT NULL)"));
  TYER_TRY(const std::optional<std::int64_t> number, schema_number(connection));
  const auto done = static_cast<std::size_t>(number.value_or(0));
  if (done < steps.size()) {
    const Migration& step = steps[done];
    TYER_TRY_OK(connection.script(std::string(step.sql)));
    if (step.number == search_step) TYER_TRY_OK(fill_search(connection));
    TYER_TRY_OK(connection.query(Sql::schema_add, {std::to_string(step.number)}));
  }
  TYER_TRY_OK(connection.query(Sql::commit));
  return {};
}

}  // namespace

Result<> migrate(Connection& connection, const Address& address, bool create, Span wait_max) {
  const std::vector<Migration> steps = known_steps();
  const auto newest = static_cast<std::int64_t>(steps.size());
  // Each turn leaves the database at least one step further.
  for (std::size_t turn = 0; turn <= steps.size(); ++turn) {
    TYER_TRY(const std::optional<std::int64_t> number, schema_number(connection));
    if (!number && !create) {
      return fail(Fault::not_found, fmt::format("there is no tyer store at {}", address.name));
    }
    if (number.value_or(0) > newest) {
      return fail(Fault::conflict,
                  fmt::format("{}: the database was made by a newer tyer (schema {}, this one "
                              "knows {}): upgrade tyer",
                              address.name, *number, newest));
    }
    if (number == newest) return {};
    if (Result<> applied = apply_next(connection, steps, wait_max); !applied) {
      connection.rollback();
      return applied;
    }
  }
  return fail(
      Fault::broken,
      fmt::format("{}: the table tyer_schema does not keep what is written to it", address.name));
}

}  // namespace tyer::store
