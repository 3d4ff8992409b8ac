// The files of a files store as a View.
//
// It reads what is asked for when it is asked for; that it all belongs
// together is the business of who made it, by holding the lock or by looking
// at the journal again afterwards. Single things cost one file. Listings go
// through directories, and those by status, parent or time read every file of
// their kind, which is fine for thousands.
//
// A file that is not what its place says is `broken`, with its path, when it is
// asked for by key, so that nobody takes a lease he cannot read for free (L3).
// Listings pass it by; `check` names it.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/view.h"
#include "env/files.h"
#include "store/files_layout.h"
#include "store/files_record.h"

namespace tyer::store::files {

class FilesView final : public core::View {
 public:
  // `log` outlives the view and belongs to `standing`; without it the log is
  // opened when it is needed, and `standing` is the journal's word.
  FilesView(env::Files& files, std::string directory, const Standing& standing,
            const env::File* log = nullptr);

  [[nodiscard]] Result<std::optional<core::Subject>> subject(const std::string& key) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> subjects(
      const core::SubjectQuery& query) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> newest(
      const core::SubjectQuery& query) const override;
  [[nodiscard]] Result<std::vector<core::Subject>> due(Time until,
                                                       std::size_t limit) const override;
  [[nodiscard]] Result<std::optional<core::Lease>> lease(const std::string& key) const override;
  [[nodiscard]] Result<std::vector<core::Lease>> leases_below(const std::string& root,
                                                              const std::string& after,
                                                              std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<core::Lease>> leases(const std::string& after,
                                                        std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<core::Event>> events(
      const core::EventQuery& query) const override;
  [[nodiscard]] Result<core::Head> head() const override;
  [[nodiscard]] Result<core::Cursor> cursor(const std::string& reader) const override;
  [[nodiscard]] Result<std::vector<core::Cursor>> cursors() const override;

  // Of the newest event. A log that is none is passed by: the journal knows the time as well.
  [[nodiscard]] Result<Time> newest_time() const;

  // Everything that is damaged, a sentence each.
  [[nodiscard]] Result<std::vector<std::string>> damage() const;

 private:
  [[nodiscard]] Result<std::vector<core::Subject>> list(const core::SubjectQuery& query,
                                                        bool backward) const;

  [[nodiscard]] Result<std::vector<core::Lease>> read_leases(const std::vector<std::string>& keys,
                                                             const std::string& after,
                                                             std::size_t limit) const;
  [[nodiscard]] Result<std::optional<std::string>> read(const Place& place) const;
  [[nodiscard]] Result<> need_log() const;

  env::Files& files_;
  const std::string directory_;
  mutable Standing standing_;
  mutable const env::File* log_;  // Null as well if there is none.
  mutable bool log_is_known_;
  mutable std::unique_ptr<env::File> own_log_;
};

}  // namespace tyer::store::files
