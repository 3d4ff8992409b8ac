// tyer worker and tyer up: what is written for agents becomes runs (W8, W14, W15, W16).

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include <fmt/format.h>

#include "api/service.h"
#include "base/id.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/end_signals.h"
#include "cli/hub_start.h"
#include "cli/keeper_start.h"
#include "cli/limits.h"
#include "cli/served_agents.h"
#include "cli/status_view.h"
#include "cli/workspace.h"
#include "env/os_error.h"
#include "run/settle.h"
#include "work/limits.h"
#include "work/worker.h"

namespace tyer::cli {
namespace {

// What is seen of a worker: on a terminal a table, and lines for what is wrong; elsewhere a log.
struct Face {
  Face(World& world, const Arguments& arguments)
      : has_table(world.output.on_terminal() && !arguments.has("--json")),
        view(world),
        log(make_log(world.output, world.env.clock,
                     arguments.has("--json") ? Log::Form::json : Log::Form::text,
                     // What the table shows is not told by lines as well.
                     has_table ? Level::warn : Level::info,
                     [this, is_seen = world.output.errors_on_terminal()] {
                       if (is_seen) view.step_aside();
                     })) {}

  void watch(work::Worker& worker) {
    if (!has_table) return;
    worker.on_change([this](const std::vector<work::Row>& rows) { view.show(rows); });
    worker.on_leave([this](std::size_t runs, Span time) { view.say(leaving_words(runs, time)); });
    worker.on_hub_back([this] { view.say("The hub is back."); });
  }

  const bool has_table;
  StatusView view;
  const Log log;
};

Result<std::size_t> read_at_once(const Arguments& arguments) {
  const auto text = arguments.value("--max-runs");
  if (!text) return limits::runs_at_once;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc{} && end == text->data() + text->size() && number > 0 &&
      number <= limits::runs_at_once_max) {
    return number;
  }
  return fail(Fault::invalid, fmt::format("--max-runs '{}' is not a number from 1 to {}",
                                          printable(*text, 80), limits::runs_at_once_max));
}

// Keepers for a worker.
class Keepers {
 public:
  // `own_hub`: see work::Order.
  Keepers(World& world, run::Job job, std::optional<limits::FeedRules> own_hub)
      : world_(world), job_(std::move(job)), own_hub_(own_hub) {}

  Result<work::Worker::Started> start(work::Call call, const work::Identity& identity) {
    call.run = uuid7(world_.env.clock.now(), world_.env.random.bits());
    TYER_TRY(work::Worker::Offering keeper, make({}, identity));
    TYER_TRY_OK(send(keeper.socket, work::encode(call)));
    keeper.process.run = call.run;
    return std::move(keeper.process);
  }

  Result<work::Worker::Offering> offer(const work::Identity& identity) {
    return make({.offers = true, .agents = identity.agents, .sessions = identity.sessions},
                identity);
  }

 private:
  // Nobody reads it yet: it has to fit into the socket.
  static Result<> send(const env::Fd& socket, std::string line) {
    line += '\n';
    const ssize_t sent = env::uninterrupted([&] {
      return ::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    });
    if (sent == static_cast<ssize_t>(line.size())) return {};
    if (sent < 0 && errno != EAGAIN) {
      return std::unexpected(env::os_error(errno, "write", "an order"));
    }
    return fail(Fault::limit, fmt::format("an order of {} bytes is too long for this system; most "
                                          "of it is the worker's environment, which is to be "
                                          "smaller",
                                          line.size()));
  }

  Result<work::Worker::Offering> make(work::Order order, const work::Identity& identity) {
    order.hub = identity.hub.url;
    order.key = identity.hub.key;
    order.job = job_;
    order.own_hub = own_hub_;
    order.job.id = uuid7(world_.env.clock.now(), world_.env.random.bits());
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return std::unexpected(env::os_error(errno, "make", "a pair of sockets"));
    }
    work::Worker::Offering keeper{.process = {.run = order.job.id}, .socket = env::Fd(ends[0])};
    const env::Fd input(ends[1]);
    order.job.environment = environment_for_keeper(world_, order.job.id);
    // Nobody below the worker uses its keys, but each keeper the one of whom it serves.
    std::erase_if(order.job.environment, [](const auto& variable) {
      return variable.first.starts_with("TYER_API_KEY") ||
             variable.first.starts_with("AGENTFEED_API_KEY");
    });
    const int room = limits::order_bytes_max;
    (void)::setsockopt(keeper.socket.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    TYER_TRY_OK(send(keeper.socket, work::encode(order)));
    TYER_TRY(StartedKeeper started,
             start_keeper(world_, {"worker-keep"}, input.get(), keeper.process.run));
    keeper.process.child = std::move(started.child);
    keeper.process.errors = std::move(started.errors);
    return keeper;
  }

