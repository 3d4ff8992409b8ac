#include "engine/engine.h"

namespace tyer::engine {

Engine::Engine(env::Env& env, store::Store& store, const core::Catalog& catalog)
    : Engine(env, store, catalog,
             [&store](const store::Work& work) { return store::write(store, work); }) {}

Engine::Engine(env::Env& env, store::Store& store, const core::Catalog& catalog, Commit commit)
    : env_(env), store_(store), catalog_(catalog), commit_(std::move(commit)) {}

Result<Applied> Engine::apply(const Origin& origin, const Decision& decision,
                              std::vector<std::string> keys) {
  Applied applied;
  const auto run = [&](store::Txn& txn) -> Result<> {
    TYER_TRY(core::Change change, decision(txn, txn.now()));
    if (change.empty() && change.under.empty()) return {};
    TYER_TRY(applied, engine::apply(txn, catalog_, std::move(change), origin));
    return {};
  };
  TYER_TRY_OK(write({run, std::move(keys)}));
  return applied;
}

}  // namespace tyer::engine
