#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/confirm.h"
#include "cli/locking.h"
#include "cli/stop_signals.h"
#include "lock/keeping.h"

namespace tyer::cli {
namespace {

Result<std::optional<std::uint64_t>> read_count(const Arguments& arguments, std::string_view name) {
  const auto text = arguments.value(name);
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || end != text->data() + text->size() || number == 0) {
    return fail(Fault::invalid,
                fmt::format("{} '{}' is not a number from 1 on", name, printable(*text, 80)));
  }
  return number;
}

// On whose behalf: the process of --pid, else the one that called us, which
// lives on when we have ended.
Result<core::Holder> read_holder(World& world, const Arguments& arguments, std::string session) {
  TYER_TRY(const auto pid, read_count(arguments, "--pid"));
  const std::int64_t of = pid ? static_cast<std::int64_t>(*pid) : ::getppid();
  auto holder = world.env.processes.holder(of, std::move(session));
  if (holder || pid) return holder;
  return fail(Fault::invalid, "the process that called this has ended; name one with --pid");
}

// All but what the settings decide; without --timeout its limit is zero.
Result<lock::Request> read_request(World& world, const Arguments& arguments) {
  lock::Request request{.names = arguments.values("KEY"), .any = arguments.has("--any")};
  for (const std::string& name : request.names) TYER_TRY_OK(lock::key_of(name));
  TYER_TRY(std::string session, read_session(world, arguments));
  TYER_TRY(request.holder, read_holder(world, arguments, std::move(session)));
  TYER_TRY(request.command, read_label(arguments, "--command"));
  TYER_TRY(request.owner, read_label(arguments, "--owner"));
  TYER_TRY(const auto timeout, read_duration(arguments, "--timeout"));
  request.hold_max = timeout.value_or(Span::zero());
  return request;
}

void set_limits(lock::Request& request, const Settings& settings) {
  request.silence_max = settings.silence;
  if (request.hold_max > Span::zero()) return;
  request.hold_max = hold_for(settings, request.command, settings.hold);
}

// Leaves a process behind that renews while the holder lives (L9).
Result<> leave_keeper(World& world, const Settings& settings, const lock::Outcome& outcome) {
  // All of the settings are in its environment: a file could name another hub.
  env::Spawn spawn{.argv = {world.program, "lock", "keep", "--config=/dev/null",
                            "--session=" + outcome.got.front().holder.run}};
  for (const core::Lease& lease : outcome.got) spawn.argv.emplace_back(lock::name_of(lease.key));
  spawn.environment.insert(world.environment.begin(), world.environment.end());
  for (const Given& given : settings.origins) {
    for (const Setting& setting : settings_table()) {
      if (setting.name == given.name && !setting.variable.empty()) {
        spawn.environment[std::string(setting.variable)] = given.text;
      }
    }
  }
  // In the environment and not among the words, which everybody can read.
  for (const char* const variable : {"TYER_STORE", "TYER_URL", "AGENTFEED_URL"}) {
    spawn.environment.erase(variable);
  }
  if (settings.hub_url.empty()) {
    spawn.environment["TYER_STORE"] = absolute_url(store_url(world, settings), world.directory);
  } else {
    spawn.environment["TYER_URL"] = settings.hub_url;
  }
  spawn.directory = "/";
  TYER_TRY(const auto child, world.env.processes.spawn(spawn));
  child->let_go();
  return {};
}

// As one word, so that a line can be read with `read -r key session token`.
std::string as_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const bool splits = c == ' ' || c == '%';
    word += splits ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return word;
}

void print_acquired(World& world, const Arguments& arguments, const lock::Outcome& outcome) {
  if (arguments.has("--json")) {
    world.output.print(fmt::format(R"({{"acquired":{},"takenOver":{}}})", json_of(outcome.got),
                                   json_of(outcome.ended)) +
                       "\n");
    return;
  }
  for (const lock::Seen& seen : outcome.ended) {
    world.output.warn(fmt::format("tyer: took {} over from pid {} on {}: {}\n",
                                  lock::name_of(seen.lease.key), seen.lease.holder.pid,
                                  printable(seen.lease.holder.place.host, 100),
                                  printable(seen.judgement.why, 200)));
  }
  for (const core::Lease& lease : outcome.got) {
    world.output.print(fmt::format("{} {} {}\n", as_word(lock::name_of(lease.key)),
                                   lease.holder.run, lease.token));
  }
}

// The one name of a command that takes one, and the session it speaks for.
struct Own {
  std::string name;
  std::string session;
};

Result<Own> read_own(const Arguments& arguments) {
  TYER_TRY(std::string session, read_label(arguments, "--session"));
  if (session.empty()) return fail(Fault::invalid, "--session is missing; acquire printed it");
  return Own{*arguments.value("KEY"), std::move(session)};
}

Done print_own(World& world, const Arguments& arguments, const core::Lease& lease,
               std::string_view what) {
  if (arguments.has("--json")) {
    world.output.print(json_of(lease) + "\n");
  } else {
    world.output.print(
        fmt::format("{} {} (token {})\n", lock::name_of(lease.key), what, lease.token));
  }
  return 0;
}

