#include "store/postgres_check.h"

#include <fmt/format.h>

#include "core/lease.h"
#include "core/limits.h"
#include "store/postgres_view.h"

namespace tyer::store {
namespace {

constexpr int findings_max = 100;  // Of one sort.

using Findings = std::vector<std::string>;

Result<> check_log(Connection& connection, const std::string& space, Findings& findings) {
  const std::string limit = std::to_string(findings_max);
  TYER_TRY(const Rows gaps, connection.query(Sql::check_gaps, {space, limit}));
  for (int row = 0; row < gaps.size(); ++row) {
    findings.push_back(fmt::format("event {} follows event {}: the events between them are missing",
                                   gaps.text(row, 0), gaps.text(row, 1)));
  }
  TYER_TRY(const Rows twins, connection.query(Sql::check_revs, {space, limit}));
  for (int row = 0; row < twins.size(); ++row) {
    findings.push_back(fmt::format("{} has {} events that all made revision {}", twins.text(row, 0),
                                   twins.text(row, 2), twins.text(row, 1)));
  }
  return {};
}

Result<> check_leases(Connection& connection, const std::string& space, Findings& findings) {
  std::string after;
  const std::size_t before = findings.size();
  // Ends with the last page: keys only grow.
  while (findings.size() < before + findings_max) {
    TYER_TRY(const Rows rows,
             connection.query(Sql::leases, {space, after, std::to_string(limits::page_rows_max)}));
    for (int row = 0; row < rows.size(); ++row) {
      after = rows.text(row, 0);
      const Result<core::Lease> lease = core::decode_lease(after, rows.text(row, 1));
      if (lease) continue;
      findings.push_back(
          fmt::format("the lease of {} cannot be read: {}", after, lease.error().what));
    }
    if (static_cast<std::size_t>(rows.size()) < limits::page_rows_max) break;
  }
  return {};
}

Result<> check_cursors(Connection& connection, const std::string& space, Findings& findings) {
  const PostgresView view(connection, space);
  TYER_TRY(const core::Head head, view.head());
  TYER_TRY(const std::vector<core::Cursor> cursors, view.cursors());
  for (const core::Cursor& cursor : cursors) {
    if (cursor.seq <= head.seq) continue;
    findings.push_back(fmt::format("the reader {} stands at event {}, but the newest is {}",
                                   cursor.reader, cursor.seq, head.seq));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> check_space(Connection& connection, const std::string& space) {
  Findings findings;
  TYER_TRY_OK(check_log(connection, space, findings));
  TYER_TRY_OK(check_leases(connection, space, findings));
  TYER_TRY_OK(check_cursors(connection, space, findings));
  return findings;
}

}  // namespace tyer::store
