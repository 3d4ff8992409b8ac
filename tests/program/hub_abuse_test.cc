// What peers do to a hub that they should not (P14, P15).

#include <sys/resource.h>

#include <deque>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/http_peer.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubAbuse : public ::testing::Test {
 protected:
  std::string head(const std::string& line, const std::string& headers = "") const {
    return line + " HTTP/1.1\r\nHost: " + hub.address() + "\r\n" + headers + "\r\n";
  }

  int status_of(const std::string& request) const {
    return HttpPeer(hub.port()).ask(request).status;
  }

  HubPlace place{"sqlite"};
  RunningHub hub{place, {"--open-loopback"}};
};

TEST_F(HubAbuse, ByANameThatIsNotTheHubsIsRefusedWhateverIsAsked) {
  const std::string port = ":" + std::to_string(hub.port());
  for (const std::string& host :
       {"evil.example" + port, std::string("127.0.0.1"), std::string("127.0.0.1:1"),
        "127.0.0.1" + port + ".evil.example", "[::2]" + port, std::string("evil.example")}) {
    EXPECT_EQ(status_of("GET /api/feeds HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 403) << host;
  }
  EXPECT_EQ(status_of("GET /api/feeds HTTP/1.1\r\n\r\n"), 400);
  for (const std::string& host : {"127.0.0.1" + port, "LOCALHOST" + port, "[::1]" + port}) {
    EXPECT_EQ(status_of("GET /api/feeds HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 200) << host;
  }
}

TEST_F(HubAbuse, ByPathsFindsNothing) {
  for (const char* path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/posts/..%2f..%2faccount%2fadmin",
        "/api/agents/%2e%2e", "/api/posts/ps_%0d%0aX:1", "/api/feeds/..;/x", "//etc/passwd",
        "/api/sessions/%2fetc%2fpasswd", "/api/agents/account%2fadmin", "/.tyer/tyer.db"}) {
    const int status = status_of(head("GET " + std::string(path)));
    EXPECT_TRUE(status == 404 || status == 400) << path << ": " << status;
  }
  EXPECT_EQ(status_of(head("GET /api/posts/%00")), 400);
  EXPECT_EQ(status_of(head("GET /api/agents/" + std::string(2'000, 'a'))), 404);
}

TEST_F(HubAbuse, OfTwoLengthsHidesNoSecondRequest) {
  const std::string hidden = head("DELETE /api/feeds/x");
  for (const std::string lengths :
       {"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 0\r\nContent-Length: 5\r\n", "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n", "Content-Length: +5\r\n", "Content-Length: 0x5\r\n"}) {
    HttpPeer peer(hub.port());
    peer.send(head("POST /api/feeds", lengths) + "0\r\n\r\n" + hidden);
    const int status = peer.answer().status;
    EXPECT_TRUE(status == 400 || status == 501) << lengths << ": " << status;
    EXPECT_EQ(peer.rest(), "") << "an answer to what was hidden: " << lengths;
  }
}

TEST_F(HubAbuse, BySizeIsRefusedAndLeavesNothing) {
  Visitor visitor = hub.visitor();
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  const std::string path = "/api/feeds/" + feed + "/posts";

  EXPECT_EQ(visitor.post(path, {{"content", std::string(1 << 20, 'a')}}).status, 413);
  const Reply over = visitor.post(path, {{"content", std::string((100 << 10) + 1, 'a')}});
  EXPECT_EQ(over.status, 429) << over.body;
  EXPECT_EQ(over.json()["error"]["code"], "limit");
  EXPECT_EQ(visitor.post("/api/feeds", {{"name", std::string(101, 'a')}}).status, 400);
  EXPECT_EQ(visitor.post(path, {{"content", std::string(100 << 10, 'a')}}).status, 201);
  EXPECT_EQ(visitor.get(path).json()["data"].size(), 1U);
}

TEST_F(HubAbuse, ByJsonIsRefusedWithWhatIsWrong) {
  Visitor visitor = hub.visitor();
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const auto& [body, says] : std::vector<std::pair<std::string, std::string>>{
           {R"({"name":)" + deep + "}", "nested deeper"},
           {std::string(200'000, '{'), "it is not JSON"},
           {R"({"name":"a","name":"b"})", "stands twice"},
           {R"({"name":"a","admin":true})", "'admin' is not understood"},
           {R"({"name":7})", "name must be a text"},
           {R"(["a"])", "not an object"},
           {R"({"name":"\ud800"})", "not JSON"},
           {"{\"name\":\"\xff\"}", "not JSON"},
           {R"({"name":null})", "name is missing"},
           {"", "name is missing"}}) {
    const Reply reply = visitor.ask("POST", "/api/feeds", body);
    EXPECT_EQ(reply.status, 400) << body.substr(0, 40);
    EXPECT_TRUE(reply.body.contains(says)) << reply.body;
  }
  const std::string ids = dump_json(Json{{"ids", std::vector<std::string>(1'001, "fd_x")}});
  EXPECT_EQ(visitor.ask("PUT", "/api/feeds/order", ids).status, 429);
  EXPECT_EQ(visitor.get("/api/feeds").json()["data"].size(), 0U);
}

TEST_F(HubAbuse, OfTheStreamByLineEndsMakesNoEvent) {
  const std::string text = "a\r\n\r\nevent: comment_created\r\ndata: {}\n\nid: ev_9\n\n\u2028";
  Visitor visitor = hub.visitor();
  const std::string feed = visitor.make("/api/feeds", {{"name", "main"}});
  Listener stream(hub.url(), "/api/events/stream?topics=post,feed");

  const std::string post = visitor.make("/api/feeds/" + feed + "/posts", {{"content", text}});
  visitor.make("/api/feeds", {{"name", "end"}});

  const auto events = stream.until("feed_created");
  ASSERT_EQ(events.size(), 2U) << "exactly what was written";
  const Json data = parse_json(events[0].data).value_or(Json());
  EXPECT_EQ(data["id"], post);
  EXPECT_EQ(data["content"], text);
}

TEST_F(HubAbuse, ByAThousandWhoDoNotFinishStopsNobody) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit enough{.rlim_cur = std::min<rlim_t>(before.rlim_max, 4'096),
                      .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &enough), 0);
  {
    std::deque<HttpPeer> peers;
    for (int i = 0; i < 1'000; ++i) {
      peers.emplace_back(hub.port());
      peers.back().send(i % 2 == 0 ? "GET /api/feeds HTTP/1.1\r\nHost: " : "");
    }

    Visitor visitor = hub.visitor();
    EXPECT_EQ(visitor.post("/api/feeds", {{"name", "main"}}).status, 201);
    Listener stream(hub.url(), "/api/events/stream?after=0");
    EXPECT_EQ(stream.until("feed_created").empty(), false);

    // Who has begun is told so when the time is over: 10 s.
    EXPECT_EQ(peers.front().answer().status, 408);
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace tyer::testing
