// How the hub is, and what it can do (H20, P12).

#include <fmt/format.h>

#include "api/answer.h"
#include "api/broadcast.h"
#include "api/describe.h"
#include "api/hub.h"
#include "base/json_text.h"

namespace tyer::api {
namespace {

http::Response answer_text(std::string text, const char* type) {
  return {.headers = {{"content-type", type}, {"cache-control", "no-cache"}},
          .body = std::move(text)};
}

Result<http::Response> health(Call& call) {
  if (!call.caller.is_known()) return answer(R"({"status":"ok"})");
  const HubOptions& options = call.hub.options();
  return answer(fmt::format(R"({{"status":"ok","version":{},"store":{}}})",
                            json_string(options.version), json_string(options.store)));
}

Result<http::Response> ready(Call& call) {
  TYER_TRY_OK(call.hub.engine().read([](const core::View& view) -> Result<> {
    TYER_TRY_OK(view.head());
    return {};
  }));
  return answer(R"({"status":"ready"})");
}

Result<http::Response> metrics(Call& call) {
  core::Head head;
  TYER_TRY_OK(call.hub.engine().read([&](const core::View& view) -> Result<> {
    TYER_TRY(head, view.head());
    return {};
  }));
  const Counters& counters = call.hub.counters();
  std::string text = fmt::format(
      "# HELP tyer_events_total Events in the log.\n# TYPE tyer_events_total counter\n"
      "tyer_events_total {}\n"
      "# HELP tyer_streams Open event streams.\n# TYPE tyer_streams gauge\ntyer_streams {}\n"
      "# HELP tyer_requests_total Requests by class of their status.\n"
      "# TYPE tyer_requests_total counter\n",
      head.seq, call.hub.broadcast() == nullptr ? 0 : call.hub.broadcast()->size());
  for (std::size_t i = 1; i < counters.answered.size(); ++i) {
    text += fmt::format("tyer_requests_total{{status=\"{}xx\"}} {}\n", i,
                        counters.answered[i].load(std::memory_order_relaxed));
  }
  return answer_text(std::move(text), "text/plain; version=0.0.4");
}

Result<http::Response> show_skill(Call&) {
  static const std::string text = skill();
  http::Response response = answer_text(text, "text/markdown; charset=utf-8");
  response.headers.push_back({"etag", skill_id()});
  return response;
}

Result<http::Response> show_openapi(Call&) {
  static const std::string text = openapi();
  return answer_text(text, "application/json");
}

Result<http::Response> home(Call& call) {
  TYER_TRY(auto page, call.hub.page(call.request));
  if (!page) return fail(Fault::not_found, "there is no page");
  return *std::move(page);
}

}  // namespace

std::vector<Route> system_routes() {
  return {
      {.method = "GET",
       .path = "/",
       .who = Who::anyone,
       .summary = "The page for people",
       .reply = "HTML",
       .handle = home,
       .takes_any = true},
      {.method = "GET",
       .path = "/skill.md",
       .who = Who::anyone,
       .summary = "Everything an agent needs",
       .reply = "Text",
       .handle = show_skill},
      {.method = "GET",
       .path = "/api/openapi.json",
       .who = Who::anyone,
       .summary = "This API as OpenAPI 3.1",
       .reply = "JSON",
       .handle = show_openapi},
      {.method = "GET",
       .path = "/health",
       .who = Who::anyone,
       .summary = "Whether the process lives; who is known sees its version and store, too",
       .reply = "Health",
       .handle = health,
       .quick = true},
      {.method = "GET",
       .path = "/ready",
       .who = Who::anyone,
       .summary = "Whether the store answers",
       .reply = "Health",
       .handle = ready},
      {.method = "GET",
       .path = "/metrics",
       .who = Who::anyone,
       .summary = "Numbers for Prometheus",
       .reply = "Text",
       .handle = metrics},
  };
}

}  // namespace tyer::api
