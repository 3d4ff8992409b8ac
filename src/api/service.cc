#include "api/service.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "api/answer.h"
#include "api/broadcast.h"
#include "api/guard.h"
#include "api/limits.h"
#include "api/presence.h"
#include "api/uploads.h"
#include "api/waits.h"
#include "engine/loop.h"
#include "engine/pump.h"
#include "engine/sweeper.h"
#include "engine/timers.h"
#include "engine/writer.h"
#include "env/descriptors.h"

namespace tyer::api {
namespace {

http::Response not_yet() {
  return answer(Error{Fault::unavailable, "the hub is starting"});
}

}  // namespace

class Service::Running {
 public:
  Running(env::Env& env, store::Store& store, const core::Catalog& catalog, const Log& log)
      : store_(store),
        log_(log),
        writer_(store),
        engine_(env, store, catalog,
                [this](const store::Work& work) { return writer_.write(work); }),
        presence_(engine_, log),
        broadcast_(engine_, presence_),
        waits_(engine_, store),
        pump_(engine_),
        timers_(engine_),
        sweeper_(engine_) {}

  Result<> start(ServiceOptions options) {
    env::allow_many_descriptors();  // Each stream is one.
    HubOptions hub = std::move(options.hub);
    hub.secure = options.tls.has_value();
    TYER_TRY_OK(prepare_uploads(engine_.env().files, hub, options.limits));
    TYER_TRY(const std::size_t taken, take_over_uploads(engine_.env().files, hub, store_));
    if (taken > 0) log_.info("took over files of an older hub", {{"files", std::to_string(taken)}});
    set_limits(options.limits);
    // The server is there before the hub: only it knows its port.
    TYER_TRY(server_, http::Server::start(
                          options.listen,
                          [this](http::Request& request) {
                            Hub* const ready = await_hub();
                            return ready != nullptr ? ready->handle(request) : not_yet();
                          },
                          std::move(options.limits), std::move(options.tls)));
    for (const std::string& host : own_hosts(server_->address())) hub.hosts.push_back(host);
    hub_.emplace(engine_, log_, std::move(hub), &broadcast_);
    hub_->set_waits(&waits_);
    hub_->set_presence(&presence_);
    // Before its worker has found its way here.
    if (options.serves_all) presence_.came_for_all();
    waits_.set_hint([this] { hint(Part::waits); });
    TYER_TRY_OK(broadcast_.open());
    presence_.set_hint([this] { hint(Part::presence); });
    broadcast_.set_hint([this] { hint(Part::streams); });
    broadcast_.set_rules_hint([this] { hint(Part::rules); });
    start_loop(Part::presence, "presence", [this](Time now) { return presence_.step(now); });
    start_loop(Part::streams, "streams", [this](Time now) { return broadcast_.step(now); });
    start_loop(Part::waits, "waits", [this](Time now) {
      hub_->offers().beat();
      return waits_.step(now);
    });
    start_loop(Part::rules, "rules", [this](Time now) { return pump_.step(now); });
    start_loop(Part::timers, "timers", [this](Time now) { return timers_.step(now); });
    start_loop(Part::leases, "leases", [this](Time now) { return sweeper_.step(now); });
    writer_.on_commit([this] { hint_readers(); });
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
    {
      const std::lock_guard lock(mutex_);
      ready_ = &*hub_;
    }
    started_.notify_all();
    return {};
  }

  // Nobody may hint at what has gone.
  ~Running() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    started_.notify_all();
    end_loop(Part::waits);
    waits_.part();
    if (hub_) hub_->offers().part();
    if (server_) server_->stop(Span::zero());
    watcher_.request_stop();
    if (watcher_.joinable()) watcher_.join();
    for (const Part which : all_parts) end_loop(which);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] std::string address() const { return server_->address(); }

  [[nodiscard]] Result<> renew_certificate() { return server_->renew_tls(); }

  void stop(Span grace) {
    end_loop(Part::waits);
    waits_.part();
    if (hub_) hub_->offers().part();
    end_loop(Part::streams);
    broadcast_.part();
    server_->stop(grace);
    end_loop(Part::presence);
    if (const Result<> ended = presence_.end(); !ended) {
      log_.warn("agents stay online until the next hub starts", {{"why", ended.error().what}});
    }
    watcher_.request_stop();
  }

