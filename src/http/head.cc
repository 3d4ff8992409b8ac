#include "http/head.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_text.h"
#include "base/text.h"
#include "http/limits.h"

namespace tyer::http {
namespace {

Refusal bad(std::string what) {
  return {.status = 400, .fault = Fault::invalid, .what = std::move(what)};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Of a header that may stand only once: its value, or how often it is there.
struct Once {
  std::string_view value;
  int count = 0;
};

Once once(const Head& head, std::string_view name) {
  Once found;
  for (const Header& header : head.request.headers) {
    if (header.name == name && ++found.count == 1) found.value = header.value;
  }
  return found;
}

std::optional<Refusal> read_query(std::string_view text, Request& request) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = decode_percent(pair.substr(0, equals), true);
    auto value = decode_percent(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return bad("the query of the target is not valid percent-encoded UTF-8");
    request.query.emplace_back(std::move(*name), std::move(*value));
  }
  return std::nullopt;
}

// "/path?query", or the same behind "http://" and the host that the request names.
std::optional<Refusal> read_target(Request& request, std::string_view host) {
  std::string_view target = request.target;
  if (target.size() > limits::http_target_max) {
    return Refusal{.status = 414, .fault = Fault::limit, .what = "the target is too long"};
  }
  constexpr std::string_view scheme = "http://";
  if (same_ignoring_case(target.substr(0, scheme.size()), scheme)) {
    target.remove_prefix(scheme.size());
    const std::string_view authority = target.substr(0, target.find_first_of("/?#"));
    if (!same_ignoring_case(authority, host)) {
      return bad("the target is on another host than the Host header says");
    }
    target.remove_prefix(authority.size());
    if (target.empty()) target = "/";
  }
  if (!target.starts_with('/') || target.contains('#')) {
    return bad("the target must be a path that begins with '/'");
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  auto path = decode_percent(target.substr(0, mark), false);
  if (!path) return bad("the path is not valid percent-encoded UTF-8");
  request.path = std::move(*path);
  return read_query(target.substr(std::min(mark + 1, target.size())), request);
}

std::optional<Refusal> read_framing(Head& head) {
  const Once length = once(head, "content-length");
  const Once coding = once(head, "transfer-encoding");
  if (length.count > 1) return bad("Content-Length stands there twice");
  if (coding.count > 1) return bad("Transfer-Encoding stands there twice");
  if (length.count == 1 && coding.count == 1) {
    return bad("a request has Content-Length or Transfer-Encoding, not both");
  }
  if (coding.count == 1) {
    if (head.version < 11) return bad("HTTP/1.0 has no Transfer-Encoding");
    if (!same_ignoring_case(coding.value, "chunked")) {
      return Refusal{.status = 501, .what = "of transfer codings only chunked is understood"};
    }
    head.chunked = true;
  }
  if (length.count == 1) {
    const auto [rest, error] =
        std::from_chars(length.value.begin(), length.value.end(), head.length);
    if (error != std::errc() || rest != length.value.end())
      return bad("Content-Length is not a number");
  }
  return std::nullopt;
}

std::optional<Refusal> read_expectation(Head& head) {
  const Once expect = once(head, "expect");
  if (expect.count == 0) return std::nullopt;
  if (expect.count > 1 || !same_ignoring_case(expect.value, "100-continue")) {
    return Refusal{.status = 417, .what = "of expectations only 100-continue is understood"};
  }
  head.expects_continue = head.version >= 11 && (head.chunked || head.length > 0);
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> head_end(std::string_view bytes, std::size_t from) {
  // The empty line may have begun in what is not new.
  const std::size_t found = bytes.find("\r\n\r\n", from < 3 ? 0 : from - 3);
  if (found == std::string_view::npos) return std::nullopt;
  return found + 4;
}

std::optional<Refusal> check_lines(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return bad("there is a NUL in the head");
    if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      return bad("a carriage return stands alone in the head");
    }
    if (c != '\n') continue;
    if (i == 0 || text[i - 1] != '\r') return bad("a line of the head does not end in CRLF");
    if (i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '\t')) {
      return bad("a header is folded over two lines");
    }
  }
  return std::nullopt;
}

std::optional<Refusal> check_head(Head& head) {
  const Once host = once(head, "host");
  if (host.count > 1 || (host.count == 0 && head.version >= 11)) {
    return bad("a request has exactly one Host header");
  }
  const std::string& method = head.request.method;
  const auto is_upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; };
  if (!std::ranges::all_of(method, is_upper) || method == "CONNECT" || method == "TRACE") {
    return Refusal{.status = 501, .what = "this method is not understood"};
  }
  if (auto refusal = read_target(head.request, host.value)) return refusal;
  if (auto refusal = read_framing(head)) return refusal;
  return read_expectation(head);
}

std::optional<std::string> decode_percent(std::string_view text, bool plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  if (!is_utf8(out)) return std::nullopt;
  return out;
}

Response refusal_response(const Refusal& refusal) {
  Response response{.status = refusal.status};
  response.headers.push_back({"Content-Type", "application/json"});
  const bool is_for_now = refusal.status == 503 || refusal.status == 429;
  if (is_for_now) response.headers.push_back({"Retry-After", "1"});
  response.body = "{\"error\":{\"code\":" + json_string(info(refusal.fault).name) +
                  ",\"message\":" + json_string(refusal.what) + "}}\n";
  return response;
}

bool has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::optional<std::string> response_head(const Response& response, int version,
                                         std::optional<std::uint64_t> length, Ending ending) {
  if (response.status < 200 || response.status > 599) return std::nullopt;
  constexpr std::array ours = {"content-length", "transfer-encoding", "connection"};
  std::string out;
  const std::uint64_t body = length.value_or(0);
  // With room for a body that goes along.
  out.reserve(limits::http_usual_head + (body <= limits::http_join_bytes ? body : 0));
  out.append(version >= 11 ? "HTTP/1.1 " : "HTTP/1.0 ").append(std::to_string(response.status));
  out.append(" ").append(reason_of(response.status)).append("\r\n");
  for (const Header& header : response.headers) {
    if (!is_sendable(header)) return std::nullopt;
    if (std::ranges::any_of(
            ours, [&](const char* name) { return same_ignoring_case(header.name, name); })) {
      continue;
    }
    out.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  if (has_body(response.status)) {
    if (length) {
      out.append("Content-Length: ").append(std::to_string(*length)).append("\r\n");
    } else if (version >= 11) {
      out += "Transfer-Encoding: chunked\r\n";
    }
  }
  if (ending == Ending::close) {
    out += "Connection: close\r\n";
  } else if (version < 11) {
    out += "Connection: keep-alive\r\n";
  }
  out.append("\r\n");
  return out;
}

}  // namespace tyer::http
