#include <algorithm>

#include "base/text.h"
#include "fuzz/targets.h"
#include "http/parser.h"

namespace tyer::fuzz {
namespace {

using http::Head;
using http::Header;
using http::Refusal;
using http::RequestParser;

// How a body came out: its text, or that it is refused or not all there.
struct Reading {
  std::string text;
  bool is_refused = false;
  bool is_done = false;

  friend bool operator==(const Reading&, const Reading&) = default;
};

// Shows the parser a piece more.
void show(RequestParser& parser, std::string& unread, std::string_view piece, Reading& reading) {
  if (reading.is_refused || parser.is_done()) return;
  unread += piece;
  const auto used =
      parser.body(unread, [&](std::string_view text) { reading.text += std::string(text); });
  reading.is_refused = !used;
  if (used) unread.erase(0, *used);
}

Reading finish(const RequestParser& parser, Reading reading) {
  reading.is_done = !reading.is_refused && parser.is_done();
  if (reading.is_refused) reading.text.clear();  // How much came before does not count.
  return reading;
}

Reading read_at_once(RequestParser& parser, std::string_view body) {
  Reading reading;
  std::string unread;
  show(parser, unread, body, reading);
  return finish(parser, std::move(reading));
}

Reading read_in_pieces(RequestParser& parser, std::string_view body) {
  Reading reading;
  std::string unread;
  in_pieces(body, [&](std::string_view piece) { show(parser, unread, piece, reading); });
  return finish(parser, std::move(reading));
}

bool has_control(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

std::string check_refusal(const Refusal& refusal) {
  constexpr int statuses[] = {400, 413, 414, 417, 431, 501, 505};
  if (std::ranges::find(statuses, refusal.status) == std::end(statuses)) {
    return "a refusal has status " + std::to_string(refusal.status);
  }
  const http::Response response = refusal_response(refusal);
  const auto head = response_head(response, 11, response.body.size(), http::Ending::close);
  return head ? "" : "a refusal cannot be sent";
}

std::string check_head(const Head& head) {
  const http::Request& request = head.request;
  if (request.method.empty() || has_control(request.method)) return "the method is none";
  if (!request.path.starts_with('/')) return "the path does not begin with '/'";
  if (request.path.contains('\0') || !is_utf8(request.path)) return "the path is no text";
  for (const auto& [name, value] : request.query) {
    if (!is_utf8(name) || !is_utf8(value)) return "the query is no text";
  }
  for (const Header& header : request.headers) {
    if (header.name.empty() || has_control(header.name)) return "a header has no proper name";
    if (std::ranges::any_of(header.name, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      return "the name of a header is not in lower case";
    }
    if (has_control(header.value)) return "a header goes on in the next line";
  }
  const auto count = [&](std::string_view name) {
    return std::ranges::count(request.headers, name, &Header::name);
  };
  if (count("host") > 1) return "there are two hosts";
  if (count("content-length") + count("transfer-encoding") > 1) return "there are two lengths";
  if (head.chunked && head.length != 0) return "a chunked body has a length";
  return "";
}

}  // namespace

std::string read_http_request(std::string_view input) {
  const auto end = http::head_end(input, 0);
  std::optional<std::size_t> found;
  std::string seen;
  in_pieces(input, [&](std::string_view piece) {
    const std::size_t before = seen.size();
    seen += piece;
    if (!found) found = http::head_end(seen, before);
  });
  if (found != end) return "the end of the head depends on how it comes";
  if (!end) return "";
  RequestParser parser;
  const auto head = parser.head(input.substr(0, *end));
  if (!head) return check_refusal(head.error());
  if (std::string complaint = check_head(*head); !complaint.empty()) return complaint;

  const std::string_view rest = input.substr(*end);
  const Reading whole = read_at_once(parser, rest);
  RequestParser again;
  if (!again.head(input.substr(0, *end))) return "a head is taken once and then refused";
  if (whole != read_in_pieces(again, rest)) return "a body depends on how it comes";
  if (!head->chunked && !whole.is_refused &&
      (whole.text.size() > head->length || whole.is_done != (whole.text.size() == head->length))) {
    return "a body is not as long as its head says";
  }
  return "";
}

std::string read_http_response(std::string_view input) {
  http::ResponseParser parser(false);
  std::string body;
  std::string unread;
  bool is_broken = false;
  std::string complaint;
  in_pieces(input, [&](std::string_view piece) {
    if (is_broken || parser.is_done()) return;
    unread += piece;
    const auto used = parser.put(unread, [&](std::string_view text) { body += std::string(text); });
    is_broken = !used;
    if (!used) return;
    if (*used > unread.size()) complaint = "more was used than there was";
    unread.erase(0, std::min(*used, unread.size()));
  });
  if (!complaint.empty() || is_broken) return complaint;
  if (!parser.is_done()) (void)parser.put_end();
  if (body.size() > input.size()) return "a body is longer than what came";
  if (!parser.has_head()) return body.empty() ? "" : "there is a body without a head";
  for (const Header& header : parser.response().headers) {
    if (has_control(header.value)) return "a header goes on in the next line";
  }
  return "";
}

}  // namespace tyer::fuzz
