// A write transaction as its works see it: what the store had when it began,
// with what was written since laid over it.
//
// Writes are kept here until the commit, so that a savepoint costs nothing, all
// stores behave the same, and each store has one statement of what it must do:
// commit these Writes, or nothing.

#pragma once

#include <functional>
#include <ranges>

#include "store/store.h"

namespace tyer::store {

class Txn final : public core::View {
 public:
  explicit Txn(Begun begun, std::size_t works = 1);
  Txn(const Txn&) = delete;
  Txn& operator=(const Txn&) = delete;

  // The store's time, the same during the whole transaction.
  [[nodiscard]] Time now() const { return now_; }

  void put(core::Subject subject);
  void put(core::Lease lease);
  void drop_lease(const std::string& key);
  void put(core::Cursor cursor);

  // What the search finds `key` by from now on, as core::text_of tells it; empty: nothing.
  void put_text(const std::string& key, std::string text);

  // Numbers and dates the event and adds it to the log. Returns its number.
  std::uint64_t append(core::Event event);

  // Forgets events with smaller numbers; the newest event is always kept.
  void trim(std::uint64_t before);

  // Runs `part`; if it fails, what it wrote is undone.
  [[nodiscard]] Result<> attempt(const std::function<Result<>()>& part);

  [[nodiscard]] const Writes& writes() const { return writes_; }
  void when_committed(std::function<void()> then) { writes_.committed = std::move(then); }

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
  [[nodiscard]] Result<std::vector<core::Lease>> leases_below(const std::string& root,
                                                              const std::string& after,
                                                              std::size_t limit) const override;
  [[nodiscard]] Result<std::vector<core::Event>> events(
      const core::EventQuery& query) const override;
  [[nodiscard]] Result<core::Head> head() const override { return head_; }
  [[nodiscard]] Result<core::Cursor> cursor(const std::string& reader) const override;
  [[nodiscard]] Result<std::vector<core::Cursor>> cursors() const override;

 private:
  using WrittenRange = std::ranges::subrange<std::map<std::string, core::Subject>::const_iterator>;
  // Of the subjects that were written, those with keys in `range`.
  [[nodiscard]] WrittenRange written_in(const core::KeyRange& range) const;

  const core::View& base_;
  const Time now_;
  const Time begun_at_;  // Of the newest event then.
  core::Head head_;
  Writes writes_;
  std::vector<std::function<void()>> undo_;  // The newest last.

  // What the base has, as far as it was asked: nobody else can change it now, and
  // a decision and its application look at the same rows.
  mutable SubjectRows subjects_;
  mutable LeaseRows leases_;
};

// Whether `subject` is one that `query` asks for, its paging aside.
[[nodiscard]] bool matches(const core::SubjectQuery& query, const core::Subject& subject);

}  // namespace tyer::store
