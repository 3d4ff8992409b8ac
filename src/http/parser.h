// HTTP/1.1 as bytes: requests and answers read strictly, heads written safely. Pure.
//
// What two readers could understand differently is refused, because that is how
// one request is smuggled inside another: two lengths, folded lines, codings we
// do not know. Beast does the reading; what it lets pass is refused here.

#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/message.h"

namespace tyer::http {

// An answer that says why a request is not taken. The connection is closed after it.
struct Refusal {
  int status = 400;
  Fault fault = Fault::invalid;
  std::string what;
};

// {"error":{"code":"…","message":"…"}}
[[nodiscard]] Response refusal_response(const Refusal& refusal);

struct Head {
  Request request;  // Without body, peer and secure.
  int version = 11;
  bool keep_alive = false;
  bool expects_continue = false;
  bool chunked = false;
  std::uint64_t length = 0;  // Of a body that is not chunked.
};

class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // `text` ends with the first empty line. Once.
  [[nodiscard]] std::expected<Head, Refusal> head(std::string_view text);

  // How many of the bytes after the head were used; the rest is to be shown
  // again with what comes next. `sink` gets the pieces of the body.
  [[nodiscard]] std::expected<std::size_t, Refusal> body(
      std::string_view bytes, const std::function<void(std::string_view)>& sink);
  [[nodiscard]] bool is_done() const;

 private:
  struct Reading;
  std::unique_ptr<Reading> reading_;
};

// Where the head at the beginning of `bytes` ends, behind its empty line. Only
// what stands behind `from` is new.
[[nodiscard]] std::optional<std::size_t> head_end(std::string_view bytes, std::size_t from);

// The same for what a client reads.
class ResponseParser {
 public:
  explicit ResponseParser(bool answers_head_request);
  ~ResponseParser();

  [[nodiscard]] Result<std::size_t> put(std::string_view bytes,
                                        const std::function<void(std::string_view)>& sink);
  // The peer has closed: true if this is how the body ends.
  [[nodiscard]] bool put_end();
  [[nodiscard]] bool has_head() const;
  [[nodiscard]] bool is_done() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] Response& response();  // Without the body.

 private:
  struct Reading;
  std::unique_ptr<Reading> reading_;
};

enum class Ending : std::uint8_t { keep, close };  // What becomes of the connection.

// The head of an answer: with `length`, or chunked if there is none and the
// version is 11. A status that is none, or a header
// that cannot be sent, makes it nothing.
[[nodiscard]] std::optional<std::string> response_head(const Response& response, int version,
                                                       std::optional<std::uint64_t> length,
                                                       Ending ending);

// 204, 304 and 1xx have neither body nor length.
[[nodiscard]] bool has_body(int status);

// "a%20b" → "a b"; with `plus` a '+' is a space. Nothing for a bad escape, NUL or invalid UTF-8.
[[nodiscard]] std::optional<std::string> decode_percent(std::string_view text, bool plus);

}  // namespace tyer::http
