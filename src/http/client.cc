#include "http/client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "http/connection.h"
#include "http/limits.h"
#include "http/parser.h"

namespace tyer::http {

// What was read, and what of it is not used yet.
struct AnswerReading {
  AnswerReading(Connection& on, bool answers_head_request)
      : connection(on),
        is_head_request(answers_head_request),
        parser(std::make_unique<ResponseParser>(answers_head_request)) {}

  Connection& connection;
  const bool is_head_request;
  std::unique_ptr<ResponseParser> parser;
  std::string unread;
  bool got_any = false;
};

namespace {

using Sink = std::function<void(std::string_view)>;

bool is_idempotent(std::string_view method) {
  constexpr std::array<std::string_view, 5> names = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  return std::ranges::find(names, method) != names.end();
}

bool is_plain(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

Bound within(Span span, int stop_fd = -1) {
  return {.until = env::LinuxClock().mono() + span, .stop_fd = stop_fd};
}

// Reads once, and what the parser takes goes to `sink`. False: the answer is over.
Result<bool> read_more(AnswerReading& reading, const Sink& sink, Bound bound) {
  std::array<char, 16 << 10> piece;
  TYER_TRY(const std::size_t got, reading.connection.read(piece, bound));
  if (got == 0) {
    if (reading.parser->put_end()) return false;
    return fail(Fault::unavailable, "the connection ended before the answer");
  }
  constexpr char tls_alert = 21;
  if (!reading.got_any && piece.front() == tls_alert) {
    return fail(Fault::unavailable, "it speaks TLS; write https:// in place of http://");
  }
  reading.got_any = true;
  reading.unread.append(piece.data(), got);
  for (int i = 0; i < limits::http_interim_max; ++i) {
    TYER_TRY(const std::size_t used, reading.parser->put(reading.unread, sink));
    reading.unread.erase(0, used);
    const bool is_interim =
        reading.parser->is_done() && reading.parser->response().status / 100 == 1;
    if (!is_interim) return !reading.parser->is_done();
    reading.parser = std::make_unique<ResponseParser>(reading.is_head_request);
  }
  return fail(Fault::broken, "the server says 100 again and again");
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  const Error wrong{Fault::invalid, fmt::format("'{}' is no URL as http://127.0.0.1:7420 is one",
                                                std::string(text))};
  Url url;
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || !is_plain(text)) return std::unexpected(wrong);
  url.scheme = text.substr(0, colon);
  if (url.scheme != "http" && url.scheme != "https") return std::unexpected(wrong);
  url.port = url.scheme == "https" ? 443 : 80;
  text.remove_prefix(colon + 3);
  std::string_view authority = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(authority.size());
  const bool in_brackets = authority.starts_with('[');
  const std::size_t host_end =
      in_brackets ? authority.find(']') : std::min(authority.find(':'), authority.size());
  if (host_end == std::string_view::npos || authority.contains('@')) return std::unexpected(wrong);
  url.host = authority.substr(in_brackets ? 1 : 0, host_end - (in_brackets ? 1 : 0));
  authority.remove_prefix(std::min(authority.size(), host_end + (in_brackets ? 1 : 0)));
  if (!authority.empty()) {
    const char* end = authority.data() + authority.size();
    const auto [rest, error] = std::from_chars(authority.data() + 1, end, url.port);
    if (authority[0] != ':' || error != std::errc() || rest != end || url.port < 1 ||
        url.port > 65535) {
      return std::unexpected(wrong);
    }
  }
  if (url.host.empty()) return std::unexpected(wrong);
  url.path = text.substr(0, text.find('#'));
  if (!url.path.starts_with('/')) url.path.insert(0, "/");
  return url;
}

struct Client::Inside {
  Url url;
  std::string prefix;  // Of every target.
  std::string host;    // As the header says it.
  ClientOptions options;
  std::shared_ptr<TlsContext> tls;
  std::unique_ptr<Connection> kept;

  [[nodiscard]] Result<std::unique_ptr<Connection>> connect(int stop_fd = -1) const {
    return Connection::open(url.host, url.port, tls.get(), within(options.connect_time, stop_fd));
  }

  [[nodiscard]] Result<std::string> text_of(const Request& request) const {
    const std::string target = prefix + (request.target.empty() ? "/" : request.target);
    std::string out = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, target, host);
    for (const Header& header : request.headers) {
      if (!is_sendable(header)) return fail(Fault::invalid, "a header cannot be sent");
      out += header.name + ": " + header.value + "\r\n";
    }
    if (!is_plain(target) || !is_sendable({request.method, ""})) {
      return fail(Fault::invalid, "a method or target cannot be sent");
    }
    if (!request.body.empty() || !is_idempotent(request.method)) {
      out += fmt::format("Content-Length: {}\r\n", request.body.size());
    }
    return out += "\r\n" + request.body;
  }

