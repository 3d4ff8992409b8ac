#include "api/answer.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "core/key.h"

namespace tyer::api {

constexpr std::size_t usual_headers = 8;  // With those that the hub adds.

http::Response answer(std::string body, int status) {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.reserve(usual_headers);
  response.headers.push_back({"content-type", "application/json"});
  response.headers.push_back({"cache-control", "no-store"});
  return response;
}

http::Response answer(const Error& error) {
  const FaultInfo& about = info(error.fault);
  // What is said may quote what was sent.
  const std::string what =
      is_utf8(error.what) ? error.what : printable(error.what, error.what.size());
  return answer(
      fmt::format(R"({{"error":{{"code":"{}","message":{}}}}})", about.name, json_string(what)),
      about.http_status);
}

std::string with(std::string object, const std::string& members) {
  if (members.empty()) return object;
  object.pop_back();
  return object + (object.size() > 1 ? "," : "") + members + "}";
}

std::string shown(const core::Subject& subject) {
  const std::string id(core::rest_of(subject.key));
  return fmt::format(R"({{"id":{}{}{})", json_string(id), subject.state.size() > 2 ? "," : "",
                     std::string_view(subject.state).substr(1));
}

http::Response answer(const core::Subject& subject, int status) {
  http::Response response = answer(shown(subject), status);
  response.headers.push_back({"etag", fmt::format("\"{}\"", subject.rev)});
  return response;
}

http::Response answer_page(const std::vector<std::string>& rows, const std::string& next) {
  std::string body = R"({"data":[)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) body += ',';
    body += rows[i];
  }
  return answer(body + R"(],"next_cursor":)" + (next.empty() ? "null" : json_string(next)) + "}");
}

}  // namespace tyer::api
