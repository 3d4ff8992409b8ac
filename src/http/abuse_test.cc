// What peers do to a server that they should not.

#include <sys/resource.h>

#include <array>
#include <deque>
#include <semaphore>

#include <gtest/gtest.h>

#include "env/wait_readable.h"
#include "http/server.h"
#include "support/http_peer.h"

namespace tyer::http {
namespace {

using testing::get;
using testing::HttpPeer;

Response hello(Request&) {
  return {.body = "hello"};
}

std::unique_ptr<Server> serve(Limits limits, Handler handler = hello) {
  return Server::start("127.0.0.1:0", std::move(handler), std::move(limits)).value();
}

// The status, if the connection is closed after it.
int last_answer(HttpPeer& peer, std::string_view text) {
  const int status = peer.ask(text).status;
  EXPECT_EQ(peer.rest(), "");
  return status;
}

TEST(Abuse, OfTwoMeaningsClosesTheConnection) {
  const auto server = serve({});
  const std::string begin = "POST / HTTP/1.1\r\nHost: here\r\n";
  const std::string hidden = get("/hidden");
  for (const std::string& request : {
           begin + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
           begin + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + hidden,
           begin + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + hidden,
           begin + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n" + hidden,
           begin + "X: y\r\n Content-Length: 44\r\n\r\n" + hidden,
           begin + "Content-Length: 0\n\r\n\r\n" + hidden,
       }) {
    HttpPeer peer(server->port());
    EXPECT_EQ(last_answer(peer, request), 400) << request;
  }
}

TEST(Abuse, ByATargetOrHeadThatIsTooLongIsRefused) {
  const auto server = serve({});
  HttpPeer wordy(server->port());
  EXPECT_EQ(last_answer(wordy, get("/" + std::string(20'000, 'a'))), 414);
  HttpPeer many(server->port());
  std::string head = "GET / HTTP/1.1\r\nHost: here\r\n";
  while (head.size() < 20'000) head += "X-More: of the same\r\n";
  EXPECT_EQ(last_answer(many, head + "\r\n"), 431);
  HttpPeer endless(server->port());
  EXPECT_EQ(last_answer(endless, head), 431);
}

TEST(Abuse, ByAChunkHeadThatNeverEndsIsRefused) {
  const auto server = serve({});
  HttpPeer peer(server->port());
  EXPECT_EQ(
      last_answer(peer, "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                            std::string(100'000, 'a')),
      400);
}

TEST(Abuse, ByASlowHeadOrBodyEndsInTime) {
  Limits limits;
  limits.header_time = limits.body_time = 400ms;
  const auto server = serve(limits);
  HttpPeer head(server->port());
  EXPECT_EQ(last_answer(head, "GET / HTTP/1.1\r\nHost:"), 408);
  HttpPeer body(server->port());
  EXPECT_EQ(last_answer(body, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"), 408);
  HttpPeer silent(server->port());
  EXPECT_EQ(silent.rest(), "");
}

TEST(Abuse, OfAConnectionThatIsOnlyHeldEndsInTime) {
  Limits limits;
  limits.idle = 60ms;
  const auto server = serve(limits);
  HttpPeer peer(server->port());
  EXPECT_EQ(last_answer(peer, get("/")), 200);
}

TEST(Abuse, ByOneWhoReadsNothingEndsInTime) {
  Limits limits;
  limits.write_time = 60ms;
  std::binary_semaphore begun(0);
  const auto server = serve(limits, [&](Request&) {
    begun.release();
    return Response{.body = std::string(8'000'000, 'x')};
  });
  HttpPeer peer(server->port(), 4096);
  peer.send(get("/"));
  begun.acquire();
  server->stop(1h);  // It would wait for the answer to be read.
  EXPECT_LT(peer.rest().size(), 8'000'000U);
}

TEST(Abuse, ByAThousandHalfRequestsHoldsUpNobody) {
  Limits limits;
  limits.header_time = 2s;
  const auto server = serve(limits);
  std::deque<HttpPeer> half;
  for (int i = 0; i < 1000; ++i) half.emplace_back(server->port()).send("GET / HTT");
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(get("/")).body, "hello");
  for (HttpPeer& each : half) {
    const auto answer = each.answer();
    ASSERT_EQ(answer.status, 408);
    ASSERT_EQ(each.rest(), "");
  }
  EXPECT_EQ(server->counts().refused, 1000U);
}

TEST(Abuse, ByTooManyConnectionsIsRefusedUntilSomeAreGone) {
  Limits limits;
  limits.connections = 2;
  const auto server = serve(limits);
  HttpPeer first(server->port());
  EXPECT_EQ(first.ask(get("/")).status, 200);
  HttpPeer second(server->port());
  EXPECT_EQ(second.ask(get("/")).status, 200);
  HttpPeer third(server->port());
  EXPECT_EQ(last_answer(third, get("/")), 503);
  first.finish();
  EXPECT_EQ(first.rest(), "");
  third = HttpPeer(server->port());
  EXPECT_EQ(third.ask(get("/")).status, 200);
}

TEST(Abuse, ByTooManyConnectionsOfOneAddressIsRefused) {
  Limits limits;
  limits.per_loopback = 1;
  const auto server = serve(limits);
  HttpPeer first(server->port());
  EXPECT_EQ(first.ask(get("/")).status, 200);
  HttpPeer second(server->port());
  EXPECT_EQ(last_answer(second, get("/")), 503);
}

TEST(Abuse, ByMoreRequestsThanCanWaitIsRefused) {
  Limits limits;
  limits.pool = 1;
  limits.waiting = 1;
  std::counting_semaphore<> begun(0);
  std::counting_semaphore<> go(0);
  const auto server = serve(limits, [&](Request&) {
    begun.release();
    go.acquire();
    return Response{.body = "hello"};
  });
  HttpPeer running(server->port());
  running.send(get("/"));
  begun.acquire();
  // One of these two waits, the other is told so. Which, is the system's choice.
  HttpPeer second(server->port());
  HttpPeer third(server->port());
  second.send(get("/"));
  third.send(get("/"));
  const std::array fds = {second.fd(), third.fd()};
  ASSERT_TRUE(*env::wait_any(fds, 20s));
  go.release(2);
  EXPECT_EQ(running.answer().status, 200);
  EXPECT_EQ(second.answer().status + third.answer().status, 200 + 503);
}

// Takes all descriptors but a few.
class FewDescriptors {
 public:
  explicit FewDescriptors(int left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = 256;
    ::setrlimit(RLIMIT_NOFILE, &now);
    while (true) {
      env::Fd fd(::dup(0));
      if (!fd) break;
      taken_.push_back(std::move(fd));
    }
    for (; left > 0 && !taken_.empty(); --left) taken_.pop_back();
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  void give_back() { taken_.clear(); }

 private:
  rlimit before_{};
  std::deque<env::Fd> taken_;
};

TEST(Server, AcceptsAgainAfterDescriptorsHadRunOut) {
  const auto server = serve({});
  FewDescriptors few(1);
  HttpPeer peer(server->port());  // Takes the last one; none is left to accept it.
  peer.send(get("/"));
  few.give_back();
  EXPECT_EQ(peer.answer().body, "hello");
}

}  // namespace
}  // namespace tyer::http
