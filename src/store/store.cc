#include "store/store.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "store/limits.h"
#include "store/txn.h"

namespace tyer::store {

Result<Time> Store::now() {
  TYER_TRY(const Begun begun, begin({}));
  rollback();
  return begun.now;
}

namespace {

void settle(std::span<const Work> works, const std::vector<Result<>>& results) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i].settled) works[i].settled(results[i]);
  }
}

// Whether those who want to know have been told.
bool run_all(Store& store, std::span<const Work> works, std::vector<Result<>>& results) {
  std::vector<std::string> keys;
  for (const Work& work : works) std::ranges::copy(work.keys, std::back_inserter(keys));
  auto begun = store.begin(keys);
  if (!begun) {
    for (Result<>& result : results) result = std::unexpected(begun.error());
    return false;
  }
  Txn txn(*std::move(begun), works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    results[i] = txn.attempt([&] { return works[i].run(txn); });
  }
  if (txn.writes().empty()) {
    store.rollback();
    return false;
  }
  bool is_told = false;
  txn.when_committed([&] {
    settle(works, results);
    is_told = true;
  });
  if (const Result<> committed = store.commit(txn.writes()); !committed) {
    for (Result<>& result : results) {
      if (result) result = std::unexpected(committed.error());
    }
  }
  return is_told;
}

}  // namespace

std::vector<Result<>> write_all(Store& store, std::span<const Work> works) {
  TYER_CHECK(works.size() <= limits::batch_works_max, "law 7: a batch has a bound");
  std::vector<Result<>> results(works.size());
  if (works.empty()) return results;
  if (!run_all(store, works, results)) settle(works, results);
  return results;
}

Result<> write(Store& store, const Work& work) {
  return write_all(store, {&work, 1}).front();
}

}  // namespace tyer::store
