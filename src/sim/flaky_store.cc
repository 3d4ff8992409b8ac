#include "sim/flaky_store.h"

namespace tyer::sim {
namespace {

std::unexpected<Error> no_answer() {
  return fail(Fault::unavailable, "the store does not answer");
}

}  // namespace

Result<store::Begun> FlakyStore::begin(std::span<const std::string> keys) {
  if (weather_.cut) return no_answer();
  if (trouble()) {
    if (rng_.one_in(2)) return fail(Fault::timeout, "the store is busy");
    return no_answer();
  }
  return real_.begin(keys);
}

Result<> FlakyStore::commit(const store::Writes& writes) {
  if (!trouble()) return commit_flawed(writes);
  switch (rng_.below(5)) {
    case 0: real_.rollback(); return fail(Fault::limit, "the disk is full");
    case 1: real_.rollback(); return no_answer();
    case 2: TYER_TRY_OK(commit_flawed(writes)); return no_answer();
    case 3:
      real_.rollback();
      die_();
      return no_answer();
    default:
      TYER_TRY_OK(commit_flawed(writes));
      die_();
      return no_answer();
  }
}

Result<> FlakyStore::commit_flawed(store::Writes writes) {
  if (flaw_ == Flaw::no_monotonic_heartbeat) {
    for (auto& [key, lease] : writes.leases) {
      if (lease) lease->granted_mono = lease->heard_mono = std::nullopt;
    }
  }
  if (flaw_ != Flaw::cursor_apart_from_effect || writes.cursors.empty()) return commit_now(writes);
  store::Writes cursors;
  cursors.cursors = std::exchange(writes.cursors, {});
  TYER_TRY_OK(commit_now(writes));
  if (trouble()) {
    die_();
    return no_answer();
  }
  TYER_TRY_OK(real_.begin({}));
  return commit_now(cursors);
}

Result<> FlakyStore::commit_now(const store::Writes& writes) {
  ++commits_;
  return real_.commit(writes);
}

Result<Time> FlakyStore::now() {
  if (weather_.cut) return no_answer();
  return real_.now();
}

Result<> FlakyStore::read(const std::function<Result<>(const core::View&)>& reader) {
  if (weather_.cut || trouble()) return no_answer();
  return real_.read(reader);
}

}  // namespace tyer::sim