  // One try on the kept connection. `got_any`: the server has begun to answer.
  [[nodiscard]] Result<Response> exchange(const std::string& text, bool is_head_request,
                                          bool& got_any) {
    const Bound bound = within(options.time);
    AnswerReading reading(*kept, is_head_request);
    std::string body;
    bool is_too_large = false;
    const Sink sink = [&](std::string_view piece) {
      is_too_large = is_too_large || body.size() + piece.size() > options.answer_max;
      if (!is_too_large) body += piece;
    };
    // A server that refuses may answer, and close, before it has read all: what it said counts.
    const Result<> wrote = kept->write(text, bound);
    if (!wrote && wrote.error().fault != Fault::unavailable) return std::unexpected(wrote.error());
    while (true) {
      const Result<bool> more = read_more(reading, sink, bound);
      got_any = reading.got_any;
      if (!more) return std::unexpected(more.error());
      if (is_too_large) return fail(Fault::limit, "the answer is too large");
      if (!*more) break;
    }
    Response response = std::move(reading.parser->response());
    response.body = std::move(body);
    if (!reading.parser->keep_alive() || !reading.unread.empty() || !wrote) kept.reset();
    return response;
  }
};

Result<Client> Client::make(const std::string& url, ClientOptions options) {
  TYER_TRY(Url parsed, parse_url(url));
  std::shared_ptr<TlsContext> tls;
  if (parsed.scheme == "https") {
    TYER_TRY(tls, TlsContext::for_client(options.ca_file));
  }
  auto inside = std::make_unique<Inside>();
  inside->url = std::move(parsed);
  inside->tls = std::move(tls);
  inside->prefix = inside->url.path.substr(0, inside->url.path.find('?'));
  while (inside->prefix.ends_with('/')) inside->prefix.pop_back();
  const std::string& host = inside->url.host;
  const int port = inside->url.port;
  inside->host =
      host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
  inside->options = std::move(options);
  return Client(std::move(inside));
}

Client::Client(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Response> Client::send(const Request& request) {
  TYER_TRY(const std::string text, inside_->text_of(request));
  std::unique_ptr<Connection>& kept = inside_->kept;
  if (kept && kept->is_stale()) kept.reset();
  const bool is_old = kept != nullptr;
  for (bool is_retry = false;; is_retry = true) {
    if (!kept) {
      TYER_TRY(kept, inside_->connect());
    }
    bool got_any = false;
    Result<Response> response = inside_->exchange(text, request.method == "HEAD", got_any);
    if (response) return response;
    kept.reset();
    const bool may_retry = is_old && !is_retry && !got_any && is_idempotent(request.method) &&
                           response.error().fault == Fault::unavailable;
    if (!may_retry) return response;
  }
}

struct Reply::Inside {
  explicit Inside(std::unique_ptr<Connection> on) : connection(std::move(on)) {}

  std::unique_ptr<Connection> connection;
  AnswerReading reading{*connection, false};
  std::string fresh;  // Not asked for yet.
  bool is_over = false;

  Result<> read(Span silence, int stop_fd) {
    const Sink sink = [this](std::string_view piece) { fresh += piece; };
    TYER_TRY(const bool more, read_more(reading, sink, within(silence, stop_fd)));
    is_over = !more;
    return {};
  }
};

Reply::Reply(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Reply::~Reply() = default;

int Reply::status() const {
  return inside_->reading.parser->response().status;
}

Result<std::optional<std::string>> Reply::next(Span silence, int stop_fd) {
  while (inside_->fresh.empty() && !inside_->is_over) {
    TYER_TRY_OK(inside_->read(silence, stop_fd));
  }
  if (inside_->fresh.empty()) return std::nullopt;
  return std::exchange(inside_->fresh, {});
}

int Reply::plain_fd() const {
  // The end of a chunk is read with the next one.
  const std::string& unread = inside_->reading.unread;
  const bool is_clear = inside_->fresh.empty() && (unread.empty() || unread == "\r\n");
  return is_clear && !inside_->is_over ? inside_->connection->plain_fd() : -1;
}

Result<std::unique_ptr<Reply>> Client::open(const Request& request, Span silence, int stop_fd) {
  TYER_TRY(const std::string text, inside_->text_of(request));
  TYER_TRY(auto connection, inside_->connect(stop_fd));
  TYER_TRY_OK(connection->write(text, within(silence, stop_fd)));
  auto inside = std::make_unique<Reply::Inside>(std::move(connection));
  while (!inside->reading.parser->has_head()) TYER_TRY_OK(inside->read(silence, stop_fd));
  return std::unique_ptr<Reply>(new Reply(std::move(inside)));
}

Result<> Client::stream(const Request& request, Span silence, int stop_fd,
                        const std::function<bool(int status, std::string_view text)>& on_text) {
  TYER_TRY(const auto reply, open(request, silence, stop_fd));
  if (!on_text(reply->status(), "")) return {};
  while (true) {
    TYER_TRY(const auto text, reply->next(silence, stop_fd));
    if (!text || !on_text(reply->status(), *text)) return {};
  }
}

}  // namespace tyer::http
