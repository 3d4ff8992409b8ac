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

// What may be the cookie of the login `id`. There may be several: whatever listens on a port of
// this host can set cookies of that name.
std::vector<std::string_view> cookies_of(const http::Request& request, std::string_view id) {
  std::vector<std::string_view> found;
  std::string_view all = request.header("cookie");
  while (!all.empty()) {
    const std::string_view one = all.substr(0, all.find(';'));
    all.remove_prefix(std::min(one.size() + 1, all.size()));
    const std::size_t start = one.find_first_not_of(' ');
    if (start == std::string_view::npos) continue;
    const std::string_view pair = one.substr(start);
    if (!pair.starts_with(cookie_name) || !pair.substr(cookie_name.size()).starts_with('=')) {
      continue;
    }
    const std::string_view value = pair.substr(cookie_name.size() + 1);
    if (credential_of(value) == id) found.push_back(value);
  }
  return found;
}

bool is_safe(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

// "127.0.0.1" of "127.0.0.1:7420", "::1" of "[::1]:80".
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.rfind(':'));
}

std::unexpected<Error> refuse_key() {
  return fail(Fault::denied, "this key is not valid; ask for a new one");
}

struct Proof {
  std::string id;                         // Of the credential that it names.
  std::vector<std::string_view> secrets;  // One of them has to be right.
  std::optional<std::string_view> csrf;   // If it is a login; else it is a key.
};

bool is_right(const Proof& proof, const feed::Credential& credential) {
  const bool is_secret_right = std::ranges::any_of(
      proof.secrets, [&](std::string_view secret) { return fits(secret, credential.hash); });
  if (!is_secret_right) return false;
  if (!proof.csrf) return credential.kind == "key" || credential.kind == "run";
  return credential.kind == "login" && fits(*proof.csrf, credential.csrf_hash);
}

Result<Caller> caller_of(Hub& hub, const Proof& proof) {
  Caller caller{.credential = proof.id, .by_cookie = proof.csrf.has_value()};
  std::string status;
  feed::Credential credential;
  TYER_TRY_OK(hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto subject, view.subject(feed::key_of("credential", proof.id)));
    status = subject ? subject->status : "";
    if (!subject) return {};
    TYER_TRY(credential, feed::read_credential(*subject));
    caller.actor = {.is_agent = credential.kind != "login",
                    .id = credential.agent.empty() ? "admin" : credential.agent,
                    .name = "admin",
                    .session = credential.session,
                    .run = credential.run};
    if (credential.agent.empty()) return {};
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
  if (!is_right(proof, credential) || status != "active") return refuse_key();
  TYER_TRY(const Time now, hub.engine().store_time());
  if (credential.expires_at && *credential.expires_at <= now) return refuse_key();
  return caller;
}

}  // namespace

Result<std::string> known_login(Hub& hub, const http::Request& request) {
  const std::string_view csrf = request.header(csrf_header);
  const std::string id = credential_of(csrf);
  if (id.empty()) return "";
  feed::Credential login;
  TYER_TRY_OK(hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto subject, view.subject(feed::key_of("credential", id)));
    if (!subject) return {};
    TYER_TRY(login, feed::read_credential(*subject));
    return {};
  }));
  return login.kind == "login" && fits(csrf, login.csrf_hash) ? id : "";
}

bool is_loopback(std::string_view peer) {
  const std::string host(host_of(peer));
  // A name may begin with "127." and lead anywhere.
  in_addr address{};
  const bool is_v4 = ::inet_pton(AF_INET, host.c_str(), &address) == 1;
  return (is_v4 && host.starts_with("127.")) || host == "::1" ||
         http::same_ignoring_case(host, "localhost");
}

bool is_forwarded(const http::Request& request) {
  return std::ranges::any_of(request.headers, [](const http::Header& header) {
    return header.name == "forwarded" || header.name == "via" || header.name == "x-real-ip" ||
           header.name.starts_with("x-forwarded-");
  });
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
  const Caller anyone = hub.options().open && !is_forwarded(request)
                            ? Caller{.actor = {.id = "admin", .name = "admin"}}
                            : Caller{};
  if (authorization.empty()) {
    const std::string_view csrf = request.header(csrf_header);
    const std::string id = credential_of(csrf);
    if (id.empty()) return anyone;
    auto caller = caller_of(hub, {id, cookies_of(request, id), csrf});
    // An old login is no reason to be refused what anyone may have.
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
    const std::string_view key = authorization.substr(bearer.size());
    const std::string id = credential_of(key);
    caller = id.empty() ? refuse_key() : caller_of(hub, {id, {key}, std::nullopt});
  }
  if (caller || caller.error().fault != Fault::denied) return caller;
  // Only who is wrong waits: agents of one machine share its address, and nobody guesses 200 bits.
  const std::string peer = network_of(request.peer);
  wait = hub.guesses().take(peer, hub.engine().env().clock.mono());
  if (wait <= Span::zero()) return caller;
  return fail(Fault::limit,
              fmt::format("too many wrong keys from {}; wait {}", peer, describe_span(wait)));
}

}  // namespace tyer::api
