// Locks in a store that is at hand.

#include "env/wait_readable.h"
#include "lock/desk.h"

namespace tyer::lock {
namespace {

class NearDesk : public Desk {
 public:
  NearDesk(Locks& locks, store::Store& store) : locks_(locks), store_(store) {}

  Result<Outcome> acquire(const Request& request, const Patience& patience) override {
    return lock::acquire(locks_, store_, request, patience);
  }
  Result<core::Lease> renew(const std::string& name, const std::string& run) override {
    return locks_.renew(name, run);
  }
  Result<core::Lease> release(const std::string& name, const std::string& run) override {
    return locks_.release(name, run);
  }
  Result<Broken> break_lock(const std::string& name, std::uint64_t token, const std::string& actor,
                            const std::string& why) override {
    return locks_.break_lock(name, token, actor, {.why = why});
  }
  Result<std::optional<Seen>> look(const std::string& name) override { return locks_.look(name); }
  Result<std::vector<Seen>> list() override { return locks_.list(); }
  Result<core::Lease> report_gone(const core::Lease& seen, const std::string& evidence) override {
    return locks_.report_gone(seen, "run/" + seen.holder.run, evidence);
  }
  engine::Renew renewer() override { return engine::renew_in(locks_.engine()); }

  // A hint that fails, or a store that cannot be watched, costs the rest of the time.
  Result<> rest(std::span<const core::Lease>, std::span<const int> fds, Span at_most) override {
    const bool is_first = !watch_;
    if (is_first) {
      if (auto watch = store_.watch()) watch_ = *std::move(watch);
    }
    std::vector<int> all(fds.begin(), fds.end());
    if (watch_) all.push_back(watch_->fd());
    // Before the first one nobody watched.
    TYER_TRY_OK(env::wait_any(all, is_first && watch_ ? Span::zero() : at_most));
    if (watch_) (void)watch_->wait(Span::zero());
    return {};
  }

  env::Env& env() const override { return locks_.engine().env(); }

 private:
  Locks& locks_;
  store::Store& store_;
  std::unique_ptr<store::Watch> watch_;
};

}  // namespace

std::unique_ptr<Desk> make_near_desk(Locks& locks, store::Store& store) {
  return std::make_unique<NearDesk>(locks, store);
}

}  // namespace tyer::lock
