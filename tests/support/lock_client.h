// Processes that ask for locks in a real store.
//
// A client asks from a thread of the test, but in the name of a process of its
// own, which does nothing and can be killed: runs of one process would take
// their locks from each other (L7).

#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "env/linux_env.h"
#include "lock/locks.h"
#include "lock/waiting.h"
#include "support/backends.h"
#include "support/forked.h"

namespace tyer::testing {

// A store that was opened anew, as by another process.
struct LockStore {
  explicit LockStore(Backend& backend);

  env::LinuxEnv env;
  core::Catalog catalog;
  std::unique_ptr<store::Store> store;
  engine::Engine engine;
  lock::Locks locks;

  [[nodiscard]] std::optional<core::Lease> lease(const std::string& name);
  [[nodiscard]] std::vector<core::Lease> tickets(const std::string& name);
  [[nodiscard]] std::vector<core::Event> events(const std::string& name);

  // Waits until `holds` is true, looking after every commit. Fails the test after a minute.
  void await(const std::function<bool()>& holds);
  void await_tickets(const std::string& name, std::size_t count);
};

struct LockClient : LockStore {
  // Starts the process: before any thread does.
  LockClient(Backend& backend, std::string its_run);

  const std::string run;
  Forked process;

  [[nodiscard]] lock::Request request(std::vector<std::string> names);
  // It must be free.
  core::Lease take(const std::string& name, Span silence_max = limits::silence_max,
                   Span hold_max = limits::hold_max);
};

// What a thread of its own acquires for `client`, waiting if need be.
using Answer = std::future<Result<lock::Outcome>>;
[[nodiscard]] Answer ask(LockClient& client, const lock::Request& request,
                         const lock::Patience& patience = {give_up_after, {}});
[[nodiscard]] Answer ask(LockClient& client, const std::vector<std::string>& names);

// Whose the first lock is; "nobody", or what went wrong.
[[nodiscard]] std::string run_of(const Result<lock::Outcome>& outcome);

// What a process does that only has to be there.
int be_idle();

}  // namespace tyer::testing
