#include "cli/repository_work.h"

#include <sys/eventfd.h>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/limits.h"
#include "cli/locking.h"
#include "cli/matters.h"
#include "cli/stop_signals.h"
#include "engine/keeper.h"
#include "engine/loop.h"
#include "env/front.h"
#include "lock/waiting.h"

namespace tyer::cli {
namespace {

// On the store in any case: a hub elsewhere knows nothing of the repositories here.
std::expected<Locking, Failure> open_store_locks(World& world, const Arguments& arguments) {
  Locking locking;
  TYER_TRY(locking.settings, load_settings(world, arguments));
  TYER_TRY(locking.store, open_store(world, locking.settings, Access::write));
  locking.set_up(world);
  return locking;
}

// Beats in a thread of its own while git is waited for.
class RepositoryHeart {
 public:
  RepositoryHeart(World& world, Locking& locking, const core::Lease& lease, Span asked, int lost_fd)
      : world_(world), keeper_(*locking.engine, locking.settings.heartbeat), lost_fd_(lost_fd) {
    keeper_.hold(lease, asked);
    loop_.emplace("keeper", world.env.clock, log_, [this](Time now) { return step(now); });
  }

 private:
  Result<Time> step(Time now) {
    Result<Time> next = keeper_.step(now);
    for (const engine::Lost& lost : keeper_.take_lost()) {
      world_.output.warn(
          fmt::format("tyer: the repository was lost: {}\n", printable(lost.why, 400)));
      ::eventfd_write(lost_fd_, 1);
    }
    return next;
  }

  World& world_;
  engine::Keeper keeper_;
  const int lost_fd_;
  const Log log_;
  std::optional<engine::Loop> loop_;  // Last: it uses everything above.
};

// "tyer worktree add worker": what `tyer lock list` shows.
std::string doing_of(const Arguments& arguments) {
  const std::string name = arguments.value("NAME").value_or("");
  return fmt::format("tyer {}{}{}", arguments.command().name, name.empty() ? "" : " ", name);
}

}  // namespace

Done work_on_repository(World& world, const Arguments& arguments, const RepositoryWork& work) {
  const RepositoryTask task{.doing = doing_of(arguments),
                            .open = [&] { return open_store_locks(world, arguments); }};
  TYER_TRY(const int code, env::run_behind_front([&](const env::Front& front) {
             return finish(work_behind_front(world, task, front, work), world,
                           arguments.has("--json"));
           }));
  return code;
}

Done work_behind_front(World& world, const RepositoryTask& task, const env::Front& front,
                       const RepositoryWork& work) {
  // Others, like that of a window that was resized, do not end the work.
  const env::Fd signals = watch_ending_signals();
  const env::Fd lost(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Progress progress(world.output, world.env.clock);
  const git::Runner runner(
      world.env, world.environment,
      {.stop_fds = {signals.get(), front.gone_fd(), lost.get(), task.stop_fd},
       .busy = [&](std::string_view what) {
         progress.show(fmt::format("{}: git {} is at work…", task.doing, what));
       }});
  TYER_TRY(const git::Repository repository, open_repository(world, runner, world.directory));
  TYER_TRY(Locking locking, task.open());
  const std::string session = uuid7(world.env.clock.now(), world.env.random.bits());
  const lock::Request request{.names = {lock_of(repository)},
                              .holder = world.env.processes.self(session),
                              .command = task.doing,
                              .silence_max = locking.settings.silence,
                              .hold_max = limits::repository_hold};
  TYER_TRY(const lock::Outcome outcome,
           lock::acquire(*locking.locks, *locking.store, request,
                         {.at_most = limits::repository_wait,
                          .stop_fds = {signals.get(), front.gone_fd(), task.stop_fd}}));
  if (outcome.got.empty()) {
    return std::unexpected(
        Failure{{Fault::timeout, fmt::format("others have worked on the repository for {}",
                                             describe_span(limits::repository_wait))},
                fmt::format("'tyer lock check {}' says who", request.names.front())});
  }
  Done done = 0;
  {
    const RepositoryHeart heart(world, locking, outcome.got.front(), outcome.asked, lost.get());
    done = work(runner, repository, *locking.engine);
  }
  // One that was lost is not there to be released.
  (void)locking.locks->release(request.names.front(), session);
  return done;
}

Done look_at_repository(World& world, const RepositoryLook& look) {
  const git::Runner runner(world.env, world.environment);
  TYER_TRY(const git::Repository repository, open_repository(world, runner, world.directory));
  return look(runner, repository);
}

std::string lock_of(const git::Repository& repository) {
  return "repo/" + repository.id;
}

World world_at(const World& world, const std::string& directory) {
  return {world.env, world.catalog, world.output, world.environment, directory, world.program};
}

}  // namespace tyer::cli
