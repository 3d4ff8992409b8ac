// Deciding and committing: a decision sees the store as it is inside the write
// transaction, so it never works on something stale and never has to retry.
//
//   auto applied = engine.apply({"alice"}, [&](const View& view, Time now) -> Result<Change> {…});

#pragma once

#include <functional>

#include "core/kind.h"
#include "engine/apply.h"
#include "env/env.h"
#include "store/store.h"

namespace tyer::engine {

using Decision = std::function<Result<core::Change>(const core::View& view, Time now)>;

// How works reach the store: directly, or through a queue that lets waiting
// writers share a commit (writer.h).
using Commit = std::function<Result<>(const store::Work& work)>;

class Engine {
 public:
  Engine(env::Env& env, store::Store& store, const core::Catalog& catalog);
  Engine(env::Env& env, store::Store& store, const core::Catalog& catalog, Commit commit);

  // Decides and applies in one transaction. An empty change writes nothing.
  // `keys`: whose subject and lease it will look at, as far as that is known.
  [[nodiscard]] Result<Applied> apply(const Origin& origin, const Decision& decision,
                                      std::vector<std::string> keys = {});

  // One transaction for what needs more than a decision: cursors, several changes.
  [[nodiscard]] Result<> write(const store::Work& work) { return commit_(work); }
  [[nodiscard]] Result<> read(const std::function<Result<>(const core::View&)>& reader) {
    return store_.read(reader);
  }

  [[nodiscard]] Result<Time> store_time() { return store_.now(); }

  [[nodiscard]] env::Env& env() const { return env_; }
  [[nodiscard]] const core::Catalog& catalog() const { return catalog_; }

 private:
  env::Env& env_;
  store::Store& store_;
  const core::Catalog& catalog_;
  Commit commit_;
};

}  // namespace tyer::engine
