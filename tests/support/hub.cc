#include "support/hub.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/json.h"
#include "support/postgres_server.h"

namespace tyer::testing {
namespace {

constexpr Span time_max = 60s;

http::Client client_of(const std::string& url) {
  auto made = http::Client::make(url);
  TYER_CHECK(made.has_value(), made ? "" : made.error().what.c_str());
  return *std::move(made);
}

std::vector<http::Header> to_headers(const std::map<std::string, std::string>& given) {
  std::vector<http::Header> headers;
  for (const auto& [name, value] : given) headers.push_back({name, value});
  return headers;
}

}  // namespace

Json Reply::json() const {
  return parse_json(body).value_or(Json());
}

std::string Reply::header(std::string_view name) const {
  return std::string(http::header_of(headers, name));
}

std::string Reply::text(const char* name) const {
  const Json read = json();
  return read.is_object() ? text_or(read, name) : "";
}

Visitor::Visitor(const std::string& url) : url_(url), client_(client_of(url)) {}

Visitor& Visitor::with(const std::string& name, const std::string& value) & {
  headers_[name] = value;
  return *this;
}

Visitor Visitor::with(const std::string& name, const std::string& value) && {
  headers_[name] = value;
  return std::move(*this);
}

Visitor Visitor::again() const {
  Visitor same(url_);
  same.headers_ = headers_;
  return same;
}

Reply Visitor::ask(const std::string& method, const std::string& path, const std::string& body) {
  auto response = client_.send(
      {.method = method, .target = path, .headers = to_headers(headers_), .body = body});
  if (!response) return {.body = response.error().what};
  return {response->status, std::move(response->headers), std::move(response->body)};
}

Reply Visitor::post(const std::string& path, const Json& body) {
  return ask("POST", path, dump_json(body));
}

Reply Visitor::patch(const std::string& path, const Json& body) {
  return ask("PATCH", path, dump_json(body));
}

std::string Visitor::make(const std::string& path, const Json& body) {
  const Reply reply = post(path, body);
  EXPECT_EQ(reply.status, 201) << path << ": " << reply.body;
  return reply.text("id");
}

Listener::Listener(const std::string& url, const std::string& path,
                   const std::map<std::string, std::string>& headers) {
  std::array<int, 2> ends{};
  TYER_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
  stop_read_ = env::Fd(ends[0]);
  stop_write_ = env::Fd(ends[1]);
  thread_ = std::thread([this, url, path, headers] { read(url, path, headers); });
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(changed_.wait_for(lock, time_max, [&] { return status_ != 0 || is_over_; }))
      << path << " does not answer";
}

Listener::~Listener() {
  stop_write_ = env::Fd();
  thread_.join();
}

int Listener::status() {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::vector<http::ServerEvent> Listener::until(const Wanted& wanted) {
  std::unique_lock lock(mutex_);
  std::size_t seen = 0;
  const bool came = changed_.wait_for(lock, time_max, [&] {
    for (; seen < events_.size(); ++seen) {
      if (wanted(events_[seen])) return true;
    }
    return is_over_;
  });
  EXPECT_TRUE(came) << "what was waited for does not come; there were " << events_.size();
  return events_;
}

std::vector<http::ServerEvent> Listener::until(const std::string& event) {
  return until([&](const http::ServerEvent& one) { return one.event == event; });
}

std::vector<http::ServerEvent> Listener::until_end() {
  return until([](const http::ServerEvent&) { return false; });
}

void Listener::read(const std::string& url, const std::string& path,
                    const std::map<std::string, std::string>& headers) {
  http::Client client = client_of(url);
  const http::Request request{.method = "GET", .target = path, .headers = to_headers(headers)};
  (void)client.stream(request, 3 * time_max, stop_read_.get(),
                      [&](int status, std::string_view text) { return take(status, text); });
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  changed_.notify_all();
}

bool Listener::take(int status, std::string_view text) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  auto events = reader_.feed(text);
  if (!events) return false;
  for (http::ServerEvent& event : *events) events_.push_back(std::move(event));
  changed_.notify_all();
  return true;
}

HubPlace::HubPlace(const std::string& backend) {
  if (backend != "postgres") return;
  auto url = shared_postgres().fresh_url();
  TYER_CHECK(url.has_value(), url ? "" : url.error().what.c_str());
  store_ = *url;
}

ProgramCall HubPlace::call(std::vector<std::string> options) const {
  options.insert(options.begin(), "serve");
  if (!store_.empty()) options.insert(options.end(), {"--store", store_});
  return {.words = std::move(options),
          .directory = dir_.path(),
          .environment = {{"HOME", dir_.path()}}};
}

const std::vector<std::string>& hub_backends() {
  static const std::vector<std::string> names{"sqlite", "postgres"};
  return names;
}

RunningHub::RunningHub(const HubPlace& place, std::vector<std::string> options,
                       const std::string& listen) {
  options.insert(options.end(), {"--listen", listen, "--json"});
  program_ = std::make_unique<Program>(place.call(std::move(options)));
  // One line of JSON says where it is.
  if (!program_->wait_for("}\n")) {
    ADD_FAILURE() << "the hub does not start: " << program_->finish().err;
    return;
  }
  const auto told = parse_json_object(program_->out());
  url_ = told ? text_or(*told, "url") : "";
  setup_code_ = told ? text_or(*told, "setup_code") : "";
  EXPECT_TRUE(url_.starts_with("http://127.0.0.1:")) << program_->out();
}

int RunningHub::port() const {
  return std::atoi(url_.c_str() + url_.rfind(':') + 1);
}

Visitor RunningHub::admin() const {
  Visitor visitor(url_);
  Reply reply = visitor.post("/api/setup", {{"password", hub_password}});
  if (reply.status == 409) reply = visitor.post("/api/auth/login", {{"password", hub_password}});
  EXPECT_EQ(reply.status, 200) << reply.body;
  const std::string cookie = reply.header("set-cookie");
  visitor.with("Cookie", cookie.substr(0, cookie.find(';')));
  visitor.with("X-CSRF-Token", reply.text("csrf_token"));
  return visitor;
}

void RunningHub::kill() {
  program_->signal(SIGKILL);
  EXPECT_EQ(program_->finish().code, 128 + SIGKILL);
}

ProgramResult RunningHub::stop() {
  program_->signal(SIGTERM);
  return program_->finish();
}

}  // namespace tyer::testing
