// The rows of the commands about the admin's account, for the table in commands.cc.

#pragma once

#include <array>
#include <string_view>

#include "cli/commands.h"
#include "cli/hub_rows.h"

namespace tyer::cli::account_rows {

inline constexpr ExitCode no_store{1, "there is no store"};
inline constexpr ExitCode unreachable{3, "the store is out of reach or damaged"};
inline constexpr std::array password_codes{
    hub_rows::done, no_store, ExitCode{2, "it is too short, or was not the same twice"},
    unreachable, ExitCode{130, "interrupted; it is as it was"}};
inline constexpr std::array<std::string_view, 2> password_examples{
    "tyer password", "tyer password --json < password.txt"};
inline constexpr Command password{
    .name = "password",
    .group = "Hub",
    .summary = "Set the admin's password",
    .details =
        "For whoever has the store, with or without a hub that serves it; the password before is "
        "not asked for. On a terminal it is typed twice and not shown; otherwise it is what "
        "standard input holds. All logins end, and links of 'tyer login'; keys of agents do not.",
    .operands = {},
    .options = {},
    .examples = password_examples,
    .exit_codes = password_codes,
    .run = run_password};

inline constexpr std::array login_options{
    Option{"--url", "URL", "The hub, as the browser is to call it (TYER_URL, or hub.listen)"}};
inline constexpr std::array login_codes{hub_rows::done, no_store, hub_rows::wrong, unreachable};
inline constexpr std::array<std::string_view, 2> login_examples{
    "tyer login", "tyer login --url https://hub.example:7420"};
inline constexpr Command login{
    .name = "login",
    .group = "Hub",
    .summary = "Print a link that logs in to the hub's page once",
    .details =
        "For whoever has the store, instead of the password. The link is good for 10 minutes and "
        "for one login. Its secret stands behind the #, which browsers tell no server.",
    .operands = {},
    .options = login_options,
    .examples = login_examples,
    .exit_codes = login_codes,
    .run = run_login};

}  // namespace tyer::cli::account_rows
