// Who may send a body, and how much of what is still coming a server holds.

#include <atomic>
#include <deque>

#include <gtest/gtest.h>

#include "http/server.h"
#include "support/http_peer.h"

namespace tyer::http {
namespace {

using testing::get;
using testing::HttpPeer;

std::unique_ptr<Server> serve(Limits limits) {
  const auto size = [](Request& request) {
    return Response{.body = std::to_string(request.body.size())};
  };
  return Server::start("127.0.0.1:0", size, std::move(limits)).value();
}

// A request up to the beginning of its body.
std::string announce(std::size_t bytes, const std::string& headers = "") {
  return "POST /a HTTP/1.1\r\nHost: here\r\n" + headers +
         "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

// Who has the key "k" may send; others are strangers, and are told so.
Limits guarded(std::atomic<int>& asked) {
  Limits limits;
  limits.admit = [&asked](const Request& head) {
    ++asked;
    if (head.header("authorization") == "k") return Admission{.owner = "k"};
    return Admission{.refusal = Response{.status = 401, .body = "who are you?"}};
  };
  return limits;
}

TEST(Admission, IsRefusedAtTheHeadWithoutWaitingForTheBody) {
  std::atomic<int> asked = 0;
  const auto server = serve(guarded(asked));
  for (const std::string& request :
       {announce(1'000'000), announce(1'000'000) + "a part of it",
        announce(1'000'000, "Expect: 100-continue\r\n"),
        std::string("POST /a HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n")}) {
    HttpPeer peer(server->port());
    const auto answer = peer.ask(request);
    EXPECT_EQ(answer.status, 401) << request;
    EXPECT_EQ(answer.body, "who are you?");
    peer.finish();
    EXPECT_EQ(peer.rest(), "") << "the connection is closed";
  }
  EXPECT_EQ(asked, 4);
  EXPECT_EQ(server->counts().refused, 4U);
}

TEST(Admission, IsGivenOnceForAWholeBody) {
  std::atomic<int> asked = 0;
  for (const bool at_once : {true, false}) {
    Limits limits = guarded(asked);
    limits.admits_at_once = [at_once] { return at_once; };
    const auto server = serve(limits);
    HttpPeer peer(server->port());
    const std::string head = announce(500'000, "Authorization: k\r\n");
    EXPECT_EQ(peer.ask(head + std::string(500'000, 'x')).body, "500000");
    EXPECT_EQ(peer.ask(head + std::string(500'000, 'x')).body, "500000");
    HttpPeer polite(server->port());
    polite.send(announce(5, "Authorization: k\r\nExpect: 100-continue\r\n"));
    EXPECT_EQ(polite.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(polite.ask("hello").body, "5");
    HttpPeer stranger(server->port());
    EXPECT_EQ(stranger.ask(announce(9)).status, 401);
  }
  EXPECT_EQ(asked, 8);
}

TEST(Admission, IsNotAskedForABodyThatCameWithItsHead) {
  std::atomic<int> asked = 0;
  const auto server = serve(guarded(asked));
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(announce(5) + "hello").body, "5");
  EXPECT_EQ(peer.ask(get("/")).body, "0");
  EXPECT_EQ(asked, 0);
}

// Peers that have sent `bytes` of a longer body each.
class HalfBodies {
 public:
  HalfBodies(const Server& server, int count, std::size_t bytes, const std::string& headers = "") {
    for (int i = 0; i < count; ++i) {
      peers_.emplace_back(server.port());
      peers_.back().send(announce(900'000, headers) + std::string(bytes, 'x'));
    }
  }
  HttpPeer& operator[](std::size_t i) { return peers_[i]; }

 private:
  std::deque<HttpPeer> peers_;
};

TEST(Bodies, ThatComeAtOnceHaveABoundForAllTogether) {
  Limits limits;
  limits.bodies = {.all = 600'000, .each = 600'000};
  limits.admit = [](const Request& head) {
    return Admission{.owner = std::string(head.header("authorization"))};
  };
  const auto server = serve(limits);
  HalfBodies half(*server, 1, 200'000, "Authorization: a\r\n");
  HttpPeer second(server->port());
  const auto refused =
      second.ask(announce(900'000, "Authorization: b\r\n") + std::string(899'000, 'x'));
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.head.contains("Retry-After: 1\r\n")) << refused.head;
  EXPECT_TRUE(refused.body.contains("send it again in a moment")) << refused.body;

  half[0].reset();
  HttpPeer third(server->port());
  EXPECT_EQ(third.ask(announce(150'000, "Authorization: b\r\n") + std::string(150'000, 'x')).body,
            "150000")
      << "what is gone leaves its room to others";
}

TEST(Bodies, OfOneDoNotTakeTheRoomOfOthers) {
  Limits limits;
  limits.bodies = {.all = 10'000'000, .each = 300'000};
  limits.admit = [](const Request& head) {
    return Admission{.owner = std::string(head.header("authorization"))};
  };
  const auto server = serve(limits);
  const std::string text(800'000, 'x');
  HttpPeer greedy(server->port());
  const auto refused = greedy.ask(announce(900'000, "Authorization: a\r\n") + text);
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.body.contains("send less at a time")) << refused.body;
  HttpPeer other(server->port());
  EXPECT_EQ(other.ask(announce(9, "Authorization: b\r\n") + "123456789").body, "9");
}

TEST(Bodies, OfStrangersHaveARoomOfTheirOwn) {
  Limits limits;
  limits.strangers = {.all = 100'000, .each = 100'000};
  limits.admit = [](const Request& head) {
    return Admission{.owner = std::string(head.header("authorization"))};
  };
  const auto server = serve(limits);
  HttpPeer stranger(server->port());
  EXPECT_EQ(stranger.ask(announce(900'000) + std::string(899'000, 'x')).status, 503);
  HttpPeer known(server->port());
  EXPECT_EQ(known.ask(announce(900'000, "Authorization: a\r\n") + std::string(900'000, 'x')).body,
            "900000");
}

TEST(Bodies, ThatAreFilesAreRefusedBeforeTheyComeIfThereIsNoRoom) {
  Limits limits;
  limits.body_max = 1'000;
  limits.body_limit = [](const Request&) { return 60'000'000; };
  limits.files = {.all = 100'000'000, .each = 50'000'000};
  limits.admit = [](const Request& head) {
    return Admission{.owner = std::string(head.header("authorization"))};
  };
  const auto server = serve(limits);
  std::deque<HttpPeer> peers;
  const auto ask = [&](const std::string& who, std::size_t bytes) {
    peers.emplace_back(server->port())
        .send(announce(bytes, "Authorization: " + who + "\r\nExpect: 100-continue\r\n"));
    return peers.back().until("\r\n");
  };
  EXPECT_EQ(ask("a", 30'000'000), "HTTP/1.1 100 Continue\r\n");
  EXPECT_EQ(ask("a", 30'000'000), "HTTP/1.1 429 Too Many Requests\r\n");
  EXPECT_EQ(ask("b", 30'000'000), "HTTP/1.1 100 Continue\r\n");
  EXPECT_EQ(ask("c", 50'000'000), "HTTP/1.1 503 Service Unavailable\r\n");
}

TEST(Heads, ThatDoNotEndHaveABound) {
  Limits limits;
  limits.strangers = {.all = 10'000, .each = 10'000};
  const auto server = serve(limits);
  const std::string begin = "GET / HTTP/1.1\r\nHost: here\r\nX: ";
  HttpPeer slow(server->port());
  slow.send(begin + std::string(12'000, 'x'));
  EXPECT_EQ(slow.answer().status, 503);
  HttpPeer usual(server->port());
  EXPECT_EQ(usual.ask(begin + std::string(12'000, 'x') + "\r\n\r\n").status, 200)
      << "a head that comes at once is not held";
}

TEST(Bodies, ThatPauseForTooLongAreRefused) {
  Limits limits;
  limits.body_pause = 200ms;
  limits.body_time = 1h;
  const auto server = serve(limits);
  HttpPeer peer(server->port());
  peer.send(announce(900'000) + std::string(400'000, 'x'));
  EXPECT_EQ(peer.answer().status, 408);
}

}  // namespace
}  // namespace tyer::http
