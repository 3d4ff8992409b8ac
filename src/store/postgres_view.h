// What a transaction on PostgreSQL sees of its space.
//
// Reads go out one by one, each a round trip, on the connection that has the
// transaction open.

#pragma once

#include <span>
#include <string>

#include "core/view.h"
#include "store/postgres_conn.h"
#include "store/store.h"

namespace tyer::store {

class PostgresView final : public core::View {
 public:
  PostgresView(Connection& connection, const std::string& space)
      : connection_(connection), space_(space) {}

  [[nodiscard]] Result<std::optional<core::Subject>> subject(const std::string& key) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> subjects(
      const core::SubjectQuery& query) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> newest(
      const core::SubjectQuery& query) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> due(Time until,
                                                       std::size_t limit) const override;
  [[nodiscard]] Result<std::optional<core::Lease>> lease(const std::string& key) const override;
  [[nodiscard]] Result<std::vector<core::Lease>> leases(const std::string& after,
                                                        std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<core::Event>> events(
      const core::EventQuery& query) const override;
  [[nodiscard]] Result<core::Head> head() const override;
  [[nodiscard]] Result<core::TextFound> search(const core::TextQuery& query) const override;
  [[nodiscard]] Result<std::optional<std::string>> indexed_text(
      const std::string& key) const override;
  [[nodiscard]] Result<core::Cursor> cursor(const std::string& reader) const override;
  [[nodiscard]] Result<std::vector<core::Cursor>> cursors() const override;

 private:
  [[nodiscard]] Result<std::vector<core::Subject>> list(const core::SubjectQuery& query,
                                                        Sql sql) const;

  Connection& connection_;
  const std::string space_;
};

// The answer to Sql::head: the ends of the log, and the server's time, which is
// never before the newest event (law 6).
struct HeadRow {
  core::Head head;
  Time now{};
};
[[nodiscard]] HeadRow read_head(const Rows& rows);

// The answers to Sql::subjects_of and Sql::leases_of, nothing where there was no
// row. A lease that cannot be read is left out: who asks for it is told so.
[[nodiscard]] SubjectRows read_subjects(const Rows& rows, std::span<const std::string> keys);
[[nodiscard]] LeaseRows read_leases(const Rows& rows, std::span<const std::string> keys);

}  // namespace tyer::store
