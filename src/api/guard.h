// Who may come in: from which address, from which page, and with which proof (H1, H2, P14).

#pragma once

#include "api/hub.h"
#include "api/route.h"
#include "http/message.h"

namespace tyer::api {

inline constexpr std::string_view cookie_name = "tyer_login";
inline constexpr std::string_view csrf_header = "x-csrf-token";

// The Host must be one of ours, or a page of somebody else's could reach us under a name of its own
// (DNS rebinding). A request that changes something must not come from another site's page.
[[nodiscard]] Result<> check_origin(const http::Request& request, const HubOptions& options);

// Who proves to be who. No proof is nobody; a wrong key is an error, and too many of them are a
// `limit`, with how long to `wait`.
//
// A login is two secrets. A browser gives the cookie to whatever listens on any port of this host,
// such as a server that an agent wrote. The other, `csrf_header`, is told once, in the answer to
// the login, and only a page of this very address can have kept it. One without the other is
// nobody.
[[nodiscard]] Result<Caller> find_caller(Hub& hub, const http::Request& request, Span& wait);

// The login whose second secret `request` brings along, whatever became of it: its browser was
// logged in once. Empty: none.
[[nodiscard]] Result<std::string> known_login(Hub& hub, const http::Request& request);

[[nodiscard]] bool is_loopback(std::string_view peer);

// Whether a proxy says that it asks for somebody else: then the peer is not who comes.
[[nodiscard]] bool is_forwarded(const http::Request& request);

// What a hub that listens on `address` is called without being told: where it listens on this
// machine, or on everything, also by the names that mean this machine to itself.
[[nodiscard]] std::vector<std::string> own_hosts(const std::string& address);

}  // namespace tyer::api