  World& world_;
  const run::Job job_;
  const std::optional<limits::FeedRules> own_hub_;
};

struct OwnHub {
  std::unique_ptr<store::Store> store;
  std::unique_ptr<api::Service> inner;  // For workers alone, if they cannot use the other.
  std::unique_ptr<api::Service> service;
  lock::HubAddress address;  // For workers.
  std::string url;           // For people.
  std::string code;          // For the first visit, if one is needed.
  bool has_tls = false;

  void stop() const {
    for (const auto& one : {&service, &inner}) {
      if (*one) (*one)->stop(limits::serve_grace);
    }
  }
};

// Serves until it is told to leave. `own`: a hub in this process, if there is one.
Done run_worker_loop(World& world, const Arguments& arguments, const Settings& settings,
                     std::vector<work::Identity> identities, const OwnHub& own,
                     const EndSignals& signals, Face& face) {
  work::WorkerOptions options{.identities = std::move(identities), .is_alone = !own.service};
  TYER_TRY(options.at_once, read_at_once(arguments));
  options.leave = settings.worker_leave;
  if (own.has_tls) {
    options.on_hangup = [&] { return renew_certificate(*own.service, signals, face.log); };
  }
  run::Job job{.directory = world.directory};
  set_records(world, settings, job);
  // A power cut that would undo what a keeper wrote ends its agent as well; what counts is at the
  // hub.
  job.is_durable = false;
  // Made now, if it is not there: many keepers at once should not have to.
  TYER_TRY_OK(open_store(world, settings, Access::write));
  options.settle = [&world, &settings] {
    const auto store = open_store(world, settings, Access::write);
    if (!store) return;
    engine::Engine records(world.env, **store, world.catalog);
    (void)run::settle(records);
  };
  Keepers keepers(world, std::move(job),
                  own.service ? std::optional(settings.rules) : std::nullopt);
  work::Worker worker(
      world.env, face.log, std::move(options),
      [&](const work::Call& call, const work::Identity& identity) {
        return keepers.start(call, identity);
      },
      [&](const work::Identity& identity) { return keepers.offer(identity); });
  face.watch(worker);
  TYER_TRY_OK(worker.run(signals.fd()));
  return 0;
}

// What a hub needs to be of use: an agent that needs no key, and a feed. Who has deleted them does
// not want them again. In this order, or one that was interrupted would never get both.
Result<> set_up(lock::HubClient& client, store::Store& store) {
  bool had_agent = false;
  bool had_feed = false;
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto agents, view.events({.root = "agent", .limit = 1}));
    TYER_TRY(const auto feeds, view.events({.root = "feed", .limit = 1}));
    had_agent = !agents.empty();
    had_feed = !feeds.empty();
    return {};
  }));
  // Another that starts at the same time may be quicker.
  const auto make = [&](const char* path, const char* body) -> Result<> {
    const auto made = client.ask("POST", path, {}, body);
    if (made || made.error().fault == Fault::conflict) return {};
    return std::unexpected(made.error());
  };
  if (!had_agent && !had_feed) TYER_TRY_OK(make("/api/keys", R"({"name":"demo","type":"demo"})"));
  if (!had_feed) TYER_TRY_OK(make("/api/feeds", R"({"name":"general"})"));
  return {};
}

// What people should know to begin with, as it is now.
Result<std::string> first_words(lock::HubClient& client, bool is_open, const std::string& code) {
  std::string words;
  TYER_TRY(const Json setup, client.ask("GET", "/api/setup", {}));
  if (is_open) {
    words = "Open to everybody on this machine.\n";
  } else if (setup.value("needs_setup", false)) {
    words = "The first visit sets the password.\n" + told_code(code);
  }
  TYER_TRY(const Json agents,
           client.ask("GET", "/api/agents", {{"limit", std::to_string(limits::hub_page_rows)}}));
  const Json rows = agents.value("data", Json::array());
  if (std::ranges::any_of(rows, [](const Json& row) { return text_or(row, "name") == "demo"; })) {
    words += "Write to @demo in a feed to see an agent answer. ";
  }
  return words + "Ctrl+C ends it.\n";
}

// A hub that nobody knows of but who has the inner key, on this machine.
api::ServiceOptions inner_options(api::HubOptions hub) {
  hub.open = false;
  hub.hosts.clear();
  hub.setup_code.clear();
  hub.trusts = nullptr;
  return {.listen = "127.0.0.1:0", .hub = std::move(hub)};
}

