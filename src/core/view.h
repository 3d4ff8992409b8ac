// What a decision may look at.
//
// A View is a consistent picture of the store: inside a write transaction it
// includes what the transaction has written so far. Listings are ordered and
// paged; a reader that wants more asks again after the last row.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/event.h"
#include "core/lease.h"
#include "core/limits.h"
#include "core/subject.h"

namespace tyer::core {

// Subjects ordered by key. Empty fields do not restrict.
struct SubjectQuery {
  std::string parent = {};
  std::string kind = {};
  std::string status = {};
  std::string below = {};   // Keys below this one.
  std::string after = {};   // Keys greater than this.
  std::string before = {};  // Keys less than this.
  std::size_t limit = limits::page_rows_max;
};

// The keys that a query's kind, `below`, `after` and `before` leave: between these two.
struct KeyRange {
  std::string from;
  std::string until;
};
[[nodiscard]] KeyRange range_of(const SubjectQuery& query);

// Events ordered by sequence.
struct EventQuery {
  std::uint64_t after = 0;
  std::string root;  // Only this key and the keys below it; empty is all.
  std::size_t limit = limits::page_rows_max;
};

// What a subject says, for the search. Empty: nothing.
using TextOf = std::string (*)(const Subject& subject);

// Subjects of one kind that hold every word (search.h), the newest first. Requires of the kind that
// its keys grow with time: their order is what counts.
struct TextQuery {
  std::string kind;
  std::vector<std::string> words;  // As read_words gives them.
  TextOf text = nullptr;           // The kind's, for views that keep no index.
  std::string before = {};         // Keys less than this.
  std::size_t limit = limits::page_rows_max;
};

struct TextFound {
  std::vector<std::string> keys;
  std::string next;  // There may be more before this key; empty: that was all.
};

class View {
 public:
  virtual ~View() = default;

  [[nodiscard]] virtual Result<std::optional<Subject>> subject(const std::string& key) const = 0;
  [[nodiscard]] virtual Result<std::vector<Subject>> subjects(const SubjectQuery& query) const = 0;

  // The same from the other end: the greatest keys first.
  [[nodiscard]] virtual Result<std::vector<Subject>> newest(const SubjectQuery& query) const;

  // Subjects whose due_at is not after `until`, ordered by due_at, then key.
  [[nodiscard]] virtual Result<std::vector<Subject>> due(Time until, std::size_t limit) const = 0;

  [[nodiscard]] virtual Result<std::optional<Lease>> lease(const std::string& key) const = 0;

  // Leases ordered by key, greater than `after`.
  [[nodiscard]] virtual Result<std::vector<Lease>> leases(const std::string& after,
                                                          std::size_t limit) const = 0;

  // The same of keys below `root` only: "wait/a" stands for "wait/a/…".
  [[nodiscard]] virtual Result<std::vector<Lease>> leases_below(const std::string& root,
                                                                const std::string& after,
                                                                std::size_t limit) const;

  [[nodiscard]] virtual Result<std::vector<Event>> events(const EventQuery& query) const = 0;
  [[nodiscard]] virtual Result<Head> head() const = 0;

  // A page may be short when many subjects had to be looked at: `next` counts.
  [[nodiscard]] virtual Result<TextFound> search(const TextQuery& query) const;

  // What an index of texts has for `key`, empty if it has none; nothing if there is no index.
  [[nodiscard]] virtual Result<std::optional<std::string>> indexed_text(
      const std::string& key) const;

  // Where a reader stands; sequence 0 if it has never read.
  [[nodiscard]] virtual Result<Cursor> cursor(const std::string& reader) const = 0;

  // All cursors, ordered by reader.
  [[nodiscard]] virtual Result<std::vector<Cursor>> cursors() const = 0;
};

}  // namespace tyer::core
