#include "torture/aftermath.h"

#include <optional>

#include <fmt/format.h>

#include "base/json.h"
#include "engine/audit.h"
#include "lock/waiting.h"

namespace tyer::torture {
namespace {

constexpr Span free_within = 15s;

// Reads the log of leases and says where it is not: granted, ended, granted, …
class LeaseLog {
 public:
  explicit LeaseLog(Board& board) : board_(board) {}

  void read(const core::Event& event) {
    if (!event.type.starts_with("lease.")) return;
    std::optional<std::uint64_t>& open = open_[event.key];
    const bool is_lock = event.key.starts_with("lock/");
    if (event.type == "lease.granted") {
      if (open) wrong(event, fmt::format("granted while token {} had not ended", *open));
      open = event.seq;
      if (is_lock) ++endings.granted;
      return;
    }
    const auto body = parse_json_object(event.body);
    const auto token = body ? static_cast<std::uint64_t>(int_or(*body, "token")) : 0;
    if (!open || *open != token) {
      wrong(event, fmt::format("token {} ended, but {} was there", token, open.value_or(0)));
    }
    open.reset();
    if (!is_lock) return;
    if (event.type == "lease.released") ++endings.released;
    if (event.type == "lease.superseded") ++endings.superseded;
    if (event.type == "lease.lapsed") ++endings.lapsed[body ? text_or(*body, "verdict") : ""];
  }

  // What is open in the log is what is there.
  void compare(const core::Lease& lease) {
    const std::optional<std::uint64_t> open = open_[lease.key];
    if (open != lease.token) {
      board_.problem(fmt::format("{} is held with token {}, but in the log with {}", lease.key,
                                 lease.token, open.value_or(0)));
    }
    open_.erase(lease.key);
  }

  void finish() {
    for (const auto& [key, open] : open_) {
      if (!open) continue;
      board_.problem(fmt::format("{} is free, but the log has not ended token {}", key, *open));
    }
  }

  Endings endings;

 private:
  void wrong(const core::Event& event, const std::string& what) {
    board_.problem(fmt::format("event {} of {}: {}", event.seq, event.key, what));
  }

  Board& board_;
  std::map<std::string, std::optional<std::uint64_t>> open_;
};

Result<Endings> read_log(const core::View& view, Board& board) {
  LeaseLog log(board);
  for (std::uint64_t after = 0; true;) {
    TYER_TRY(const std::vector<core::Event> page, view.events({.after = after}));
    if (page.empty()) break;
    for (const core::Event& event : page) log.read(event);
    after = page.back().seq;
  }
  for (std::string after; true;) {
    TYER_TRY(const std::vector<core::Lease> page, view.leases(after, limits::page_rows_max));
    if (page.empty()) break;
    for (const core::Lease& lease : page) log.compare(lease);
    after = page.back().key;
  }
  log.finish();
  return log.endings;
}

Result<> check_store(Opened& opened, Board& board) {
  TYER_TRY(const std::vector<std::string> damage, opened.store->check());
  for (const std::string& each : damage) board.problem("store check: " + each);
  return opened.store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const engine::Audit audit,
             engine::audit(view, opened.catalog, [](std::uint64_t, std::uint64_t) {}));
    for (const std::string& each : audit.problems) board.problem("audit: " + each);
    return {};
  });
}

}  // namespace

std::uint64_t Endings::all_lapsed() const {
  std::uint64_t all = 0;
  for (const auto& [verdict, count] : lapsed) all += count;
  return all;
}

Result<Endings> examine(Opened& opened, std::size_t keys, Board& board) {
  const std::string run = opened.new_run();
  for (std::size_t i = 0; i < keys; ++i) {
    const lock::Request request{.names = {name_of_key(i)},
                                .holder = opened.env().processes.self(run),
                                .command = "aftermath"};
    TYER_TRY(const lock::Outcome outcome,
             lock::acquire(opened.locks, *opened.store, request, {.at_most = free_within}));
    if (!outcome.got.empty()) continue;
    board.problem(
        fmt::format("{} is stuck: {}", name_of_key(i),
                    outcome.held.empty() ? "nobody has it" : lock::describe(outcome.held.front())));
  }
  std::optional<Endings> endings;
  TYER_TRY_OK(opened.store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(endings, read_log(view, board));
    return {};
  }));
  TYER_TRY_OK(check_store(opened, board));
  for (std::size_t i = 0; i < keys; ++i) {
    TYER_TRY_OK(opened.locks.release(name_of_key(i), run));
  }
  return *endings;
}

}  // namespace tyer::torture
