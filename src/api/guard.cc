#include "api/guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include <fmt/format.h>

#include "api/limits.h"
#include "api/secrets.h"
#include "base/text.h"
#include "feed/agents.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

std::string_view cookie_of(const http::Request& request) {
  std::string_view all = request.header("cookie");
  while (!all.empty()) {
    const std::string_view one = all.substr(0, all.find(';'));
    all.remove_prefix(std::min(one.size() + 1, all.size()));
    const std::size_t start = one.find_first_not_of(' ');
    if (start == std::string_view::npos) continue;
    const std::string_view pair = one.substr(start);
    if (pair.starts_with(cookie_name) && pair.substr(cookie_name.size()).starts_with('=')) {
      return pair.substr(cookie_name.size() + 1);
    }
  }
  return {};
}

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// "127.0.0.1" of "127.0.0.1:7420", "::1" of "[::1]:80".
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.rfind(':'));
}

Result<Caller> caller_of(Hub& hub, std::string_view secret, bool by_cookie) {
  const std::string id = credential_of(secret);
  const auto refuse = [] {
    return fail(Fault::denied, "this key is not valid; ask for a new one");
  };
  if (id.empty()) return refuse();
  Caller caller{.credential = id, .by_cookie = by_cookie};
  std::string status;
  feed::Credential credential;
  TYER_TRY_OK(hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto subject, view.subject(feed::key_of("credential", id)));
    status = subject ? subject->status : "";
    if (!subject) return {};
    TYER_TRY(credential, feed::read_credential(*subject));
    caller.actor = {.is_agent = credential.kind != "login",
                    .id = credential.agent.empty() ? "admin" : credential.agent,
                    .name = "admin",
                    .session = credential.session,
                    .run = credential.run};
    if (!caller.actor.is_agent) return {};
    TYER_TRY(const auto agent, view.subject(feed::key_of("agent", credential.agent)));
    // Keys of an agent that is deleted are no good, whatever else they say.
    if (!agent || agent->status != "active") {
      status = "gone";
      return {};
    }
    TYER_TRY(const feed::Agent read, feed::read_agent(*agent));
    caller.actor.name = read.name;
    return {};
  }));
  // The same work whether it is there or not.
  const bool good = fits(secret, credential.hash) && status == "active";
  if (!good || (credential.kind == "login") != by_cookie) return refuse();
  TYER_TRY(const Time now, hub.engine().store_time());
  if (credential.expires_at && *credential.expires_at <= now) return refuse();
  return caller;
}

}  // namespace

bool is_loopback(std::string_view peer) {
  const std::string host(host_of(peer));
  // A name may begin with "127." and lead anywhere.
  in_addr address{};
  const bool is_v4 = ::inet_pton(AF_INET, host.c_str(), &address) == 1;
  return (is_v4 && host.starts_with("127.")) || host == "::1" ||
         http::same_ignoring_case(host, "localhost");
}

std::vector<std::string> own_hosts(const std::string& address) {
  const std::string_view host = host_of(address);
  if (!is_loopback(address) && host != "0.0.0.0" && host != "::") return {address};
  const std::string port = address.substr(address.rfind(':'));
  return {address, "127.0.0.1" + port, "localhost" + port, "[::1]" + port};
}

Result<> check_origin(const http::Request& request, const HubOptions& options) {
  const std::string_view host = request.header("host");
  const auto is_ours = [&](std::string_view authority) {
    return std::ranges::any_of(options.hosts, [&](const std::string& ours) {
      return http::same_ignoring_case(ours, authority);
    });
  };
  if (!options.hosts.empty() && !is_ours(host)) {
    return fail(Fault::denied,
                fmt::format("this hub is not called '{}'; start it with --host to let it be",
                            printable(host, 100)));
  }
  if (is_safe(request.method)) return {};
  const std::string_view origin = request.header("origin");
  const std::string_view site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") {
    return fail(Fault::denied, "a page of another site may not change anything here");
  }
  if (origin.empty()) return {};
  const std::size_t slashes = origin.find("://");
  if (slashes == std::string_view::npos ||
      !http::same_ignoring_case(origin.substr(slashes + 3), host)) {
    return fail(Fault::denied,
                fmt::format("a page of {} may not change anything here", printable(origin, 100)));
  }
  return {};
}

Result<Caller> find_caller(Hub& hub, const http::Request& request, Span& wait) {
  const std::string_view authorization = request.header("authorization");
  const std::string_view cookie = cookie_of(request);
  const Caller anyone =
      hub.options().open ? Caller{.actor = {.id = "admin", .name = "admin"}} : Caller{};
  if (authorization.empty()) {
    if (cookie.empty()) return anyone;
    auto caller = caller_of(hub, cookie, true);
    // An old cookie is no reason to be refused what anyone may have.
    if (!caller && caller.error().fault == Fault::denied) return anyone;
    return caller;
  }
  constexpr std::string_view bearer = "Bearer ";
  Result<Caller> caller = fail(Fault::denied, "Authorization must be: Bearer KEY");
  const std::string& inner = hub.options().inner_key;
  if (!inner.empty() && same_text(authorization, std::string(bearer) + inner)) {
    return Caller{.actor = {.id = "admin", .name = "admin"}};
  }
  if (authorization.starts_with(bearer)) {
    caller = caller_of(hub, authorization.substr(bearer.size()), false);
  }
  if (caller || caller.error().fault != Fault::denied) return caller;
  // Only who is wrong waits: agents of one machine share its address, and nobody guesses 200 bits.
  const std::string peer(host_of(request.peer));
  wait = hub.guesses().take(peer, hub.engine().env().clock.mono());
  if (wait <= Span::zero()) return caller;
  return fail(Fault::limit,
              fmt::format("too many wrong keys from {}; wait {}", peer, describe_span(wait)));
}

std::string csrf_token(std::string_view credential, std::string_view hash) {
  return digest(fmt::format("csrf {} {}", credential, hash));
}

Result<> check_csrf(Hub& hub, const http::Request& request, const Caller& caller) {
  if (!caller.by_cookie || is_safe(request.method)) return {};
  TYER_TRY(const core::Subject subject, hub.look(feed::key_of("credential", caller.credential)));
  TYER_TRY(const feed::Credential credential, feed::read_credential(subject));
  if (same_text(request.header("x-csrf-token"), csrf_token(caller.credential, credential.hash))) {
    return {};
  }
  return fail(Fault::denied, "x-csrf-token is missing or wrong; GET /api/auth/me tells it");
}

}  // namespace tyer::api
