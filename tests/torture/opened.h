// A store that this process has opened, and its locks.

#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"
#include "env/linux_env.h"
#include "lock/locks.h"
#include "store/open.h"

namespace tyer::torture {

struct Opened {
  explicit Opened(std::unique_ptr<env::LinuxEnv> its_env, std::unique_ptr<store::Store> its_store)
      : linux_env(std::move(its_env)),
        store(std::move(its_store)),
        engine(linux_env->env(), *store, catalog),
        locks(engine) {}

  std::unique_ptr<env::LinuxEnv> linux_env;
  core::Catalog catalog;
  std::unique_ptr<store::Store> store;
  engine::Engine engine;
  lock::Locks locks;

  [[nodiscard]] env::Env& env() const { return linux_env->env(); }
  [[nodiscard]] std::string new_run() const {
    return uuid7(env().clock.now(), env().random.bits());
  }
};

// Killed processes lose nothing with `normal`, and the disk is not what is tortured.
[[nodiscard]] inline Result<std::unique_ptr<Opened>> open(const std::string& url) {
  auto linux_env = std::make_unique<env::LinuxEnv>();
  TYER_TRY(auto store,
           store::open(url, linux_env->env(), {.durability = store::Durability::normal}));
  return std::make_unique<Opened>(std::move(linux_env), std::move(store));
}

// The locks that are fought for.
[[nodiscard]] inline std::string name_of_key(std::size_t number) {
  return "key-" + std::to_string(number);
}

}  // namespace tyer::torture
