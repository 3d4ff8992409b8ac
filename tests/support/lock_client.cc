#include "support/lock_client.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "engine/limits.h"
#include "env/linux_clock.h"
#include "support/engine_world.h"

namespace tyer::testing {

LockStore::LockStore(Backend& backend)
    : store(must(backend.open(env.env(), store::Durability::full))),
      engine(env.env(), *store, catalog),
      locks(engine) {}

std::optional<core::Lease> LockStore::lease(const std::string& name) {
  std::optional<core::Lease> found;
  must(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.lease("lock/" + name));
    return {};
  }));
  return found;
}

std::vector<core::Lease> LockStore::tickets(const std::string& name) {
  std::vector<core::Lease> found;
  must(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, core::tickets(view, "lock/" + name));
    return {};
  }));
  return found;
}

std::vector<core::Event> LockStore::events(const std::string& name) {
  std::vector<core::Event> found;
  must(store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.events({.root = "lock/" + name}));
    return {};
  }));
  return found;
}

void LockStore::await(const std::function<bool()>& holds) {
  const auto watch = must(store->watch());
  const env::LinuxClock clock;
  const Span until = clock.mono() + give_up_after;
  while (!holds()) {
    const Span left = until - clock.mono();
    ASSERT_GT(left, Span::zero()) << "it did not happen in time";
    must(watch->wait(std::min(left, limits::poll_every)));  // The hint may come too early.
  }
}

void LockStore::await_tickets(const std::string& name, std::size_t count) {
  await([&] { return tickets(name).size() == count; });
}

LockClient::LockClient(Backend& backend, std::string its_run)
    : LockStore(backend), run(std::move(its_run)), process(be_idle) {}

lock::Request LockClient::request(std::vector<std::string> names) {
  return {.names = std::move(names),
          .holder = must(env.env().processes.holder(process.pid(), run)),
          .command = "/wf:build"};
}

core::Lease LockClient::take(const std::string& name, Span silence_max, Span hold_max) {
  lock::Request wanted = request({name});
  wanted.silence_max = silence_max;
  wanted.hold_max = hold_max;
  const lock::Outcome outcome = must(locks.acquire(wanted));
  EXPECT_EQ(outcome.got.size(), 1U);
  return outcome.got.empty() ? core::Lease{} : outcome.got.front();
}

Answer ask(LockClient& client, const lock::Request& request, const lock::Patience& patience) {
  return std::async(std::launch::async, [&client, request, patience] {
    return lock::acquire(client.locks, *client.store, request, patience);
  });
}

Answer ask(LockClient& client, const std::vector<std::string>& names) {
  return ask(client, client.request(names));
}

std::string run_of(const Result<lock::Outcome>& outcome) {
  if (!outcome) return outcome.error().what;
  return outcome->got.empty() ? "nobody" : outcome->got.front().holder.run;
}

int be_idle() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (true) pause();
}

}  // namespace tyer::testing
