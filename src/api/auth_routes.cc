// Who one is: the first visit, logging in and out (H1, H2).

#include <functional>

#include <fmt/format.h>

#include "api/answer.h"
#include "api/guard.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/secrets.h"
#include "base/json.h"
#include "feed/account.h"
#include "feed/agents.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

Result<std::optional<core::Subject>> find_account(Hub& hub) {
  std::optional<core::Subject> found;
  TYER_TRY_OK(hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(found, view.subject(feed::account_key));
    return {};
  }));
  return found;
}

std::string cookie(const Hub& hub, const std::string& value, Span age) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{}", cookie_name, value,
                     age / 1s, hub.options().secure ? "; Secure" : "");
}

// What must be so for somebody to log in, and what happens along with it: in one transaction.
using Entry = std::function<Result<core::Change>(const core::View&, Time now)>;

// A new login; the one that the request came with, if any, ends: nobody can plant one (fixation).
Result<http::Response> log_in(Call& call, const Entry& entry) {
  Secret secret;
  Secret csrf;
  TYER_TRY_OK(
      call.hub.apply(feed::admin(), [&](const core::View& view, Time now) -> Result<core::Change> {
        TYER_TRY(core::Change change, entry(view, now));
        TYER_TRY(feed::Ids ids, feed::Ids::of(view, now, call.hub.engine().env().random.bits()));
        const std::string credential = ids.next("cr_");
        secret = make_secret("tl", credential, call.hub.engine().env().random);
        csrf = make_secret("tc", credential, call.hub.engine().env().random);
        change.events.push_back(feed::make_credential({.id = credential,
                                                       .kind = "login",
                                                       .name = "login from " + call.request.peer,
                                                       .hash = secret.hash,
                                                       .csrf_hash = csrf.hash,
                                                       .prefix = secret.prefix,
                                                       .expires_at = now + limits::login_time},
                                                      now));
        if (call.caller.by_cookie) {
          TYER_TRY(const core::Change end,
                   feed::decide_revoke(view, call.caller.credential, "logged in again"));
          for (const core::Draft& draft : end.events) change.events.push_back(draft);
        }
        return change;
      }));
  http::Response response =
      answer(dump_json({{"name", "admin"}, {"type", "human"}, {"csrf_token", csrf.text}}));
  response.headers.push_back({"set-cookie", cookie(call.hub, secret.text, limits::login_time)});
  return response;
}

bool needs_code(const Call& call) {
  const auto& trusts = call.hub.options().trusts;
  const http::Request& request = call.request;
  return !trusts || !is_loopback(request.peer) || is_forwarded(request) || !trusts(request.peer);
}

Result<http::Response> setup_state(Call& call) {
  TYER_TRY(const auto found, find_account(call.hub));
  return answer(dump_json({{"needs_setup", !found && !call.hub.options().open},
                           {"needs_code", !found && needs_code(call)}}));
}

Result<http::Response> set_up(Call& call) {
  const std::string password = call.input.text("password");
  TYER_TRY_OK(check_password(password));
  TYER_TRY(const auto found, find_account(call.hub));
  if (found) return fail(Fault::conflict, "the password is set already; log in");
  const std::string& code = call.hub.options().setup_code;
  // No code is no open door.
  if (needs_code(call) && (code.empty() || !same_text(call.input.text("code"), code))) {
    return fail(Fault::denied, "the code is wrong; the hub printed it when it was started");
  }
  TYER_TRY(const std::string hash, hash_password(password));
  return log_in(call, [&](const core::View& view, Time now) {
    return feed::decide_first_password(view, hash, now);
  });
}

// Wrong, and not to be taken for a request that says nothing of who asks.
http::Response refuse_login(const Error& error) {
  http::Response response = answer(error);
  response.status = 401;
  return response;
}

http::Response refuse_attempt(Span wait) {
  http::Response response = answer(
      Error{Fault::limit,
            fmt::format("too many attempts to log in; wait {}, or have 'tyer login' make a link "
                        "where the store is",
                        describe_span(wait))});
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  response.headers.push_back({"retry-after", std::to_string(seconds)});
  return response;
}

