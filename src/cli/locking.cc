#include "cli/locking.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/door.h"
#include "cli/limits.h"
#include "lock/lease_json.h"

namespace tyer::cli {
namespace {

template <class Row>
std::string array_of(const std::vector<Row>& rows) {
  Json all = Json::array();
  for (const Row& row : rows) all.push_back(lock::to_shown(row));
  return dump_json(all);
}

}  // namespace

void Locking::set_up(World& world) {
  engine = std::make_unique<engine::Engine>(world.env, *store, world.catalog);
  locks = std::make_unique<lock::Locks>(*engine);
  desk = lock::make_near_desk(*locks, *store);
}

std::expected<Locking, Failure> open_locks(World& world, const Arguments& arguments,
                                           Access access) {
  Locking locking;
  TYER_TRY(locking.settings, load_settings(world, arguments));
  TYER_TRY_OK(choose_hub(world, arguments, locking.settings));
  if (!locking.settings.hub_url.empty()) {
    TYER_TRY(std::string key, agent_key(world));
    TYER_TRY(locking.desk,
             lock::make_far_desk(world.env, {locking.settings.hub_url, std::move(key)}));
    return locking;
  }
  TYER_TRY(locking.store, open_store(world, locking.settings, access));
  locking.set_up(world);
  return locking;
}

Result<std::optional<Span>> read_duration(const Arguments& arguments, std::string_view name) {
  const auto text = arguments.value(name);
  if (!text) return std::nullopt;
  const auto span = parse_span(*text);
  if (!span || *span < 1ms || *span > limits::hold_most) {
    return fail(Fault::invalid,
                fmt::format("{} '{}' is not a duration from 1ms to {} like 90s, 5m or 1h30m", name,
                            printable(*text, 80), format_span(limits::hold_most)));
  }
  return *span / 1ms * 1ms;
}

Result<std::string> read_label(const Arguments& arguments, std::string_view name) {
  const std::string text = arguments.value(name).value_or("");
  if (!is_utf8(text) || has_control_characters(text)) {
    return fail(Fault::invalid,
                fmt::format("{} has a control character in it or is not UTF-8", name));
  }
  if (text.size() > limits::label_bytes_max) {
    return fail(Fault::invalid, fmt::format("{} has {} bytes, the limit is {}", name, text.size(),
                                            limits::label_bytes_max));
  }
  return text;
}

Span hold_for(const Settings& settings, const std::string& command, Span fallback) {
  const auto found = settings.hold_by_command.find(command);
  return found == settings.hold_by_command.end() ? fallback : found->second;
}

Result<std::string> read_session(World& world, const Arguments& arguments) {
  TYER_TRY(std::string session, read_label(arguments, "--session"));
  if (!session.empty()) return session;
  if (arguments.has("--session")) return fail(Fault::invalid, "--session must not be empty");
  return uuid7(world.env.clock.now(), world.env.random.bits());
}

std::string json_of(const core::Lease& lease) {
  return dump_json(lock::to_shown(lease));
}

std::string json_of(const lock::Seen& seen) {
  return dump_json(lock::to_shown(seen));
}

std::string json_of(const lock::Broken& broken) {
  return dump_json(lock::to_shown(broken));
}

std::string json_of(const std::vector<core::Lease>& leases) {
  return array_of(leases);
}

std::string json_of(const std::vector<lock::Seen>& locks) {
  return array_of(locks);
}

std::string describe_held(const lock::Outcome& outcome, bool json) {
  if (json) {
    return fmt::format(R"({{"acquired":[],"held":{},"promised":{},"free":{}}})",
                       json_of(outcome.held), json_of(outcome.next),
                       dump_json(Json(outcome.free))) +
           "\n";
  }
  std::string text;
  for (const lock::Seen& seen : outcome.held) {
    text += fmt::format("tyer: {}\n", lock::describe(seen));
  }
  for (const core::Lease& ticket : outcome.next) {
    text += fmt::format("tyer: it is the turn of pid {} on {}, which waits for it\n",
                        ticket.holder.pid, printable(ticket.holder.place.host, 100));
  }
  if (outcome.free.empty()) return text;
  std::string free;
  for (const std::string& name : outcome.free) free += (free.empty() ? "" : ", ") + name;
  return text + fmt::format("tyer: free: {}\n", printable(free, 400));
}

}  // namespace tyer::cli
