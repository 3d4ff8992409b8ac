#include "lock/hub_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "lock/limits.h"

namespace tyer::lock {
namespace {

std::optional<Fault> fault_called(std::string_view name) {
  for (int i = 0; i < fault_count; ++i) {
    if (info(static_cast<Fault>(i)).name == name) return static_cast<Fault>(i);
  }
  return std::nullopt;
}

std::string target_of(const std::string& path, const HubClient::Query& query) {
  std::string target = path;
  char mark = '?';
  for (const auto& [name, value] : query) {
    target += mark + name + "=";
    for (const char c : value) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || std::string_view("-._~").contains(c);
      target +=
          is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    mark = '&';
  }
  return target;
}

}  // namespace

Error read_refusal(const std::string& url, int status, std::string_view body) {
  const auto json = parse_json_object(body, body.size());
  const Json said = json && json->contains("error") ? (*json)["error"] : Json();
  const auto fault = fault_called(said.is_object() ? text_or(said, "code") : "");
  if (fault) return {*fault, text_or(said, "message")};
  return {Fault::unavailable, fmt::format("{} answers with status {}, but not as a hub does",
                                          printable(url, 200), status)};
}

Error HubClient::refusal(int status, std::string_view body) const {
  Error error = read_refusal(hub_.url, status, body);
  if (status == 401 && hub_.key.empty()) error.what += "; an agent's key belongs in TYER_API_KEY";
  return error;
}

Result<HubClient> HubClient::make(const HubAddress& hub, Span answer_max) {
  http::ClientOptions options{.time = answer_max, .answer_max = limits::hub_answer_bytes_max};
  options.connect_time = std::min(options.connect_time, answer_max);
  TYER_TRY(http::Client client, http::Client::make(hub.url, std::move(options)));
  return HubClient(hub, std::move(client));
}

Result<Json> HubClient::ask(const std::string& method, const std::string& path, const Query& query,
                            const std::string& body) {
  const auto response = client_.send(request(method, target_of(path, query), body));
  if (!response) return out_of_reach(response.error());
  if (response->status / 100 != 2) {
    return std::unexpected(refusal(response->status, response->body));
  }
  if (response->body.empty()) return Json();
  auto json = parse_json(response->body, response->body.size());
  if (!json) return std::unexpected(refusal(response->status, response->body));
  return json;
}

Result<HubClient::Answer> HubClient::post(const std::string& path, const std::string& body,
                                          Span silence, int stop_fd) {
  Answer answer;
  const auto read = client_.stream(request("POST", path, body), silence, stop_fd,
                                   [&](int status, std::string_view text) {
                                     answer.status = status;
                                     answer.body += text;
                                     return answer.body.size() < limits::hub_answer_bytes_max;
                                   });
  if (!read) return out_of_reach(read.error());
  return answer;
}

Result<std::optional<std::string>> HubClient::Lines::next(int stop_fd) {
  while (true) {
    const std::size_t end = rest_.find('\n');
    if (end != std::string::npos) {
      std::string line = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      if (!line.empty()) return line;
      continue;
    }
    const auto text = reply_->next(limits::hub_silence_max, stop_fd);
    if (!text) return client_->out_of_reach(text.error());
    if (!*text || rest_.size() + (*text)->size() > limits::hub_answer_bytes_max) {
      return std::nullopt;
    }
    rest_ += **text;
  }
}

Result<HubClient::Lines> HubClient::open_lines(const std::string& path, const std::string& body,
                                               int stop_fd) {
  auto reply = client_.open(request("POST", path, body), limits::hub_silence_max, stop_fd);
  if (!reply) return out_of_reach(reply.error());
  Lines lines;
  lines.client_ = this;
  lines.reply_ = *std::move(reply);
  const int status = lines.reply_->status();
  if (status == 200) return lines;
  std::string said;
  while (said.size() <= limits::hub_answer_bytes_max) {
    const auto text = lines.reply_->next(limits::hub_silence_max, stop_fd);
    if (!text) return out_of_reach(text.error());
    if (!*text) break;
    said += **text;
  }
  return std::unexpected(refusal(status, said));
}

Result<> HubClient::post_for_lines(const std::string& path, const std::string& body, int stop_fd,
                                   const std::function<bool(std::string_view line)>& on_line) {
  TYER_TRY(Lines lines, open_lines(path, body, stop_fd));
  if (!on_line("")) return {};
  while (true) {
    TYER_TRY(const auto line, lines.next(stop_fd));
    if (!line || !on_line(*line)) return {};
  }
}

http::Request HubClient::request(const std::string& method, const std::string& target,
                                 const std::string& body) const {
  http::Request request{.method = method,
                        .target = target,
                        .headers = {{"Accept", "application/json"}},
                        .body = body};
  if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  if (!hub_.key.empty()) request.headers.push_back({"Authorization", "Bearer " + hub_.key});
  return request;
}

// Whoever stops a question knows why.
std::unexpected<Error> HubClient::out_of_reach(const Error& error) const {
  if (error.fault == Fault::cancelled) return std::unexpected(error);
  Error told = error.in(fmt::format("the hub {}", printable(hub_.url, 200)));
  // One that does not answer is out of reach, and has not come to a limit of ours.
  if (told.fault == Fault::timeout) told.fault = Fault::unavailable;
  return std::unexpected(std::move(told));
}

}  // namespace tyer::lock