std::expected<OwnHub, Failure> start_own_hub(World& world, const Settings& settings,
                                             api::ServiceOptions options, const Log& log) {
  OwnHub own;
  own.has_tls = options.tls.has_value();
  const std::string scheme = own.has_tls ? "https" : "http";
  for (int i = 0; i < 2; ++i) {
    own.address.key += sortable_id("", Time{}, world.env.random.bits()).substr(10);
  }
  options.hub.inner_key = own.address.key;
  TYER_TRY(own.store, open_served_store(world, settings));
  TYER_TRY(own.code, code_to_show(*own.store, options.hub));
  TYER_TRY_OK(give_uploads(world, settings, options.hub));
  if (options.tls) {
    // A certificate is for the name that people use. Workers and agents are on this machine, where
    // there is nothing to hide from the wire. First, so that it removes no upload of the other.
    api::ServiceOptions inner = inner_options(options.hub);
    inner.serves_all = options.serves_all;
    TYER_TRY(own.inner,
             api::Service::start(world.env, *own.store, world.catalog, log, std::move(inner)));
    options.hub.inner_key.clear();
  }
  TYER_TRY(own.service,
           api::Service::start(world.env, *own.store, world.catalog, log, std::move(options)));
  own.url = fmt::format("{}://{}", scheme, own.service->address());
  own.address.url = own.inner ? "http://" + own.inner->address() : own.url;
  return own;
}

// A key that does not fit the store here is most likely a hub's.
template <typename T>
Tried<T> or_a_hub(Tried<T> tried) {
  if (!tried)
    tried.error().hint = "the store here was asked; TYER_URL or --url names a hub instead";
  return tried;
}

}  // namespace

Done run_worker(World& world, const Arguments& arguments) {
  const EndSignals signals;  // Before anything starts a thread.
  TYER_TRY_OK(read_at_once(arguments));
  TYER_TRY(Settings settings, load_settings(world, arguments));
  TYER_TRY_OK(choose_hub(world, arguments, settings));
  Face face(world, arguments);
  const Log& log = face.log;
  std::vector<work::Identity> identities;
  OwnHub own;
  if (settings.hub_url.empty()) {
    TYER_TRY(const bool names_some, names_agents(world, arguments));
    // Who has a key means a store that is there and knows it, or has forgotten the hub.
    if (names_some) TYER_TRY_OK(or_a_hub(open_store(world, settings, Access::read)));
    // On a store without a hub it brings one, for its agents to talk to.
    api::ServiceOptions options{.listen = "127.0.0.1:0"};
    options.hub.rules = settings.rules;
    options.serves_all = !names_some;
    TYER_TRY(own, start_own_hub(world, settings, std::move(options), log));
    if (names_some) {
      TYER_TRY(identities, or_a_hub(find_served(world, arguments, own.address.url, log)));
    } else {
      identities.push_back({.hub = own.address});
    }
  } else {
    TYER_TRY(identities, find_served(world, arguments, settings.hub_url, log));
  }
  log.info("working", {{"hub", identities.front().hub.url}});
  const Done done =
      run_worker_loop(world, arguments, settings, std::move(identities), own, signals, face);
  own.stop();
  return done;
}

Done run_up(World& world, const Arguments& arguments) {
  const EndSignals signals;  // Before anything starts a thread.
  TYER_TRY_OK(read_at_once(arguments));
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  const bool json = arguments.has("--json");
  Face face(world, arguments);
  const std::string store = absolute_url(store_url(world, settings), world.directory);
  TYER_TRY(api::ServiceOptions options, read_hub_options(world, arguments, settings, store));
  const bool open = options.hub.open;
  options.serves_all = true;
  TYER_TRY(const OwnHub own, start_own_hub(world, settings, std::move(options), face.log));
  TYER_TRY(auto client, lock::HubClient::make(own.address, 10s));
  TYER_TRY_OK(set_up(client, *own.store));
  if (json) {
    world.output.print(told_address(own.url, store, own.code));
  } else {
    TYER_TRY(const std::string words, first_words(client, open, own.code));
    world.output.print(
        fmt::format("Tyer is at {}\nStore: {}\n{}", own.url, masked_url(store), words));
  }
  TYER_TRY_OK(world.output.flush());
  const Done done =
      run_worker_loop(world, arguments, settings, {{.hub = own.address}}, own, signals, face);
  own.stop();
  return done;
}

}  // namespace tyer::cli
