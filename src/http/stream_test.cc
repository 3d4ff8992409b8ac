#include "http/stream.h"

#include <malloc.h>
#include <sys/resource.h>

#include <atomic>
#include <deque>
#include <future>
#include <mutex>
#include <semaphore>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "http/server.h"
#include "support/http_peer.h"

namespace tyer::http {
namespace {

using testing::get;
using testing::HttpPeer;

std::shared_ptr<const std::string> text(std::string content) {
  return std::make_shared<const std::string>(std::move(content));
}

// A server whose every answer is a stream, and the streams.
class StreamTest : public ::testing::Test {
 protected:
  void start(Limits limits = {}) {
    server = Server::start(
                 "127.0.0.1:0",
                 [this](Request&) {
                   return Response{.headers = {{"Content-Type", "text/event-stream"}},
                                   .stream = [this](std::shared_ptr<Stream> stream) {
                                     if (prefers_now) stream->prefer_now(now_pending);
                                     const std::lock_guard lock(mutex);
                                     streams.push_back(std::move(stream));
                                     opened.release();
                                   }};
                 },
                 std::move(limits))
                 .value();
  }

  // The stream of a peer that has asked and has got the head.
  std::shared_ptr<Stream> open(HttpPeer& peer) {
    peer.send(get("/"));
    opened.acquire();
    EXPECT_TRUE(peer.until("\r\n\r\n").contains("chunked"));
    const std::lock_guard lock(mutex);
    return streams.back();
  }

