#include <algorithm>

#include <fmt/format.h>

#include "api/guard.h"
#include "api/service.h"
#include "base/id.h"
#include "base/json_text.h"
#include "cli/commands.h"
#include "cli/limits.h"
#include "cli/stop_signals.h"
#include "cli/workspace.h"
#include "env/wait_readable.h"

namespace tyer::cli {
namespace {

Log::Sink to_errors(World& world) {
  return
      [&world](std::string_view line) { world.output.warn_from_aside(std::string(line) + "\n"); };
}

// Files that are sent lie beside the store, or in `.tyer` if that is a server.
std::string uploads_beside(const World& world, const std::string& store) {
  if (store == "sqlite::memory:") return "";
  if (store.starts_with("sqlite:") || store.starts_with("files:")) {
    const std::string path = store.substr(store.find(':') + 1);
    return path.substr(0, path.rfind('/')) + "/uploads";
  }
  return find_tyer(world.directory).value_or(world.directory + "/.tyer") + "/uploads";
}

Result<api::ServiceOptions> read_options(World& world, const Arguments& arguments,
                                         const Settings& settings) {
  api::ServiceOptions options;
  options.listen = settings.hub_listen;
  options.hub.rules = settings.rules;
  const std::string hosts = arguments.value("--host").value_or("");
  for (std::size_t at = 0; at < hosts.size();) {
    const std::size_t end = std::min(hosts.find(',', at), hosts.size());
    if (end > at) options.hub.hosts.push_back(hosts.substr(at, end - at));
    at = end + 1;
  }
  const bool is_local = api::is_loopback(options.listen);
  options.hub.open = arguments.has("--open-loopback");
  if (options.hub.open && !is_local) {
    return fail(Fault::invalid,
                fmt::format("--open-loopback lets everybody in, so not on {}", options.listen));
  }
  // Whoever can read this terminal may be the first.
  if (!is_local)
    options.hub.setup_code = sortable_id("", Time{}, world.env.random.bits()).substr(10);
  const auto certificate = arguments.value("--tls-cert");
  const auto key = arguments.value("--tls-key");
  if (certificate.has_value() != key.has_value()) {
    return fail(Fault::invalid, "--tls-cert and --tls-key go together");
  }
  if (certificate) options.tls = http::Tls{*certificate, *key};
  return options;
}

}  // namespace

Done run_serve(World& world, const Arguments& arguments) {
  const StopSignals signals;  // Before anything starts a thread.
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(api::ServiceOptions options, read_options(world, arguments, settings));
  TYER_TRY(const auto store, open_store(world, settings, Access::write));
  options.hub.uploads = uploads_beside(world, store->name());
  const bool json = arguments.has("--json");
  const Log log(
      json ? Log::Form::json : Log::Form::text, Level::info,
      [&world] { return world.env.clock.now(); }, to_errors(world));
  const std::string scheme = options.tls ? "https" : "http";
  const std::string code = options.hub.setup_code;
  const bool open = options.hub.open;
  TYER_TRY(const auto service,
           api::Service::start(world.env, *store, world.catalog, log, std::move(options)));
  const std::string url = fmt::format("{}://{}", scheme, service->address());
  if (json) {
    world.output.print(fmt::format("{{\"url\":{},\"store\":{}}}\n", json_string(url),
                                   json_string(masked_url(store->name()))));
  } else {
    world.output.print(
        fmt::format("Tyer is at {}\nStore: {}\n{}{}Ctrl+C ends it.\n", url,
                    masked_url(store->name()), open ? "Open to everybody on this machine.\n" : "",
                    code.empty() ? "" : fmt::format("Code for the first visit: {}\n", code)));
  }
  TYER_TRY_OK(world.output.flush());
  while (!signals.arrived()) {
    TYER_TRY_OK(env::wait_readable(signals.fd(), limits::serve_look_every));
  }
  log.info("stopping");
  service->stop(limits::serve_grace);
  return 0;
}

}  // namespace tyer::cli
