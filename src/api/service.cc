#include "api/service.h"

#include <atomic>
#include <mutex>
#include <thread>

#include "api/answer.h"
#include "api/broadcast.h"
#include "api/guard.h"
#include "api/limits.h"
#include "engine/loop.h"
#include "engine/pump.h"
#include "engine/sweeper.h"
#include "engine/timers.h"
#include "engine/writer.h"

namespace tyer::api {
namespace {

// Names and addresses that mean this machine, if we listen on it.
std::vector<std::string> own_hosts(const std::string& address) {
  if (!is_loopback(address)) return {address};
  const std::string port = address.substr(address.rfind(':'));
  return {"127.0.0.1" + port, "localhost" + port, "[::1]" + port};
}

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
        broadcast_(engine_, log),
        pump_(engine_),
        timers_(engine_),
        sweeper_(engine_) {}

  Result<> start(ServiceOptions options) {
    env::Env& env = engine_.env();
    const env::Clock& clock = env.clock;
    HubOptions hub = std::move(options.hub);
    hub.secure = options.tls.has_value();
    // The server is there before the hub: only it knows its port.
    TYER_TRY(server_, http::Server::start(
                          options.listen,
                          [this](http::Request& request) {
                            Hub* const ready = ready_.load();
                            return ready != nullptr ? ready->handle(request) : not_yet();
                          },
                          std::move(options.limits), std::move(options.tls)));
    for (const std::string& host : own_hosts(server_->address())) hub.hosts.push_back(host);
    hub_.emplace(engine_, log_, std::move(hub), &broadcast_);
    loops_.push_back(std::make_unique<engine::Loop>(
        "streams", clock, log_, [this](Time now) { return broadcast_.step(now); }));
    engine::Loop* const streams = loops_.back().get();
    broadcast_.set_hint([this] { hint_all(); });
    loops_.push_back(std::make_unique<engine::Loop>("rules", clock, log_,
                                                    [this](Time now) { return pump_.step(now); }));
    engine::Loop* const rules = loops_.back().get();
    loops_.push_back(std::make_unique<engine::Loop>(
        "timers", clock, log_, [this](Time now) { return timers_.step(now); }));
    loops_.push_back(std::make_unique<engine::Loop>(
        "leases", clock, log_, [this](Time now) { return sweeper_.step(now); }));
    {
      const std::lock_guard lock(mutex_);
      hinted_ = {streams, rules};
    }
    const auto hint = [this] { hint_all(); };
    writer_.on_commit(hint);
    watcher_ = std::jthread([this, hint](const std::stop_token& stop) { watch(stop, hint); });
    ready_ = &*hub_;
    return {};
  }

  // Nobody may hint at what has gone.
  ~Running() {
    if (server_) server_->stop(Span::zero());
    watcher_.request_stop();
    if (watcher_.joinable()) watcher_.join();
    {
      const std::lock_guard lock(mutex_);
      hinted_.clear();
    }
    loops_.clear();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  [[nodiscard]] std::string address() const { return server_->address(); }

  void stop(Span grace) {
    server_->stop(grace);
    watcher_.request_stop();
  }

 private:
  // Others write the store too: commands, other hubs.
  void watch(const std::stop_token& stop, const std::function<void()>& hint) {
    auto watch = store_.watch();
    while (!stop.stop_requested()) {
      if (!watch) {
        log_.warn("the store cannot be watched", {{"why", watch.error().what}});
        return;
      }
      const auto seen = (*watch)->wait(limits::stream_poll_every);
      if (!seen) watch = store_.watch();
      if (seen && *seen) hint();
    }
  }

  void hint_all() {
    const std::lock_guard lock(mutex_);
    for (engine::Loop* const loop : hinted_) loop->hint();
  }

  store::Store& store_;
  const Log& log_;
  std::mutex mutex_;
  std::vector<engine::Loop*> hinted_;  // Those that a commit wakes.
  engine::Writer writer_;
  engine::Engine engine_;
  Broadcast broadcast_;
  engine::Pump pump_;
  engine::Timers timers_;
  engine::Sweeper sweeper_;
  std::optional<Hub> hub_;
  std::atomic<Hub*> ready_ = nullptr;
  std::unique_ptr<http::Server> server_;
  std::vector<std::unique_ptr<engine::Loop>> loops_;
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

void Service::stop(Span grace) {
  running_->stop(grace);
}

}  // namespace tyer::api
