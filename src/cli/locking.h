// What the lock commands share: where locks are asked for, the settings of leases, and a lock as
// JSON.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/workspace.h"
#include "lock/desk.h"

namespace tyer::cli {

struct Locking {
  Settings settings;
  // Only on a store.
  std::unique_ptr<store::Store> store = {};
  std::unique_ptr<engine::Engine> engine = {};
  std::unique_ptr<lock::Locks> locks = {};

  std::unique_ptr<lock::Desk> desk = {};  // On the store, or through the hub of the settings.

  // The rest of it, once the store is there.
  void set_up(World& world);
};

// Through the hub that is meant, else on the store: the rules are those of door.h.
[[nodiscard]] std::expected<Locking, Failure> open_locks(World& world, const Arguments& arguments,
                                                         Access access);

// The duration that option `name` was given, within what a lease can have.
[[nodiscard]] Result<std::optional<Span>> read_duration(const Arguments& arguments,
                                                        std::string_view name);

// Text of an option for a record: no control characters, not too long.
[[nodiscard]] Result<std::string> read_label(const Arguments& arguments, std::string_view name);

// How long a lease for `command` may be held (L11).
[[nodiscard]] Span hold_for(const Settings& settings, const std::string& command, Span fallback);

// The session given with --session, or a new one.
[[nodiscard]] Result<std::string> read_session(World& world, const Arguments& arguments);

// As JSON objects, and several as an array of them.
[[nodiscard]] std::string json_of(const core::Lease& lease);
[[nodiscard]] std::string json_of(const lock::Seen& seen);
[[nodiscard]] std::string json_of(const lock::Broken& broken);
[[nodiscard]] std::string json_of(const std::vector<core::Lease>& leases);
[[nodiscard]] std::string json_of(const std::vector<lock::Seen>& locks);

// Who has what was asked for, and what is free (L17); an object if `json`.
[[nodiscard]] std::string describe_held(const lock::Outcome& outcome, bool json);

}  // namespace tyer::cli
