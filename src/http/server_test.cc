#include "http/server.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <latch>

#include <gtest/gtest.h>

#include "support/http_peer.h"
#include "support/temp_dir.h"

namespace tyer::http {
namespace {

using testing::get;
using testing::HttpPeer;
using testing::TempDir;

// Says what it was asked: method, path and body.
Response echo(Request& request) {
  return {.headers = {{"Content-Type", "text/plain"}},
          .body = request.method + " " + request.path + " " + request.body};
}

std::unique_ptr<Server> serve(Handler handler = echo, Limits limits = {}) {
  return Server::start("127.0.0.1:0", std::move(handler), std::move(limits)).value();
}

std::string post(std::string_view headers, std::string_view body) {
  return "POST /a HTTP/1.1\r\nHost: here\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

TEST(Server, SaysWhereItListens) {
  const auto server = serve();
  EXPECT_EQ(server->address(), "127.0.0.1:" + std::to_string(server->port()));
  EXPECT_NE(server->port(), 0);
}

TEST(Server, ListensOnVersionSixToo) {
  const auto server = Server::start("[::1]:0", echo, {});
  if (!server) GTEST_SKIP() << server.error().what;
  EXPECT_EQ((*server)->address(), "[::1]:" + std::to_string((*server)->port()));
}

TEST(Server, RefusesAnAddressThatIsNone) {
  for (const char* listen :
       {"", "7420", "127.0.0.1", "here:80", "127.0.0.1:x", "127.0.0.1:99999"}) {
    EXPECT_EQ(Server::start(listen, echo, {}).error().fault, Fault::invalid) << listen;
  }
}

TEST(Server, RefusesAPortThatIsTaken) {
  const auto server = serve();
  EXPECT_EQ(Server::start(server->address(), echo, {}).error().fault, Fault::unavailable);
}

TEST(Server, AnswersManyRequestsOnOneConnection) {
  const auto server = serve();
  HttpPeer peer(server->port());
  for (int i = 0; i < 3; ++i) {
    const auto answer = peer.ask(get("/a"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "GET /a ");
  }
  EXPECT_EQ(server->counts().connections, 1U);
  EXPECT_EQ(server->counts().requests, 3U);
}

TEST(Server, AnswersRequestsThatCameTogetherInOrder) {
  const auto server = serve();
  HttpPeer peer(server->port());
  std::string all;
  for (int i = 0; i < 100; ++i) all += get("/" + std::to_string(i));
  peer.send(all);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(peer.answer().body, "GET /" + std::to_string(i) + " ");
}

TEST(Server, ReadsARequestThatComesByteByByte) {
  const auto server = serve();
  HttpPeer peer(server->port());
  for (const char c : post("Content-Length: 3\r\n", "abc")) peer.send({&c, 1});
  EXPECT_EQ(peer.answer().body, "POST /a abc");
}

TEST(Server, TellsTheHandlerWhoAsks) {
  const auto server = serve([](Request& request) { return Response{.body = request.peer}; });
  HttpPeer peer(server->port());
  EXPECT_TRUE(peer.ask(get("/")).body.starts_with("127.0.0.1:"));
}

TEST(Server, SendsOnlyTheLengthToHead) {
  const auto server = serve();
  HttpPeer peer(server->port());
  peer.send("HEAD /a HTTP/1.1\r\nHost: here\r\n\r\n" + get("/b"));
  const auto answer = peer.answer(true);
  EXPECT_TRUE(answer.head.contains("Content-Length: 8\r\n")) << answer.head;
  EXPECT_EQ(peer.answer().body, "GET /b ");
}

TEST(Server, SendsNoBodyWhereThereIsNone) {
  const auto server = serve([](Request&) { return Response{.status = 204, .body = "lost"}; });
  HttpPeer peer(server->port());
  peer.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(peer.rest(), "HTTP/1.0 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(Server, ClosesAfterARequestOfVersionOneNought) {
  const auto server = serve();
  HttpPeer peer(server->port());
  peer.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(peer.rest().ends_with("\r\n\r\nGET /a "));
}

TEST(Server, ClosesWhenAskedTo) {
  const auto server = serve();
  HttpPeer peer(server->port());
  peer.send("GET /a HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(peer.rest().contains("Connection: close\r\n"));
}

TEST(Server, AnswersAPeerThatHasFinishedSpeaking) {
  const auto server = serve();
  HttpPeer peer(server->port());
  peer.send(get("/a"));
  peer.finish();
  EXPECT_TRUE(peer.rest().ends_with("GET /a "));
}

TEST(Server, InvitesTheBodyOfOneWhoAsksFirst) {
  const auto server = serve();
  HttpPeer peer(server->port());
  peer.send(post("Content-Length: 3\r\nExpect: 100-continue\r\n", ""));
  EXPECT_EQ(peer.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(peer.ask("abc").body, "POST /a abc");
}

TEST(Server, DoesNotInviteABodyThatIsTooLarge) {
  const auto server = serve();
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(post("Content-Length: 9999999\r\nExpect: 100-continue\r\n", "")).status, 413);
}

TEST(Server, TakesAChunkedBody) {
  const auto server = serve();
  HttpPeer peer(server->port());
  const std::string request = post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(peer.ask(request + request).body, "POST /a abc");
  EXPECT_EQ(peer.answer().body, "POST /a abc");
}

TEST(Server, SendsALargeBodyWhole) {
  const auto server = serve([](Request&) { return Response{.body = std::string(8'000'000, 'x')}; });
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(get("/")).body.size(), 8'000'000U);
}

TEST(Server, SendsAFile) {
  const TempDir dir;
  const std::string path = dir / "file";
  const std::string content(3'000'000, 'y');
  {
    const env::Fd file(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
    ASSERT_EQ(::write(file.get(), content.data(), content.size()), 3'000'000);
  }
  const auto server = serve([&](Request&) {
    return Response{.file_fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC), .file_size = 3'000'000};
  });
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(get("/")).body, content);
  EXPECT_EQ(peer.ask(get("/")).body, content);
}

TEST(Server, CutsAFileThatIsShorterThanPromised) {
  const auto server = serve([](Request&) {
    return Response{.file_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC), .file_size = 10};
  });
  HttpPeer peer(server->port());
  peer.send(get("/"));
  EXPECT_TRUE(peer.rest().ends_with("\r\n\r\n"));
}

TEST(Server, AnswersForAHandlerWhoseHeadersCannotBeSent) {
  const auto server =
      serve([](Request&) { return Response{.headers = {{"Location", "/\r\nSet-Cookie: a=b"}}}; });
  HttpPeer peer(server->port());
  const auto answer = peer.ask(get("/"));
  EXPECT_EQ(answer.status, 500);
  EXPECT_FALSE(answer.head.contains("Set-Cookie"));
}

TEST(Server, AnswersForAHandlerThatRunsOutOfMemory) {
  const auto server = serve([](Request&) -> Response { throw std::bad_alloc(); });
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(get("/")).status, 500);
}

TEST(Server, SaysWhatIsWrongAsJson) {
  const auto server = serve();
  HttpPeer peer(server->port());
  const auto answer = peer.ask("GET nowhere HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(answer.head.contains("Content-Type: application/json\r\n"));
  EXPECT_EQ(answer.body,
            "{\"error\":{\"code\":\"invalid\",\"message\":"
            "\"the target must be a path that begins with '/'\"}}\n");
  EXPECT_EQ(server->counts().refused, 1U);
}

TEST(Server, PutsALargeBodyInAFileWhereThatIsAllowed) {
  constexpr std::size_t size = 50'000'000;
  Limits limits;
  limits.body_limit = [](const Request& head) { return head.path == "/a" ? 60'000'000 : 0; };
  std::size_t heap_max = 0;
  struct stat status = {};
  std::array<char, 4> first{};
  const auto server = serve(
      [&](Request& request) {
        heap_max = mallinfo2().uordblks + mallinfo2().hblkhd;
        ::fstat(request.body_fd, &status);
        EXPECT_EQ(::read(request.body_fd, first.data(), first.size()), 4);
        return Response{.body = std::to_string(request.body.size())};
      },
      limits);
  HttpPeer peer(server->port());
  const std::size_t heap = mallinfo2().uordblks + mallinfo2().hblkhd;
  peer.send(post("Content-Length: " + std::to_string(size) + "\r\n", "head"));
  const std::string piece(1'000'000, 'x');
  for (int i = 0; i < 49; ++i) peer.send(piece);
  EXPECT_EQ(peer.ask(piece.substr(4)).body, "0");
  EXPECT_EQ(status.st_size, static_cast<off_t>(size));
  EXPECT_EQ(status.st_nlink, 0U);
  EXPECT_EQ(std::string_view(first.data(), 4), "head");
  EXPECT_LT(heap_max, heap + 4'000'000);
}

TEST(Server, AnswersWhatIsQuickWhileAllThreadsAreBusy) {
  std::latch all_busy(2);
  std::latch may_go(1);
  Limits limits;
  limits.pool = 2;
  limits.quick = [](const Request& request) { return request.path == "/quick"; };
  const auto server = serve(
      [&](Request& request) {
        if (request.path != "/quick") {
          all_busy.count_down();
          may_go.wait();
        }
        return echo(request);
      },
      limits);
  HttpPeer first(server->port());
  HttpPeer second(server->port());
  first.send(get("/slow"));
  second.send(get("/slow"));
  all_busy.wait();

  HttpPeer third(server->port());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(third.ask(get("/quick")).body, "GET /quick ");
  may_go.count_down();
}

TEST(Server, RefusesAChunkedBodyOnceItIsTooLarge) {
  Limits limits;
  limits.body_max = 1000;
  const auto server = serve(echo, limits);
  HttpPeer peer(server->port());
  const std::string piece = "200\r\n" + std::string(512, 'x') + "\r\n";
  peer.send(post("Transfer-Encoding: chunked\r\n", piece));
  EXPECT_EQ(peer.ask(piece + "0\r\n\r\n").status, 413);
  EXPECT_EQ(peer.rest(), "");
}

TEST(Server, SaysSoIfThereIsNoRoomForALargeBody) {
  Limits limits;
  limits.body_limit = [](const Request&) { return 60'000'000; };
  limits.spool_dir = "/nowhere";
  const auto server = serve(echo, limits);
  HttpPeer peer(server->port());
  EXPECT_EQ(peer.ask(post("Content-Length: 2000000\r\n", "x")).status, 507);
}

}  // namespace
}  // namespace tyer::http