// The second line is about the holder.
void print_broken(World& world, const Arguments& arguments, const lock::Broken& broken) {
  if (arguments.has("--json")) {
    world.output.print(json_of(broken) + "\n");
    return;
  }
  const core::Lease& lease = broken.lease;
  const std::string who = fmt::format("its holder, pid {} on {},", lease.holder.pid,
                                      printable(lease.holder.place.host, 100));
  const auto about = [&] {
    switch (broken.holding) {
      case lock::Holding::ended: return std::string("has ended");
      case lock::Holding::running: return std::string("still runs: nobody but you ends it");
      case lock::Holding::ending:
        return fmt::format("is ending; nobody gets the lock before that, for {} at most",
                           describe_span(limits::stand_in_max));
      case lock::Holding::unseen:
        return fmt::format(
            "cannot be seen from here; it learns of this when it renews, at the "
            "latest {} after it last did",
            describe_span(lease.silence_max));
    }
    std::unreachable();
  };
  world.output.print(fmt::format("{} broken (token {})\n  {} {}\n", lock::name_of(lease.key),
                                 lease.token, who, about()));
}

// Who sits at the keyboard, for the record.
std::string user(const World& world) {
  for (const char* const variable : {"USER", "LOGNAME"}) {
    const auto found = world.environment.find(variable);
    if (found != world.environment.end() && !found->second.empty()) {
      return printable(fmt::format("{}@{}", found->second, world.env.processes.here().host), 190);
    }
  }
  return fmt::format("uid {}@{}", ::getuid(), world.env.processes.here().host);
}

Done acquire(World& world, const Arguments& arguments, const StopSignals& stop) {
  TYER_TRY(const auto wait, read_duration(arguments, "--wait"));
  TYER_TRY(lock::Request request, read_request(world, arguments));
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::write));
  set_limits(request, locking.settings);
  TYER_TRY(const lock::Outcome outcome,
           locking.desk->acquire(
               request, {.at_most = wait.value_or(Span::zero()), .stop_fds = {stop.fd()}}));
  if (outcome.got.empty()) {
    const bool json = arguments.has("--json");
    const std::string held = describe_held(outcome, json);
    json ? world.output.print(held) : world.output.warn(held);
    return 1;
  }
  if (!arguments.has("--no-keeper")) {
    if (const Result<> left = leave_keeper(world, locking.settings, outcome); !left) {
      world.output.warn(
          fmt::format("tyer: {}; nobody renews the lease: do it with 'tyer lock "
                      "renew' every {}\n",
                      left.error().what, describe_span(locking.settings.heartbeat)));
    }
  }
  print_acquired(world, arguments, outcome);
  // Closing what was waited with takes a moment; nobody has to wait for that.
  TYER_TRY_OK(world.output.flush());
  return 0;
}

}  // namespace

// The code is that of the signal that ended its wait.
Done run_lock_acquire(World& world, const Arguments& arguments) {
  const StopSignals stop;
  Done done = acquire(world, arguments, stop);
  if (done || done.error().error.fault != Fault::cancelled) return done;
  return finish(done, world, arguments.has("--json"));
}

Done run_lock_keep(World& world, const Arguments& arguments) {
  TYER_TRY(std::string session, read_label(arguments, "--session"));
  const StopSignals stop;
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::write));
  TYER_TRY_OK(lock::keep(*locking.desk, arguments.values("KEY"), session,
                         locking.settings.heartbeat, stop.fd()));
  return 0;
}

Done run_lock_release(World& world, const Arguments& arguments) {
  TYER_TRY(const Own own, read_own(arguments));
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::write));
  TYER_TRY(const core::Lease lease, locking.desk->release(own.name, own.session));
  return print_own(world, arguments, lease, "released");
}

Done run_lock_renew(World& world, const Arguments& arguments) {
  TYER_TRY(const Own own, read_own(arguments));
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::write));
  TYER_TRY(const core::Lease lease, locking.desk->renew(own.name, own.session));
  return print_own(world, arguments, lease, "renewed");
}

Done run_lock_check(World& world, const Arguments& arguments) {
  TYER_TRY(const auto token, read_count(arguments, "--token"));
  const std::string name = *arguments.value("KEY");
  TYER_TRY_OK(lock::key_of(name));
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::read));
  TYER_TRY(const auto seen, locking.desk->look(name));
  const bool live = seen && seen->judgement.verdict == core::Verdict::live;
  const bool good = live && (!token || seen->lease.token == *token);
  if (arguments.has("--json")) {
    world.output.print(fmt::format(R"({{"key":{},"held":{},"valid":{},"lease":{}}})",
                                   dump_json(Json(name)), live, good,
                                   seen ? json_of(*seen) : "null") +
                       "\n");
  } else {
    const std::string state = seen ? lock::describe(*seen) : fmt::format("{}: free", name);
    const bool stale = token && seen && seen->lease.token != *token;
    world.output.print(
        fmt::format("{}{}\n", state, stale ? fmt::format("; token {} is stale", *token) : ""));
  }
  return good ? 0 : 1;
}

Done run_lock_break(World& world, const Arguments& arguments) {
  const std::string name = *arguments.value("KEY");
  TYER_TRY_OK(lock::key_of(name));
  TYER_TRY(const std::string why, read_label(arguments, "--why"));
  TYER_TRY(const Locking locking, open_locks(world, arguments, Access::write));
  TYER_TRY(const auto seen, locking.desk->look(name));
  if (!seen) {
    return std::unexpected(Failure{{Fault::not_found, fmt::format("{}: nobody holds it", name)}});
  }
  TYER_TRY(const bool is_sure, confirm(world, arguments, lock::describe(*seen), "Break it?"));
  if (!is_sure) return 1;
  const auto broken = locking.desk->break_lock(name, seen->lease.token, user(world), why);
  if (!broken && broken.error().fault == Fault::denied) {
    return std::unexpected(
        Failure{broken.error(),
                "a person does it: on the hub's page, or where its store is, with --store"});
  }
  TYER_TRY_OK(broken);
  print_broken(world, arguments, *broken);
  return 0;
}

}  // namespace tyer::cli