Result<http::Response> log_in_by_password(Call& call) {
  TYER_TRY(const auto found, find_account(call.hub));
  if (!found && call.hub.options().open) {
    return fail(
        Fault::conflict,
        "this hub has no login: it was started with --open-loopback, and lets nobody in who "
        "comes through a proxy; start it without");
  }
  if (!found) return fail(Fault::conflict, "no password is set yet; POST /api/setup");
  TYER_TRY(const std::string known, known_login(call.hub, call.request));
  const Attempts::Attempt attempt =
      call.hub.attempts().begin(call.request.peer, known, call.hub.engine().env().clock.mono());
  if (attempt.wait > Span::zero()) return refuse_attempt(attempt.wait);
  TYER_TRY(const Json state, parse_json_object(found->state));
  const std::string hash = text_or(state, "password");
  const std::string password = call.input.text("password");
  if (password.size() > 4 * limits::password_chars_max || !password_fits(password, hash)) {
    return refuse_login({Fault::denied, "the password is wrong"});
  }
  Attempts::forgive(attempt);
  return log_in(call, [&](const core::View& view, Time) -> Result<core::Change> {
    TYER_TRY(const auto account, view.subject(feed::account_key));
    // Another was set while this one was looked at, and has ended all logins.
    if (!account || account->rev != found->rev) {
      return fail(Fault::conflict, "the password was changed just now; log in with the new one");
    }
    return core::Change{};
  });
}

// The end of the link that is `secret`; `denied` if it is none, or not any more.
Result<core::Change> use_link(const core::View& view, const std::string& secret, Time now) {
  const auto refuse = [] {
    return fail(Fault::denied,
                fmt::format("this link was used before, or is older than {}; 'tyer login' makes "
                            "another where the store is",
                            describe_span(limits::link_time)));
  };
  const std::string id = credential_of(secret);
  if (id.empty()) return refuse();
  TYER_TRY(const auto subject, view.subject(feed::key_of("credential", id)));
  if (!subject || subject->status != "active") return refuse();
  TYER_TRY(const feed::Credential link, feed::read_credential(*subject));
  const bool is_over = !link.expires_at || *link.expires_at <= now;
  if (link.kind != "link" || !fits(secret, link.hash) || is_over) return refuse();
  return core::Change{.events = {feed::make_revocation(*subject, "used")}};
}

Result<http::Response> log_in_by_link(Call& call) {
  auto answered = log_in(call, [&](const core::View& view, Time now) {
    return use_link(view, call.input.text("secret"), now);
  });
  if (!answered && answered.error().fault == Fault::denied) return refuse_login(answered.error());
  return answered;
}

Result<http::Response> log_out(Call& call) {
  if (call.caller.by_cookie) {
    TYER_TRY_OK(call.hub.apply(call.caller.actor, [&](const core::View& view, Time) {
      return feed::decide_revoke(view, call.caller.credential, "logged out");
    }));
  }
  http::Response response = answer("{}");
  response.headers.push_back({"set-cookie", cookie(call.hub, "", Span::zero())});
  return response;
}

Result<http::Response> me(Call& call) {
  const feed::Actor& actor = call.caller.actor;
  Json body{{"id", actor.id}, {"name", actor.name}, {"type", actor.is_agent ? "agent" : "human"}};
  if (actor.is_agent) {
    TYER_TRY(const core::Subject subject, call.hub.look(feed::key_of("agent", actor.id)));
    TYER_TRY(const feed::Agent agent, feed::read_agent(subject));
    body["agent_id"] = agent.id;
    body["agent_type"] = agent.type;
    body["default_session"] = agent.default_session;
    if (!actor.session.empty()) body["session_id"] = actor.session;
    if (!actor.run.empty()) body["run"] = actor.run;
  }
  if (call.caller.by_cookie) body["logged_in"] = true;
  return answer(dump_json(body));
}

}  // namespace

std::vector<Route> auth_routes() {
  const Field password{"password", Type::text, true, "the admin's password"};
  return {
      {.method = "GET",
       .path = "/api/setup",
       .who = Who::anyone,
       .summary = "Whether this is the first visit",
       .reply = "Setup",
       .handle = setup_state},
      {.method = "POST",
       .path = "/api/setup",
       .who = Who::anyone,
       .summary = "Sets the admin's password, once",
       .body = {password,
                {"code", Type::text, false,
                 "what the hub printed, if `needs_code` of GET says so"}},
       .reply = "Login",
       .handle = set_up},
      {.method = "POST",
       .path = "/api/auth/login",
       .who = Who::anyone,
       .summary = "Logs in; the answer sets a cookie, and `csrf_token` in it is told this once: "
                  "together they say who you are, the one as Cookie, the other as X-CSRF-Token",
       .body = {password},
       .reply = "Login",
       .handle = log_in_by_password},
      {.method = "POST",
       .path = "/api/auth/link",
       .who = Who::anyone,
       .summary = "Logs in with the link that `tyer login` printed, once",
       .body = {{"secret", Type::text, true, "what stands behind `#login=` in it"}},
       .reply = "Login",
       .handle = log_in_by_link},
      {.method = "POST",
       .path = "/api/auth/logout",
       .who = Who::human,
       .summary = "Ends the login",
       .reply = "Nothing",
       .handle = log_out},
      {.method = "GET",
       .path = "/api/auth/me",
       .summary = "Who you are; `logged_in` if by a login",
       .reply = "Me",
       .handle = me,
       .quick = true},
  };
}

}  // namespace tyer::api
