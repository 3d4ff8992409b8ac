#include "api/hub.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/guard.h"
#include "api/limits.h"
#include "api/page.h"
#include "api/presence.h"
#include "base/text.h"

namespace tyer::api {
namespace {

// For every answer (P14): nothing is guessed, framed, run, or told to others.
void add_safety(const http::Request& request, http::Response& response) {
  if (response.header("content-security-policy").empty()) {
    response.headers.push_back(
        {"content-security-policy", "default-src 'none'; frame-ancestors 'none'"});
  }
  response.headers.push_back({"x-content-type-options", "nosniff"});
  response.headers.push_back({"x-frame-options", "DENY"});
  response.headers.push_back({"referrer-policy", "no-referrer"});
  response.headers.push_back({"cross-origin-resource-policy", "same-origin"});
  // It counts for all ports of the name, and on this machine there are others that speak no TLS.
  if (request.secure && !is_loopback(request.header("host"))) {
    response.headers.push_back(
        {"strict-transport-security", fmt::format("max-age={}", limits::strict_tls_time / 1s)});
  }
}

http::Response refuse_stranger(const Error& error) {
  http::Response response = answer(error);
  response.status = 401;
  response.headers.push_back({"www-authenticate", "Bearer"});
  return response;
}

Result<> check_who(const Route& route, const Caller& caller) {
  switch (route.who) {
    case Who::anyone:
    case Who::known: return {};
    case Who::human:
      if (!caller.actor.is_agent) return {};
      return fail(Fault::denied, "agents may not do this; log in as a person");
    case Who::agent:
      if (caller.actor.is_agent) return {};
      return fail(Fault::denied, "only an agent may do this; use its key");
    case Who::worker:
      if (caller.actor.session.empty()) return {};
      return fail(Fault::denied, "the token of a run is not good for this; use the agent's key");
  }
  return {};
}

}  // namespace

Hub::Hub(engine::Engine& engine, const Log& log, HubOptions options, Broadcast* broadcast)
    : engine_(engine),
      log_(log),
      options_(std::move(options)),
      broadcast_(broadcast),
      offers_(*this),
      guesses_(limits::guesses_at_once, limits::guess_pause),
      writes_(limits::writes_at_once, limits::write_pause),
      changes_(limits::changes_at_once, limits::change_pause) {}

http::Response Hub::handle(http::Request& request) {
  Span wait{};
  Result<http::Response> answered = answer_to(request, wait);
  return finish(request, std::move(answered), wait);
}

http::Admission Hub::admit(const http::Request& head) {
  Span wait{};
  auto entry = enter(head, wait);
  if (!entry) return {.refusal = finish(head, std::unexpected(entry.error()), wait)};
  if (entry->instead) return {.refusal = finish(head, *std::move(entry->instead), wait)};
  return {.owner = entry->caller.actor.id};
}

std::uint64_t Hub::body_limit(const http::Request& head) {
  const Match match = find_route(head.method, head.path);
  const Route* const route = match.route;
  if (route != nullptr && route->takes_file) return limits::upload_bytes_max;
  const bool has_much = route != nullptr && route->who != Who::anyone && !route->body.empty();
  return has_much ? 0 : limits::open_body_bytes_max;
}

http::Response Hub::finish(const http::Request& request, Result<http::Response> answered,
                           Span wait) {
  if (!answered && answered.error().fault == Fault::broken) {
    log_.error("request failed", {{"path", request.path}, {"why", answered.error().what}});
  }
  http::Response response = answered ? *std::move(answered) : answer(answered.error());
  if (response.status == 429 && response.header("retry-after").empty()) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    response.headers.push_back({"retry-after", std::to_string(std::max(seconds, 1L))});
  }
  add_safety(request, response);
  counters_.answered[static_cast<std::size_t>(response.status / 100) % counters_.answered.size()]
      .fetch_add(1, std::memory_order_relaxed);
  return response;
}

bool Hub::is_quick(const http::Request& request) {
  const Match match = find_route(request.method, request.path);
  return match.route != nullptr && match.route->quick;
}