 private:
  enum class Part : std::uint8_t { presence, streams, waits, rules, timers, leases };
  static constexpr std::array all_parts{Part::presence, Part::streams, Part::waits,
                                        Part::rules,    Part::timers,  Part::leases};

  void set_limits(http::Limits& limits) {
    limits.io_threads =
        std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, limits::io_threads_max);
    limits.per_peer = limits::peer_connections_max;
    limits.per_loopback = limits::loopback_connections_max;
    limits.body_limit = Hub::body_limit;
    limits.admit = [this](const http::Request& head) {
      Hub* const ready = await_hub();
      return ready != nullptr ? ready->admit(head) : http::Admission{.refusal = not_yet()};
    };
    limits.admits_at_once = [this] { return store_.is_private() && ready_.load() != nullptr; };
    if (store_.is_private()) {
      limits.quick = [this](const http::Request& request) {
        return ready_.load() != nullptr && Hub::is_quick(request);
      };
    }
  }

  // Who comes while we start waits a moment: an EventSource that is told 503 never comes back.
  Hub* await_hub() {
    Hub* const ready = ready_.load();
    if (ready != nullptr) return ready;
    std::unique_lock lock(mutex_);
    started_.wait_for(lock, limits::start_time, [this] { return ready_ != nullptr || is_ending_; });
    return ready_;
  }

  void start_loop(Part which, const char* name, engine::Step step) {
    auto loop = std::make_unique<engine::Loop>(name, engine_.env().clock, log_, std::move(step));
    const std::lock_guard lock(mutex_);
    loops_[which] = std::move(loop);
  }

  void end_loop(Part which) {
    std::unique_ptr<engine::Loop> loop;
    {
      const std::lock_guard lock(mutex_);
      loop = std::exchange(loops_[which], nullptr);
    }
    // Outside: it waits for its step, which may hint.
    loop.reset();
  }

  void hint(Part which) {
    const std::lock_guard lock(mutex_);
    if (const auto found = loops_.find(which); found != loops_.end() && found->second) {
      found->second->hint();
    }
  }

  // Something was committed.
  void hint_readers() {
    hint(Part::streams);
    if (waits_.is_awaited()) hint(Part::waits);
  }

  // Others write the store too: commands, other hubs.
  void watch(const std::stop_token& stop) {
    auto watch = store_.watch();
    while (!stop.stop_requested()) {
      if (!watch) {
        // Without it everything is seen a little later. The store may come back.
        log_.warn("the store cannot be watched", {{"why", watch.error().what}});
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, stop, limits::watch_again_every,
                                               [] { return false; });
        watch = store_.watch();
        continue;
      }
      const auto seen = (*watch)->wait(limits::stream_poll_every);
      if (!seen) watch = store_.watch();
      if (seen && *seen) hint_readers();
    }
  }

  store::Store& store_;
  const Log& log_;
  std::mutex mutex_;
  std::map<Part, std::unique_ptr<engine::Loop>> loops_;
  engine::Writer writer_;
  engine::Engine engine_;
  Presence presence_;
  Broadcast broadcast_;
  Waits waits_;
  engine::Pump pump_;
  engine::Timers timers_;
  engine::Sweeper sweeper_;
  std::optional<Hub> hub_;
  std::atomic<Hub*> ready_ = nullptr;
  std::condition_variable started_;
  bool is_ending_ = false;
  std::unique_ptr<http::Server> server_;
  std::jthread watcher_;
};

Service::Service(std::unique_ptr<Running> running) : running_(std::move(running)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(env::Env& env, store::Store& store,
                                                const core::Catalog& catalog, const Log& log,
                                                ServiceOptions options) {
  auto running = std::make_unique<Running>(env, store, catalog, log);
  TYER_TRY_OK(running->start(std::move(options)));
  return std::unique_ptr<Service>(new Service(std::move(running)));
}

std::string Service::address() const {
  return running_->address();
}

Result<> Service::renew_certificate() {
  return running_->renew_certificate();
}

void Service::stop(Span grace) {
  running_->stop(grace);
}

}  // namespace tyer::api
