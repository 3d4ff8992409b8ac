// The View of a SQLite connection: inside a transaction, what it sees.

#pragma once

#include "core/view.h"
#include "store/recent.h"
#include "store/sqlite_conn.h"

namespace tyer::store {

class SqliteView final : public core::View {
 public:
  // `recent`, if any, is asked first and told what is found.
  explicit SqliteView(SqliteConn& conn, Recent* recent = nullptr) : conn_(conn), recent_(recent) {}

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
                                                        std::string_view sql) const;

  SqliteConn& conn_;
  Recent* const recent_;
};

}  // namespace tyer::store
