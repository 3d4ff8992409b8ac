// A request and its answer, as plain data.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tyer::http {

struct Header {
  std::string name;  // Lower case in everything that was received.
  std::string value;
};

// The value of the first with this name, whatever its case; empty if there is none.
[[nodiscard]] std::string_view header_of(const std::vector<Header>& headers, std::string_view name);

struct Request {
  std::string method;  // Upper case.
  std::string target;  // As sent.
  std::string path;    // Percent-decoded, without the query: UTF-8 without NUL.
  std::vector<std::pair<std::string, std::string>> query;  // Decoded, in order.
  std::vector<Header> headers;
  std::string body;  // If it is not in a file.
  int body_fd = -1;  // A large body: an unlinked file at offset 0. It is closed after the handler;
                     // who keeps it sets this to -1.
  std::string peer;  // "127.0.0.1:41234"
  bool secure = false;  // It came over TLS.

  [[nodiscard]] std::string_view header(std::string_view lower_name) const {
    return header_of(headers, lower_name);
  }
  [[nodiscard]] std::string_view query_of(std::string_view name) const;  // Empty if absent.
};

class Stream;

struct Response {
  int status = 200;
  std::vector<Header> headers;  // Those of length and connection are the server's.
  std::string body;             // HEAD sends its length only.

  // Or a file from its offset on, which the server closes afterwards.
  int file_fd = -1;
  std::uint64_t file_size = 0;

  // Or a body that goes on: called in the I/O thread, so quickly, once the head is queued.
  std::function<void(std::shared_ptr<Stream>)> stream;

  [[nodiscard]] std::string_view header(std::string_view lower_name) const {
    return header_of(headers, lower_name);
  }
};

// Runs in a thread of the pool and blocks as it likes; see Limits::quick for the exception.
using Handler = std::function<Response(Request&)>;

// "Not Found"; for a status without a name, its class.
[[nodiscard]] std::string_view reason_of(int status);

// Whether a header can be sent as it is: a token, and a value without control characters.
[[nodiscard]] bool is_sendable(const Header& header);

[[nodiscard]] bool same_ignoring_case(std::string_view a, std::string_view b);

}  // namespace tyer::http
