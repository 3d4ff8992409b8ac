#include "cli/hub_start.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "api/guard.h"
#include "base/id.h"
#include "base/json_text.h"
#include "base/text.h"
#include "cli/matters.h"
#include "cli/workspace.h"
#include "env/local_peer.h"
#include "feed/account.h"
#include "store/uploads.h"

namespace tyer::cli {
namespace {

// Absolute, and there: a typing error is told at the start.
Result<std::string> read_web_dir(const World& world, const Arguments& arguments) {
  const auto given = arguments.value("--web-dir");
  if (!given) return "";
  std::error_code problem;
  const auto folder = std::filesystem::path(world.directory) / *given;
  if (!std::filesystem::is_directory(folder, problem)) {
    return fail(Fault::invalid, fmt::format("--web-dir {}: there is no such folder", *given));
  }
  return folder.string();
}

// Before a workspace belonged to a repository it was the nearest `.tyer`, whatever was in it.
std::string old_uploads(const World& world) {
  namespace fs = std::filesystem;
  std::error_code none;
  for (fs::path at = world.directory;; at = at.parent_path()) {
    if (fs::is_directory(at / ".tyer", none)) return at / ".tyer/uploads";
    if (at == at.parent_path()) return world.directory + "/.tyer/uploads";
  }
}

// Only whoever is on this machine may reach a hub that lets everybody in.
Result<> check_open(const api::ServiceOptions& options) {
  if (!api::is_loopback(options.listen)) {
    return fail(Fault::invalid,
                fmt::format("--open-loopback lets everybody in, so not on {}", options.listen));
  }
  for (const std::string& host : options.hub.hosts) {
    if (api::is_loopback(host)) continue;
    return fail(Fault::invalid,
                fmt::format("--open-loopback lets everybody in, so not under the name {}, by which "
                            "others come; leave out one of --open-loopback and --host",
                            printable(host, 100)));
  }
  return {};
}

}  // namespace

Result<std::string> code_to_show(store::Store& store, const api::HubOptions& hub) {
  bool has_password = false;
  TYER_TRY_OK(store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto account, view.subject(feed::account_key));
    has_password = account.has_value();
    return {};
  }));
  return hub.open || has_password ? "" : hub.setup_code;
}

std::string told_address(const std::string& url, const std::string& store,
                         const std::string& code) {
  return fmt::format("{{\"url\":{},\"store\":{}{}}}\n", json_string(url),
                     json_string(masked_url(store)),
                     code.empty() ? "" : ",\"setup_code\":" + json_string(code));
}

std::string told_code(const std::string& code) {
  return code.empty() ? "" : fmt::format("Code for a first visit from elsewhere: {}\n", code);
}

Result<> give_uploads(World& world, const Settings& settings, api::HubOptions& hub) {
  const std::string url = store_url(world, settings);
  hub.scratch = store::uploads_folder(absolute_url(url, world.directory));
  if (hub.scratch.empty()) {
    // A hub on PostgreSQL kept them here before they belonged to the database.
    hub.scratch = find_workspace(world).directory + "/uploads";
    hub.old_uploads = {hub.scratch};
    if (const std::string old = old_uploads(world); old != hub.scratch) {
      hub.old_uploads.push_back(old);
    }
  }
  TYER_TRY(hub.uploads, open_uploads_at(world, settings, url, hub.scratch));
  return {};
}

Result<api::ServiceOptions> read_hub_options(World& world, const Arguments& arguments,
                                             const Settings& settings, const std::string& store) {
  TYER_TRY_OK(
      need_agreement(world, setting_matters(find_workspace(world), settings, "hub.listen")));
  api::ServiceOptions options;
  options.hub.version = TYER_VERSION;
  options.hub.store = masked_url(store);
  options.listen = settings.hub_listen;
  options.hub.rules = settings.rules;
  const std::string hosts = arguments.value("--host").value_or("");
  for (std::size_t at = 0; at < hosts.size();) {
    const std::size_t end = std::min(hosts.find(',', at), hosts.size());
    if (end > at) options.hub.hosts.push_back(hosts.substr(at, end - at));
    at = end + 1;
  }
  options.hub.open = arguments.has("--open-loopback");
  if (options.hub.open) TYER_TRY_OK(check_open(options));
  // A proxy on this machine comes from it, for people who do not; and so do its other users.
  if (options.hub.hosts.empty()) options.hub.trusts = env::is_own_users_socket;
  options.hub.setup_code = sortable_id("", Time{}, world.env.random.bits()).substr(10);
  const auto certificate = arguments.value("--tls-cert");
  const auto key = arguments.value("--tls-key");
  if (certificate.has_value() != key.has_value()) {
    return fail(Fault::invalid, "--tls-cert and --tls-key go together");
  }
  if (certificate) options.tls = http::Tls{*certificate, *key};
  if (!options.tls && !api::is_loopback(options.listen)) {
    world.output.remark(
        fmt::format("{} is not this machine alone, and without --tls-cert and --tls-key all that "
                    "is sent can be "
                    "read on the way",
                    printable(options.listen, 100)));
  }
  TYER_TRY(options.hub.web_dir, read_web_dir(world, arguments));
  return options;
}

bool renew_certificate(api::Service& service, const EndSignals& signals, const Log& log) {
  if (signals.has_lost_terminal()) return false;
  if (const Result<> renewed = service.renew_certificate(); !renewed) {
    log.error("the certificate was not renewed; the one before is used on",
              {{"why", renewed.error().what}});
  } else {
    log.info("the certificate was read again");
  }
  return true;
}

Log make_log(World& world, bool json, Level least) {
  return make_log(world.output, world.env.clock, json ? Log::Form::json : Log::Form::text, least);
}

}  // namespace tyer::cli
