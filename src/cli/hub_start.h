// What commands that run a hub share.

#pragma once

#include <string>

#include "api/service.h"
#include "base/log.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/end_signals.h"
#include "cli/settings.h"

namespace tyer::cli {

// From the arguments of `tyer serve`. `store` is the name of the store that it runs on.
[[nodiscard]] Result<api::ServiceOptions> read_hub_options(World& world, const Arguments& arguments,
                                                           const Settings& settings,
                                                           const std::string& store);

// The code that the first visit may be asked for, if there has been none yet: whoever can read the
// terminal where the hub starts may be the first. Empty: nobody needs it.
[[nodiscard]] Result<std::string> code_to_show(store::Store& store, const api::HubOptions& hub);

// What a hub prints where it starts: with --json, and of the code.
[[nodiscard]] std::string told_address(const std::string& url, const std::string& store,
                                       const std::string& code);
[[nodiscard]] std::string told_code(const std::string& code);

// The place of `hub` for files: that of the store that is configured or found, which is open.
[[nodiscard]] Result<> give_uploads(World& world, const Settings& settings, api::HubOptions& hub);

// What a SIGHUP does to a hub with TLS: it reads its certificate and key again, and says so; if
// they do not fit, it goes on with those it had. Whether it was meant so, not as the end of a
// terminal.
[[nodiscard]] bool renew_certificate(api::Service& service, const EndSignals& signals,
                                     const Log& log);

// To standard error, a line each.
[[nodiscard]] Log make_log(World& world, bool json, Level least = Level::info);

}  // namespace tyer::cli
