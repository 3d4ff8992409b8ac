// The rows of the commands about the hub, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"

namespace tyer::cli::hub_rows {

inline constexpr std::array serve_options{
    Option{"--listen", "ADDRESS:PORT", "Where it listens (127.0.0.1:7420)"},
    Option{"--host", "NAME:PORT", "More names it is called by, with commas, as behind a proxy"},
    Option{"--open-loopback", "", "No login: whoever is on this machine is the admin"},
    Option{"--tls-cert", "FILE", "Certificates in PEM, the hub's own first"},
    Option{"--tls-key", "FILE", "Their key"},
};
inline constexpr std::array<std::string_view, 2> serve_examples{
    "tyer serve", "tyer serve --listen 127.0.0.1:0 --open-loopback"};
inline constexpr std::array serve_codes{
    ExitCode{0, "it was told to stop"}, ExitCode{2, "wrong usage or configuration"},
    ExitCode{3, "the store is out of reach, or the address is taken"}};

inline constexpr Command serve{
    .name = "serve",
    .group = "Hub",
    .summary = "Run the hub: the API, the event stream and the page",
    .details =
        "People and agents meet here. It keeps everything in the store; it may be ended and "
        "started again at any time, and several may run on one PostgreSQL.",
    .operands = {},
    .options = serve_options,
    .examples = serve_examples,
    .exit_codes = serve_codes,
    .run = run_serve};

}  // namespace tyer::cli::hub_rows