  bool prefers_now = false;
  static constexpr std::size_t now_pending = 8 << 20;
  std::mutex mutex;
  std::vector<std::shared_ptr<Stream>> streams;
  std::counting_semaphore<> opened{0};
  std::unique_ptr<Server> server;
};

TEST_F(StreamTest, CarriesChunksAndEnds) {
  start();
  HttpPeer peer(server->port());
  const auto stream = open(peer);
  EXPECT_TRUE(stream->send(text("hello")));
  EXPECT_EQ(peer.until("hello\r\n"), "5\r\nhello\r\n");
  EXPECT_TRUE(stream->send(text("more")));
  stream->end();
  EXPECT_EQ(peer.rest(), "4\r\nmore\r\n0\r\n\r\n");
  EXPECT_FALSE(stream->send(text("late")));
}

TEST_F(StreamTest, CarriesWhatIsSentNowBetweenWhatIsSent) {
  prefers_now = true;
  start();
  HttpPeer peer(server->port());
  const auto stream = open(peer);
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    const std::string word = fmt::format("{:03}", i);
    EXPECT_TRUE(i % 3 == 0 ? stream->send(text(word)) : stream->send_now(text(word)));
    expected += "3\r\n" + word + "\r\n";
  }
  stream->end();
  EXPECT_FALSE(stream->send_now(text("late")));
  EXPECT_EQ(peer.rest(), expected + "0\r\n\r\n");
}

TEST_F(StreamTest, CarriesAllOfWhatIsSentNowThoughTheSystemTakesOnlyHalfOfIt) {
  prefers_now = true;
  start();
  constexpr int small_buffer = 4096;
  HttpPeer peer(server->port(), small_buffer);
  const auto stream = open(peer);
  const std::string large(4 << 20, 'x');
  EXPECT_TRUE(stream->send_now(text(large)));
  EXPECT_GT(stream->pending(), 0U);
  EXPECT_TRUE(stream->send_now(text("go")));
  stream->end();
  EXPECT_EQ(peer.rest(), fmt::format("{:x}\r\n{}\r\n2\r\ngo\r\n0\r\n\r\n", large.size(), large));
}

TEST_F(StreamTest, EndsWithTheConnectionForVersionOneNought) {
  start();
  HttpPeer peer(server->port());
  peer.send("GET / HTTP/1.0\r\n\r\n");
  opened.acquire();
  streams.back()->send(text("hello"));
  streams.back()->end();
  EXPECT_TRUE(peer.rest().ends_with("\r\n\r\nhello"));
}

TEST_F(StreamTest, SendsOneTextToAll) {
  start();
  std::deque<HttpPeer> peers;
  for (int i = 0; i < 200; ++i) (void)open(peers.emplace_back(server->port()));
  Stream::send_all(streams, text("hello"));
  for (HttpPeer& peer : peers) EXPECT_EQ(peer.until("hello\r\n"), "5\r\nhello\r\n");
  EXPECT_EQ(server->counts().streams, 200U);
}

TEST_F(StreamTest, NoticesAtOnceThatItsReaderHasGone) {
  start();
  HttpPeer polite(server->port());
  HttpPeer rude(server->port());
  std::counting_semaphore<> closed(0);
  open(polite)->on_close([&] { closed.release(); });
  open(rude)->on_close([&] { closed.release(); });
  polite.finish();
  closed.acquire();
  rude.reset();
  closed.acquire();
  EXPECT_EQ(server->counts().streams, 0U);
  EXPECT_FALSE(streams[0]->send(text("late")));
  bool at_once = false;
  streams[0]->on_close([&] { at_once = true; });
  EXPECT_TRUE(at_once);
}

TEST_F(StreamTest, IsCutIfItsReaderIsTooSlowWhileOthersGoOn) {
  start();
  HttpPeer slow(server->port(), 4096);
  HttpPeer quick(server->port());
  const auto slow_stream = open(slow);
  const auto quick_stream = open(quick);
  slow_stream->set_farewell(text("farewell"));
  const auto chunk = text(std::string(50'000, 'x') + "|");
  bool is_open = true;
  int sent = 0;
  for (; is_open && sent < 1000; ++sent) {
    is_open = slow_stream->send(chunk);
    ASSERT_TRUE(quick_stream->send(chunk));
    (void)quick.until("|");
  }
  EXPECT_FALSE(is_open);
  EXPECT_LE(slow_stream->pending(), 600'000U);
  // It reads on after all: whole chunks, then the farewell, and no proper end.
  const std::string got = slow.rest();
  const std::string farewell = "8\r\nfarewell\r\n";
  ASSERT_TRUE(got.ends_with(farewell));
  // None at all, if the I/O thread had no turn before.
  const std::string_view before = std::string_view(got).substr(0, got.size() - farewell.size());
  EXPECT_TRUE(before.empty() || before.ends_with("|\r\n"));
  EXPECT_LT(got.size(), static_cast<std::size_t>(sent) * chunk->size());
  EXPECT_EQ(server->counts().cut, 1U);
  EXPECT_TRUE(quick_stream->send(text("still here")));
  EXPECT_TRUE(quick.until("here").ends_with("still here"));
}

TEST_F(StreamTest, IsClosedInTimeIfItsReaderReadsNothing) {
  Limits limits;
  limits.write_time = 60ms;
  start(limits);
  HttpPeer peer(server->port(), 4096);
  const auto stream = open(peer);
  std::promise<void> closed;
  stream->on_close([&] { closed.set_value(); });
  while (stream->send(text(std::string(50'000, 'x')))) {
  }
  EXPECT_EQ(closed.get_future().wait_for(20s), std::future_status::ready);
  EXPECT_EQ(server->counts().cut, 1U);
}

TEST_F(StreamTest, SaysFarewellWhenTheServerStops) {
  start();
  HttpPeer peer(server->port());
  const auto stream = open(peer);
  stream->set_farewell(text("bye"));
  std::promise<std::string> rest;
  std::thread reader([&] {
    rest.set_value(peer.rest());
    peer.finish();
  });
  server->stop(10s);
  EXPECT_EQ(rest.get_future().get(), "3\r\nbye\r\n0\r\n\r\n");
  reader.join();
  EXPECT_FALSE(stream->send(text("late")));
  server.reset();
  EXPECT_FALSE(stream->send(text("later")));
}

TEST_F(StreamTest, IsClosedByAServerThatStopsWithoutGrace) {
  start();
  HttpPeer peer(server->port());
  int closed = 0;
  open(peer)->on_close([&] { ++closed; });
  server->stop(0s);
  server->stop(0s);
  EXPECT_EQ(closed, 1);
}

TEST_F(StreamTest, CostsLittleWhileItIsIdle) {
  constexpr int count = 2'000;
  rlimit before_files{};
  ::getrlimit(RLIMIT_NOFILE, &before_files);
  rlimit files = before_files;
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 2 * count + 200);
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 2 * count + 200) GTEST_SKIP() << "too few descriptors are allowed";
  start();
  std::deque<HttpPeer> peers;
  HttpPeer first(server->port());
  (void)open(first);
  streams.reserve(count + 1);
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < count; ++i) (void)open(peers.emplace_back(server->port()));
  // A round through the server: what was done for the last head is done.
  Stream::send_all(streams, text("hello"));
  for (HttpPeer& peer : peers) (void)peer.until("hello");
  const std::size_t each = (mallinfo2().uordblks - before) / count;
  RecordProperty("bytes", static_cast<int>(each));
  EXPECT_LT(each, 4'096U);
  ::setrlimit(RLIMIT_NOFILE, &before_files);
}

TEST_F(StreamTest, MayBeUsedByManyThreads) {
  start();
  std::deque<HttpPeer> peers;
  for (int i = 0; i < 8; ++i) (void)open(peers.emplace_back(server->port()));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) Stream::send_all(streams, text("hello"));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& stream : streams) stream->end();
  for (HttpPeer& peer : peers) EXPECT_EQ(peer.rest().size(), 800U * 10 + 5);
}

TEST(ServerStop, LetsARequestUnderWayFinish) {
  std::counting_semaphore<> begun(0);
  std::counting_semaphore<> go(0);
  const auto server = Server::start("127.0.0.1:0",
                                    [&](Request&) {
                                      begun.release();
                                      go.acquire();
                                      return Response{.body = "done"};
                                    },
                                    {})
                          .value();
  HttpPeer idle(server->port());
  HttpPeer peer(server->port());
  peer.send(get("/"));
  begun.acquire();
  std::thread stopper([&] { server->stop(20s); });
  EXPECT_EQ(idle.rest(), "");  // It was closed: the stop has begun.
  go.release();
  const auto answer = peer.answer();
  EXPECT_EQ(answer.body, "done");
  EXPECT_TRUE(answer.head.contains("Connection: close"));
  EXPECT_EQ(peer.rest(), "");
  peer.finish();
  stopper.join();
  EXPECT_EQ(server->counts().connections, 0U);
}

}  // namespace
}  // namespace tyer::http
