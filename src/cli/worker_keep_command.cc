// tyer worker-keep: one run for a session, as a worker starts it.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/commands.h"
#include "cli/keeper_start.h"
#include "cli/run_tree.h"
#include "cli/workspace.h"
#include "env/front.h"
#include "env/os_error.h"
#include "env/wait_readable.h"
#include "feed/actor.h"
#include "feed/ids.h"
#include "feed/shifts.h"
#include "git/names.h"
#include "work/limits.h"
#include "work/shift.h"
#include "work/worker.h"

namespace tyer::cli {
namespace {

// A worktree for each session of an agent that wants it: "agent-session", as git can have it.
std::string tree_name(const work::Assignment& given) {
  std::string name;
  for (const char c : given.agent + "-" + given.session) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += is_plain ? c : '-';
  }
  // Names in other scripts would all look the same.
  if (name != given.agent + "-" + given.session) name += "-" + given.session_id.substr(24);
  return git::check_tree_name(name) ? name : given.session_id;
}

// One line of standard input, a socket; what is behind it is for somebody else. Nothing: there is
// none any more.
Result<std::optional<std::string>> read_line() {
  std::string line;
  std::array<char, 4096> bytes{};
  while (line.size() < limits::order_bytes_max) {
    const ssize_t seen = env::uninterrupted(
        [&] { return ::recv(STDIN_FILENO, bytes.data(), bytes.size(), MSG_PEEK); });
    if (seen < 0) return std::unexpected(env::os_error(errno, "read", "standard input"));
    if (seen == 0) return std::nullopt;
    const std::string_view said(bytes.data(), static_cast<std::size_t>(seen));
    const std::size_t end = said.find('\n');
    const std::size_t taken = std::min(end, said.size() - 1) + 1;
    (void)env::uninterrupted([&] { return ::recv(STDIN_FILENO, bytes.data(), taken, 0); });
    line += said.substr(0, std::min(end, said.size()));
    if (end != std::string_view::npos) return line;
  }
  return fail(Fault::limit, "an order is too long");
}

// If nobody listens any more, the run goes on all the same.
void tell_worker(const work::Given& given) {
  const std::string line = work::encode(given) + "\n";
  (void)env::uninterrupted(
      [&] { return ::send(STDIN_FILENO, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT); });
  env::give_up_input();
}

// Waits for the worker's word. Nothing if the worker has gone, or we are to go.
Result<std::optional<work::Call>> read_call(const env::Front& front) {
  const std::array<int, 3> fds{STDIN_FILENO, front.gone_fd(), front.signals_fd()};
  while (true) {
    TYER_TRY(const bool is_there, env::wait_readable(STDIN_FILENO, Span::zero()));
    if (is_there) break;
    TYER_TRY(const bool is_alone, env::wait_readable(front.gone_fd(), Span::zero()));
    TYER_TRY(const bool is_asked, env::wait_readable(front.signals_fd(), Span::zero()));
    if (is_alone || is_asked) return std::nullopt;
    TYER_TRY_OK(env::wait_any(fds, 1h));
  }
  TYER_TRY(const auto line, read_line());
  if (!line) return std::nullopt;
  env::give_up_input();
  TYER_TRY(work::Call call, work::decode_call(*line));
  return call;
}

// Where the hub would: with its rules, and as durably, whatever is enough for our own records.
Result<> finish_here(World& world, Settings settings, const work::Order& order,
                     const feed::Finish& finish) {
  settings.durability = store::Durability::full;
  const auto store = open_store_at(world, settings, order.job.store, Access::write);
  if (!store) return std::unexpected(store.error().error);
  engine::Engine engine(world.env, **store, world.catalog);
  const feed::Actor session = feed::as_session(finish.session);
  TYER_TRY_OK(
      engine.apply({session.key()}, [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, world.env.random.bits()));
        return feed::decide_finish(view, finish, *order.own_hub, ids, now);
      }));
  return {};
}

Result<work::Served> serve_order(World& world, const Settings& settings, const work::Order& order,
                                 const env::Front& front) {
  const auto store = open_store_at(world, settings, order.job.store, Access::write);
  if (!store) return std::unexpected(store.error().error);
  engine::Engine engine(world.env, **store, world.catalog);
  work::Serving serving{
      .engine = engine,
      .front = front,
      .environment = world.environment,
      .hub = {order.hub, order.key},
      .program = world.program,
      .stop_fds = {STDIN_FILENO, front.gone_fd(), front.signals_fd()},
      .on_given = tell_worker,
      .choose_tree = [&](const work::Assignment& given, run::Job& job) -> Result<run::Preparation> {
        if (!given.worktree) return run::Preparation();
        TYER_TRY_OK(choose_tree(world, tree_name(given), std::nullopt, job));
        return run::Preparation([&world, &settings, &front, job](int stop_fd) {
          return make_tree_of(world, settings, job, front, stop_fd);
        });
      }};
  if (order.own_hub) {
    serving.finish_here = [&](const feed::Finish& finish) {
      return finish_here(world, settings, order, finish);
    };
  }
  return work::serve(serving, order, [&] { return read_call(front); });
}

int exit_code_of(work::Served served) {
  switch (served) {
    case work::Served::done: return 0;
    case work::Served::nothing: return work::exit_nothing;
    case work::Served::busy: return work::exit_busy;
    case work::Served::limit: return work::exit_limit;
    case work::Served::put_off: return work::exit_put_off;
  }
  return 1;
}

}  // namespace

Done run_worker_keep(World& world, const Arguments& arguments) {
  TYER_TRY(const auto line, read_line());
  const auto order = work::decode_order(line.value_or(""));
  if (!order) {
    return std::unexpected(
        Failure{{Fault::invalid, order.error().what}, "it is what 'tyer worker' leaves behind"});
  }
  use_environment(world, order->job);
  TYER_TRY(Settings settings, load_settings(world, arguments));
  use_records(settings, order->job);
  TYER_TRY(const int code, env::run_behind_front([&](const env::Front& front) {
             const auto served = serve_order(world, settings, *order, front);
             return finish(served ? Done(exit_code_of(*served))
                                  : Done(std::unexpected(Failure{served.error()})),
                           world, false);
           }));
  const bool has_begun_nothing = code >= work::exit_nothing && code <= work::exit_put_off;
  if (code == 0 || has_begun_nothing) return code;
  return settle_after(world, order->job, settings, code);
}

}  // namespace tyer::cli
