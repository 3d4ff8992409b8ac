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

std::vector<Result<>> write_all(Store& store, std::span<const Work> works) {
  TYER_CHECK(works.size() <= limits::batch_works_max, "law 7: a batch has a bound");
  std::vector<Result<>> results(works.size());
  if (works.empty()) return results;

  std::vector<std::string> keys;
  for (const Work& work : works) std::ranges::copy(work.keys, std::back_inserter(keys));
  auto begun = store.begin(keys);
  if (!begun) {
    for (Result<>& result : results) result = std::unexpected(begun.error());
    return results;
  }
  Txn txn(*std::move(begun), works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    results[i] = txn.attempt([&] { return works[i].run(txn); });
  }
  if (txn.writes().empty()) {
    store.rollback();
    return results;
  }
  if (const Result<> committed = store.commit(txn.writes()); !committed) {
    for (Result<>& result : results) {
      if (result) result = std::unexpected(committed.error());
    }
  }
  return results;
}

Result<> write(Store& store, const Work& work) {
  return write_all(store, {&work, 1}).front();
}

}  // namespace tyer::store
