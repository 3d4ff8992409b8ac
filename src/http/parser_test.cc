#include "http/parser.h"

#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tyer::http {
namespace {

std::expected<Head, Refusal> parse(std::string_view text) {
  RequestParser parser;
  return parser.head(text);
}

std::string with(std::string_view headers) {
  return "POST /a HTTP/1.1\r\nHost: here\r\n" + std::string(headers) + "\r\n";
}

int status_of(std::string_view text) {
  const auto head = parse(text);
  return head ? 200 : head.error().status;
}

int status_of_target(std::string_view target) {
  return status_of("GET " + std::string(target) + " HTTP/1.1\r\nHost: here\r\n\r\n");
}

// What comes of a chunked body: its text, or the word "refused" or "unfinished". It comes in
// pieces as `next_size` says, of what is left.
std::string unchunk(std::string_view body,
                    const std::function<std::size_t(std::size_t)>& next_size = std::identity()) {
  RequestParser parser;
  EXPECT_TRUE(parser.head(with("Transfer-Encoding: chunked\r\n")));
  std::string text;
  std::string unread;
  while (!body.empty() && !parser.is_done()) {
    const std::size_t size = next_size(body.size());
    unread += body.substr(0, size);
    body.remove_prefix(size);
    const auto used = parser.body(unread, [&](std::string_view piece) { text += piece; });
    if (!used) return "refused";
    unread.erase(0, *used);
  }
  return parser.is_done() ? text : "unfinished";
}

TEST(RequestHead, IsTakenApart) {
  const auto head = parse(
      "GET /a%20b/%EA%B0%80?x=1&y=a+b%26&x=2&flag HTTP/1.1\r\nHOST: here\r\n"
      "X-One:  two \r\n\r\n");
  ASSERT_TRUE(head) << head.error().what;
  const Request& request = head->request;
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a b/가");
  EXPECT_EQ(request.query_of("x"), "1");
  EXPECT_EQ(request.query_of("y"), "a b&");
  EXPECT_EQ(request.query.size(), 4U);
  EXPECT_EQ(request.header("host"), "here");
  EXPECT_EQ(request.header("x-one"), "two");
  EXPECT_TRUE(head->keep_alive);
}

TEST(RequestHead, IsRefusedIfTwoReadersCouldReadItDifferently) {
  struct Case {
    const char* headers;
    int status;
  };
  for (const auto& [headers, status] : std::initializer_list<Case>{
           {"Content-Length: 5\r\n", 200},
           {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
           {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400},
           {"Content-Length: 5\r\nContent-Length: 5\r\n", 400},
           {"Content-Length: 5\r\nContent-Length: 6\r\n", 400},
           {"Content-Length: 5, 5\r\n", 400},
           {"Content-Length: +5\r\n", 400},
           {"Content-Length: -1\r\n", 400},
           {"Content-Length: 0x5\r\n", 400},
           {"Content-Length: 5 5\r\n", 400},
           {"Content-Length:\r\n", 400},
           {"Content-Length: 99999999999999999999\r\n", 400},
           {"Content-Length : 5\r\n", 400},
           {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
           {"Transfer-Encoding: chunked, identity\r\n", 501},
           {"Transfer-Encoding: gzip, chunked\r\n", 501},
           {"Transfer-Encoding: xchunked\r\n", 501},
           {"Transfer-Encoding: \vchunked\r\n", 400},
           {"Transfer-Encoding:\r\n chunked\r\n", 400},
           {"X: a\r\n b\r\n", 400},
           {"X: a\r\n\tContent-Length: 5\r\n", 400},
           {"X: a\nContent-Length: 5\r\n", 400},
           {"X: a\rContent-Length: 5\r\n", 400},
           {": a\r\n", 400},
           {"X a\r\n", 400},
           {"Host: there\r\n", 400},
           {"Expect: 100-continue\r\nContent-Length: 5\r\n", 200},
           {"Expect: 200-ok\r\n", 417},
       }) {
    EXPECT_EQ(status_of(with(headers)), status) << headers;
  }
  EXPECT_EQ(status_of(with(std::string_view("X: a\0b\r\n", 8))), 400);
}

TEST(RequestHead, MustBeginWithARequestLine) {
  struct Case {
    const char* line;
    int status;
  };
  for (const auto& [line, status] : std::initializer_list<Case>{
           {"GET / HTTP/1.1", 200},
           {"DELETE / HTTP/1.1", 200},
           {"M-SEARCH / HTTP/1.1", 200},
           {"GET / HTTP/1.2", 505},
           {"GET / HTTP/2.0", 505},
           {"GET /", 400},
           {"GET  / HTTP/1.1", 400},
           {"GET / http/1.1", 505},
           {" GET / HTTP/1.1", 400},
           {"get / HTTP/1.1", 501},
           {"TRACE / HTTP/1.1", 501},
           {"CONNECT here:80 HTTP/1.1", 501},
           {"OPTIONS * HTTP/1.1", 400},
           {"\x16\x03\x01", 400},
       }) {
    EXPECT_EQ(status_of(std::string(line) + "\r\nHost: here\r\n\r\n"), status) << line;
  }
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400) << "without a host";
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(RequestHead, NamesAPathOfThisHost) {
  struct Case {
    const char* target;
    int status;
  };
  for (const auto& [target, status] : std::initializer_list<Case>{
           {"/", 200},
           {"/a/../b?c", 200},
           {"http://here/a", 200},
           {"HTTP://HERE", 200},
           {"http://there/a", 400},
           {"https://here/a", 400},
           {"http://here@there/", 400},
           {"file:///etc/passwd", 400},
           {"here:80", 400},
           {"a", 400},
           {"/a#b", 400},
           {"/%00", 400},
           {"/%", 400},
           {"/%2", 400},
           {"/%zz", 400},
           {"/%ff", 400},
           {"/%c0%af", 400},
           {"/?a=%ff", 400},
           {"/?%00=a", 400},
       }) {
    EXPECT_EQ(status_of_target(target), status) << target;
  }
  EXPECT_EQ(status_of_target("/" + std::string(9000, 'a')), 414);
  EXPECT_EQ(parse("GET http://here?a HTTP/1.0\r\nHost: here\r\n\r\n").has_value(), false);
}

TEST(RequestHead, SaysHowTheConnectionGoesOn) {
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\n\r\n")->keep_alive);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->keep_alive);
  EXPECT_FALSE(parse(with("Connection: close\r\n"))->keep_alive);
}

TEST(RequestHead, OfAnyBytesIsReadOrRefused) {
  EXPECT_TRUE(rc::check([] {
    const auto part = rc::gen::weightedOneOf<std::string>(
        {{4, rc::gen::element<std::string>("GET", " ", "/", " HTTP/1.1", "\r\n", "Host", ": ", "a",
                                           "Content-Length", "5", "Transfer-Encoding", "chunked",
                                           ",", "%", "?", "\n", "\r", "\t")},
         {1, rc::gen::arbitrary<std::string>()}});
    std::string text = *rc::gen::element<std::string>("", "GET / HTTP/1.1\r\nHost: a\r\n");
    for (const auto& each : *rc::gen::container<std::vector<std::string>>(part)) text += each;
    const auto head = parse(text + "\r\n\r\n");
    if (head) RC_ASSERT(head->request.path.starts_with('/'));
  }));
}

TEST(ChunkedBody, IsPutTogether) {
  EXPECT_EQ(unchunk("3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\n\r\n"), "abcdefg");
  EXPECT_EQ(unchunk("3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n"), "abc");
  EXPECT_EQ(unchunk("3\r\nabc\r\n0\r\n"), "unfinished");
  EXPECT_EQ(unchunk("0\r\n\r\n", [](std::size_t) { return 1; }), "");
}

TEST(ChunkedBody, IsRefusedIfItIsGarbage) {
  for (const char* body :
       {"x\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc0\r\n\r\n", "-3\r\nabc\r\n",
        "0x3\r\nabc\r\n\r\n", "3 \nabc\r\n", "\r\n\r\nabc", "11111111111111111\r\n",
        "3\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n"}) {
    EXPECT_EQ(unchunk(body), "refused") << body;
  }
}

TEST(ChunkedBody, IsReadTheSameInAnyPieces) {
  EXPECT_TRUE(rc::check([] {
    const auto part = rc::gen::weightedOneOf<std::string>(
        {{6, rc::gen::element<std::string>("3\r\nabc\r\n", "0\r\n\r\n", "1;x=y\r\nz\r\n")},
         {2, rc::gen::element<std::string>("0", "3", "\r\n", "\r", "\n", ";", "x=\"", "A: b")},
         {1, rc::gen::arbitrary<std::string>()}});
    std::string body;
    for (const auto& each : *rc::gen::container<std::vector<std::string>>(part)) body += each;
    const std::string pieced =
        unchunk(body, [](std::size_t left) { return *rc::gen::inRange<std::size_t>(1, left + 1); });
    RC_ASSERT(pieced == unchunk(body));
  }));
}

TEST(ResponseHead, SendsNoHeaderThatBreaksOutOfItsLine) {
  for (const char* value : {"a\r\nSet-Cookie: x", "a\nb", "a\rb"}) {
    EXPECT_FALSE(response_head({.headers = {{"X", value}}}, 11, 0, Ending::keep));
  }
  EXPECT_FALSE(response_head({.headers = {{"X: y\r\nZ", "a"}}}, 11, 0, Ending::keep));
  EXPECT_FALSE(response_head({.headers = {{"", "a"}}}, 11, 0, Ending::keep));
  EXPECT_FALSE(response_head({.status = 100}, 11, 0, Ending::keep));
}

TEST(ResponseHead, HasTheServersOwnLength) {
  EXPECT_EQ(*response_head({.headers = {{"content-length", "9"}, {"X", "y"}}}, 11, 3, Ending::keep),
            "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(*response_head({.status = 204}, 11, 0, Ending::close),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace tyer::http
