#include "http/parser.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "http/head.h"
#include "http/limits.h"

namespace tyer::http {
namespace {

namespace beast = boost::beast;
using BeastError = beast::error_code;

// Takes what Beast finds. After the head, fields are trailers and are dropped.
template <bool IsRequest>
class Found : public beast::http::basic_parser<IsRequest> {
 public:
  using Text = beast::string_view;

  Found() { this->body_limit(boost::none); }

  std::string method;
  std::string target;
  int status = 0;
  int version = 0;
  std::vector<Header> headers;
  const std::function<void(std::string_view)>* sink = nullptr;

  // The shortest chunked body is "0\r\n\r\n". Shown less of it twice, Beast fails an assertion.
  [[nodiscard]] bool can_read(std::size_t bytes) const {
    return !this->is_header_done() || !this->chunked() || has_chunk_ || bytes >= 5;
  }

 protected:
  void on_request_impl(beast::http::verb, Text method_text, Text target_text, int number,
                       BeastError&) override {
    method.assign(method_text.data(), method_text.size());
    target.assign(target_text.data(), target_text.size());
    version = number;
  }
  void on_response_impl(int code, Text, int number, BeastError&) override {
    status = code;
    version = number;
  }
  void on_field_impl(beast::http::field, Text name, Text value, BeastError&) override {
    if (after_head_) return;
    Header& header = headers.emplace_back(std::string(name.data(), name.size()),
                                          std::string(value.data(), value.size()));
    for (char& c : header.name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  }
  void on_header_impl(BeastError&) override { after_head_ = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(Text text, BeastError&) override { return give(text); }
  void on_chunk_header_impl(std::uint64_t, Text, BeastError&) override { has_chunk_ = true; }
  std::size_t on_chunk_body_impl(std::uint64_t, Text text, BeastError&) override {
    return give(text);
  }
  void on_finish_impl(BeastError&) override {}

 private:
  std::size_t give(Text text) {
    if (sink != nullptr) (*sink)({text.data(), text.size()});
    return text.size();
  }

  bool after_head_ = false;
  bool has_chunk_ = false;
};

// Step by step, until nothing more is used.
template <bool IsRequest>
std::expected<std::size_t, std::string> feed(Found<IsRequest>& found, std::string_view bytes,
                                             const std::function<void(std::string_view)>& sink) {
  std::size_t used = 0;
  found.sink = &sink;
  while (used < bytes.size() && !found.is_done() && found.can_read(bytes.size() - used)) {
    BeastError error;
    const std::size_t more =
        found.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += more;
    if (error == beast::http::error::need_more || (!error && more == 0)) break;
    if (error) {
      found.sink = nullptr;
      return std::unexpected(error.message());
    }
  }
  found.sink = nullptr;
  return used;
}

}  // namespace

struct RequestParser::Reading : Found<true> {};
struct ResponseParser::Reading : Found<false> {
  Response response;
};

RequestParser::RequestParser() : reading_(std::make_unique<Reading>()) {}
RequestParser::~RequestParser() = default;

std::expected<Head, Refusal> RequestParser::head(std::string_view text) {
  if (auto refusal = check_lines(text)) return std::unexpected(std::move(*refusal));
  Reading& found = *reading_;
  found.header_limit(static_cast<std::uint32_t>(text.size() + 1));
  BeastError error;
  (void)found.put(boost::asio::const_buffer(text.data(), text.size()), error);
  if (error == beast::http::error::bad_version) {
    return std::unexpected(Refusal{.status = 505, .what = "only HTTP/1.0 and HTTP/1.1 are spoken"});
  }
  if (error || !found.is_header_done()) {
    return std::unexpected(Refusal{.what = "the head is no HTTP: " + error.message()});
  }
  Head head{.version = found.version, .keep_alive = found.keep_alive()};
  head.request.method = std::move(found.method);
  head.request.target = std::move(found.target);
  head.request.headers = std::move(found.headers);
  if (auto refusal = check_head(head)) return std::unexpected(std::move(*refusal));
  return head;
}

std::expected<std::size_t, Refusal> RequestParser::body(
    std::string_view bytes, const std::function<void(std::string_view)>& sink) {
  auto used = feed(*reading_, bytes, sink);
  if (!used) return std::unexpected(Refusal{.what = "the body is no HTTP: " + used.error()});
  return *used;
}

bool RequestParser::is_done() const {
  return reading_->is_done();
}

ResponseParser::ResponseParser(bool answers_head_request) : reading_(std::make_unique<Reading>()) {
  reading_->header_limit(limits::http_answer_head_max);
  reading_->skip(answers_head_request);
}
ResponseParser::~ResponseParser() = default;

Result<std::size_t> ResponseParser::put(std::string_view bytes,
                                        const std::function<void(std::string_view)>& sink) {
  auto used = feed(*reading_, bytes, sink);
  if (!used) return fail(Fault::broken, "the answer is no HTTP: " + used.error());
  return *used;
}

bool ResponseParser::put_end() {
  if (!reading_->is_header_done()) return false;
  BeastError error;
  reading_->put_eof(error);
  return !error && reading_->is_done();
}

bool ResponseParser::has_head() const {
  return reading_->is_header_done();
}

bool ResponseParser::is_done() const {
  return reading_->is_done();
}

bool ResponseParser::keep_alive() const {
  return reading_->is_done() && reading_->keep_alive() && !reading_->need_eof();
}

Response& ResponseParser::response() {
  Response& response = reading_->response;
  if (response.headers.empty()) response.headers = std::move(reading_->headers);
  response.status = reading_->status;
  return response;
}

}  // namespace tyer::http
