#include <fmt/format.h>

#include "api/service.h"
#include "cli/commands.h"
#include "cli/end_signals.h"
#include "cli/hub_start.h"
#include "cli/limits.h"
#include "cli/workspace.h"
#include "env/wait_readable.h"

namespace tyer::cli {

Done run_serve(World& world, const Arguments& arguments) {
  const EndSignals signals;  // Before anything starts a thread.
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(const auto store, open_served_store(world, settings));
  TYER_TRY(api::ServiceOptions options,
           read_hub_options(world, arguments, settings, store->name()));
  TYER_TRY_OK(give_uploads(world, settings, options.hub));
  const bool json = arguments.has("--json");
  const Log log = make_log(world, json);
  const bool has_tls = options.tls.has_value();
  const std::string scheme = has_tls ? "https" : "http";
  TYER_TRY(const std::string code, code_to_show(*store, options.hub));
  const bool open = options.hub.open;
  TYER_TRY(const auto service,
           api::Service::start(world.env, *store, world.catalog, log, std::move(options)));
  const std::string url = fmt::format("{}://{}", scheme, service->address());
  if (json) {
    world.output.print(told_address(url, store->name(), code));
  } else {
    world.output.print(fmt::format(
        "Tyer is at {}\nStore: {}\n{}{}Ctrl+C ends it.\n", url, masked_url(store->name()),
        open ? "Open to everybody on this machine.\n" : "", told_code(code)));
  }
  TYER_TRY_OK(world.output.flush());
  while (true) {
    TYER_TRY_OK(env::wait_readable(signals.fd(), limits::serve_look_every));
    const int signal = signals.take();
    if (signal == SIGHUP && has_tls && renew_certificate(*service, signals, log)) continue;
    if (signal != 0) break;
  }
  log.info("stopping");
  service->stop(limits::serve_grace);
  return 0;
}

}  // namespace tyer::cli
