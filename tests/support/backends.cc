#include "support/backends.h"

#include <atomic>

#include <fmt/format.h>

#include "base/check.h"
#include "support/postgres_server.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

class DirectoryBackend final : public Backend {
 public:
  explicit DirectoryBackend(const std::string& scheme) : url_(scheme + ":" + (dir_ / "store")) {}

  Result<std::unique_ptr<store::Store>> open(env::Env& env, store::Durability durability) override {
    return store::open(url_, env, {.durability = durability});
  }

  Result<std::unique_ptr<store::Uploads>> uploads(env::Env& env,
                                                  const std::string& scratch) override {
    return store::open_uploads(url_, env, {}, scratch);
  }

 private:
  TempDir dir_;
  std::string url_;
};

// Opened twice it is still one database, which lives as long as the backend.
class MemoryBackend final : public Backend {
 public:
  Result<std::unique_ptr<store::Store>> open(env::Env& env, store::Durability durability) override {
    if (!store_) {
      TYER_TRY(store_, store::open("sqlite::memory:", env, {.durability = durability}));
    }
    return std::make_unique<Handle>(*store_);
  }

 private:
  class Handle final : public store::Store {
   public:
    explicit Handle(store::Store& store) : store_(store) {}
    Result<store::Begun> begin(std::span<const std::string> keys) override {
      return store_.begin(keys);
    }
    Result<> commit(const store::Writes& writes) override { return store_.commit(writes); }
    void rollback() override { store_.rollback(); }
    Result<Time> now() override { return store_.now(); }
    Result<> read(const std::function<Result<>(const core::View&)>& reader) override {
      return store_.read(reader);
    }
    Result<std::unique_ptr<store::Watch>> watch() override { return store_.watch(); }
    Result<std::vector<std::string>> check() override { return store_.check(); }
    std::string name() const override { return store_.name(); }

   private:
    store::Store& store_;
  };

  std::unique_ptr<store::Store> store_;
};

class PostgresBackend final : public Backend {
 public:
  PostgresBackend() : space_(fmt::format("test{}", ++count_)) {}

  Result<std::unique_ptr<store::Store>> open(env::Env& env, store::Durability durability) override {
    return store::open(shared_postgres().url(), env, {.durability = durability, .space = space_});
  }

  Result<std::unique_ptr<store::Uploads>> uploads(env::Env& env,
                                                  const std::string& scratch) override {
    return store::open_uploads(shared_postgres().url(), env, {.space = space_}, scratch);
  }

 private:
  static inline std::atomic<int> count_ = 0;
  const std::string space_;
};

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names{"sqlite", "memory", "postgres", "files"};
  return names;
}

std::unique_ptr<Backend> make_backend(const std::string& name) {
  if (name == "memory") return std::make_unique<MemoryBackend>();
  if (name == "postgres") return std::make_unique<PostgresBackend>();
  TYER_CHECK(name == "sqlite" || name == "files", "a backend has a known name");
  return std::make_unique<DirectoryBackend>(name);
}

}  // namespace tyer::testing
