// tyer password and tyer login: the way in for whoever has the store (H1). Who can write it is the
// admin: nothing else is asked.

#include <algorithm>

#include <fmt/format.h>

#include "api/guard.h"
#include "api/limits.h"
#include "api/secrets.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/hub_lines.h"
#include "cli/limits.h"
#include "cli/secret_input.h"
#include "cli/workspace.h"
#include "engine/engine.h"
#include "feed/account.h"
#include "feed/agents.h"
#include "feed/ids.h"

namespace tyer::cli {
namespace {

// One that is there: a store that is made for it would be no hub's.
OpenedStore open_for_change(World& world, const Settings& settings) {
  TYER_TRY_OK(open_store(world, settings, Access::read));
  return open_store(world, settings, Access::write);
}

// How many logins have ended by it.
Result<std::size_t> set_password(World& world, store::Store& store, const std::string& hash) {
  engine::Engine engine(world.env, store, world.catalog);
  std::size_t ended = 0;
  // More than one change holds have their turn after it.
  for (int turn = 0; turn < limits::login_turns_max; ++turn) {
    std::size_t now_ended = 0;
    const auto decide = [&](const core::View& view, Time now) -> Result<core::Change> {
      TYER_TRY(core::Change change,
               turn == 0 ? feed::decide_password(view, hash, now) : feed::decide_end_logins(view));
      now_ended = change.events.size() - (turn == 0 ? 1 : 0);
      return change;
    };
    TYER_TRY_OK(engine.apply({feed::admin().key()}, decide));
    ended += now_ended;
    if (now_ended == 0) break;
  }
  return ended;
}

// What a browser calls the hub: as it is said here, and never as a file says it, which may have
// come with somebody else's repository. The link is as good as a password.
std::expected<std::string, Failure> page_url(const Settings& settings) {
  const auto said = std::ranges::find_if(settings.origins, [](const Given& given) {
    return given.name == "hub.url" && (given.from == "--url" || given.from == "TYER_URL");
  });
  if (said != settings.origins.end()) {
    std::string url = said->text;
    while (url.ends_with('/')) url.pop_back();
    return url;
  }
  const std::size_t colon = settings.hub_listen.rfind(':');
  std::string host = settings.hub_listen.substr(0, colon);
  const std::string port = settings.hub_listen.substr(colon);
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]") host = "[::1]";
  if (port != ":0" && api::is_loopback(host + port)) return "http://" + host + port;
  return std::unexpected(
      Failure{{Fault::invalid,
               fmt::format("from hub.listen ({}) it cannot be told how a browser calls the hub",
                           printable(settings.hub_listen, 100))},
              "--url says it, like https://hub.example:7420"});
}

}  // namespace

Done run_password(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(const auto store, open_for_change(world, settings));
  TYER_TRY(const std::string password, read_new_secret(world, "New password"));
  TYER_TRY_OK(api::check_password(password));
  TYER_TRY(const std::string hash, api::hash_password(password));
  TYER_TRY(const std::size_t ended, set_password(world, *store, hash));
  const std::string name = masked_url(store->name());
  print_object(world, arguments, {{"store", name}, {"logins_ended", ended}},
               fmt::format("The password is set in {}; {} ended.\n", printable(name),
                           count(ended, "login")));
  return 0;
}

Done run_login(World& world, const Arguments& arguments) {
  TYER_TRY(const Settings settings, load_settings(world, arguments));
  TYER_TRY(const std::string page, page_url(settings));
  TYER_TRY(const auto store, open_for_change(world, settings));
  engine::Engine engine(world.env, *store, world.catalog);
  std::string url;
  Time until{};
  const auto decide = [&](const core::View& view, Time now) -> Result<core::Change> {
    TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, world.env.random.bits()));
    const std::string id = ids.next("cr_");
    const api::Secret secret = api::make_secret("tk", id, world.env.random);
    url = page + "/#login=" + secret.text;
    until = now + limits::link_time;
    return core::Change{.events = {feed::make_credential({.id = id,
                                                          .kind = "link",
                                                          .name = "link for one login",
                                                          .hash = secret.hash,
                                                          .prefix = secret.prefix,
                                                          .expires_at = until},
                                                         now)}};
  };
  TYER_TRY_OK(engine.apply({feed::admin().key()}, decide));
  print_object(world, arguments, {{"url", url}, {"expires_at", format_time(until)}}, url + "\n");
  if (!arguments.has("--json")) {
    world.output.warn(fmt::format("It logs in once, within {}. Who has it is the admin.\n",
                                  describe_span(limits::link_time)));
  }
  return 0;
}

}  // namespace tyer::cli