Result<Hub::Entry> Hub::enter(const http::Request& request, Span& wait) {
  TYER_TRY_OK(check_origin(request, options_));
  Entry entry{.match = find_route(request.method, request.path)};
  if (entry.match.route == nullptr) {
    if (entry.match.allowed.empty()) {
      TYER_TRY(entry.instead, page(request));
      if (entry.instead) return entry;
      return fail(Fault::not_found,
                  fmt::format("there is nothing at {}; GET /skill.md tells what there is",
                              printable(request.path, 100)));
    }
    entry.instead =
        answer(Error{Fault::invalid, fmt::format("{} allows {}", printable(request.path, 100),
                                                 entry.match.allowed)});
    entry.instead->status = 405;
    entry.instead->headers.push_back({"allow", entry.match.allowed});
    return entry;
  }
  const Route& route = *entry.match.route;
  auto caller = find_caller(*this, request, wait);
  if (!caller && caller.error().fault == Fault::denied) {
    entry.instead = refuse_stranger(caller.error());
    return entry;
  }
  TYER_TRY(entry.caller, std::move(caller));
  if (!entry.caller.is_known() && route.who != Who::anyone) {
    entry.instead = refuse_stranger(
        {Fault::denied,
         "say who you are: Authorization: Bearer KEY, or log in, and send the cookie of the login "
         "together with its x-csrf-token"});
    return entry;
  }
  TYER_TRY_OK(check_who(route, entry.caller));
  return entry;
}

Result<http::Response> Hub::answer_to(http::Request& request, Span& wait) {
  TYER_TRY(Entry entry, enter(request, wait));
  if (entry.instead) return *std::move(entry.instead);
  const Route& route = *entry.match.route;
  TYER_TRY_OK(check_rate(route, entry.caller, wait));
  Call call{*this, request, std::move(entry.caller), std::move(entry.match.path), {}};
  TYER_TRY_OK(check_query(route, request));
  TYER_TRY(call.input, read_body(route, request));
  return route.handle(call);
}

Result<> Hub::check_rate(const Route& route, const Caller& caller, Span& wait) {
  // What workers tell of runs is bounded by the runs, and is an agent's work: it is never refused.
  const bool changes = caller.actor.is_agent && route.method != "GET" && route.who != Who::worker;
  const bool counts = route.writes_feed || changes;
  if (!counts || caller.credential.empty()) return {};
  Throttle& throttle = route.writes_feed ? writes_ : changes_;
  wait = throttle.take(caller.actor.id, engine_.env().clock.mono());
  if (wait <= Span::zero()) return {};
  return fail(Fault::limit,
              fmt::format("{} writes too much; wait {}", caller.actor.name, describe_span(wait)));
}

Result<engine::Applied> Hub::apply(const feed::Actor& actor, const engine::Decision& decide) {
  if (offers_.empty()) return engine_.apply({actor.key()}, decide);
  engine::Applied applied;
  std::vector<Offers::Gift> gifts;
  std::vector<std::string> revoked;
  const auto run = [&](store::Txn& txn) -> Result<> {
    // A store may ask for it again; what began the first time has not.
    Offers::tell(std::exchange(gifts, {}), false);
    TYER_TRY(core::Change change, decide(txn, txn.now()));
    if (change.empty() && change.under.empty()) return {};
    const News news = find_news(change);
    revoked = news.revoked;
    TYER_TRY(applied, engine::apply(txn, engine_.catalog(), std::move(change), {actor.key()}));
    gifts = offers_.give(txn, news.sessions);
    return {};
  };
  TYER_TRY_OK(engine_.write(
      {run, {}, [&](const Result<>& written) { Offers::tell(gifts, written.has_value()); }}));
  for (const std::string& credential : revoked) {
    offers_.drop([&](const Offer& offer) { return offer.caller.credential == credential; });
  }
  return applied;
}

Result<std::optional<http::Response>> Hub::page(const http::Request& request) {
  if (options_.web_dir.empty()) return show_page(request, page_files());
  return show_page(request, engine_.env().files, options_.web_dir);
}

bool Hub::serves_some_of(const std::string& agent) {
  return presence_ != nullptr && presence_->serves(agent);
}

bool Hub::serves(const feed::Agent& agent, const std::string& session) {
  if (presence_ == nullptr) return agent.is_online;
  const bool is_elsewhere = agent.is_online && agent.hub != presence_->hub();
  return is_elsewhere || presence_->serves(agent.id, session);
}

Result<core::Subject> Hub::look(const std::string& key) {
  std::optional<core::Subject> found;
  TYER_TRY_OK(engine_.read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.subject(key));
    return {};
  }));
  if (!found || found->status == "deleted") return fail(Fault::not_found, "there is no " + key);
  return *std::move(found);
}

}  // namespace tyer::api
