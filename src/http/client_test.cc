#include "http/client.h"

#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "env/fd.h"
#include "http/event_stream.h"
#include "http/server.h"
#include "http/stream.h"

namespace tyer::http {
namespace {

Response echo(Request& request) {
  return {.status = 201,
          .headers = {{"X-Host", std::string(request.header("host"))}},
          .body = request.method + " " + request.target + " " + request.body};
}

std::unique_ptr<Server> serve(Handler handler = echo, Limits limits = {},
                              const std::string& listen = "127.0.0.1:0") {
  return Server::start(listen, std::move(handler), std::move(limits)).value();
}

Client client_of(const Server& server, ClientOptions options = {}) {
  return Client::make("http://" + server.address(), std::move(options)).value();
}

Handler streaming(std::function<void(Stream&)> act) {
  return [act = std::move(act)](Request&) {
    return Response{.stream = [act](const std::shared_ptr<Stream>& stream) { act(*stream); }};
  };
}

std::shared_ptr<const std::string> event(const std::string& id) {
  return std::make_shared<const std::string>(event_text(id, "", "x"));
}

TEST(Url, IsTakenApart) {
  struct Case {
    const char* text;
    const char* host;
    int port;
    const char* path;
  };
  for (const auto& [text, host, port, path] : std::initializer_list<Case>{
           {"http://a", "a", 80, "/"},
           {"https://a/b?c#d", "a", 443, "/b?c"},
           {"http://a:81?c", "a", 81, "/?c"},
           {"http://[::1]:82/x", "::1", 82, "/x"},
       }) {
    const auto url = parse_url(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(url->host, host);
    EXPECT_EQ(url->port, port);
    EXPECT_EQ(url->path, path);
  }
}

TEST(Url, IsRefusedIfItIsNone) {
  for (const char* text : {"", "a", "ftp://a", "http://", "http://:80", "http://a:", "http://a:x",
                           "http://a:0", "http://a:99999", "http://[::1", "http://[::1]80",
                           "http://u@a", "http://a b", "http://a/\r\nX: y"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(Client, AsksAndIsAnswered) {
  const auto server = serve();
  Client client = client_of(*server);
  const auto answer = client.send({.method = "POST", .target = "/a?b", .body = "hello"});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "POST /a?b hello");
  EXPECT_EQ(answer->header("x-host"), server->address());
}

TEST(Client, UsesItsConnectionAgain) {
  const auto server = serve();
  Client client = client_of(*server);
  for (const char* method : {"GET", "HEAD", "POST", "GET"}) {
    const auto answer = client.send({.method = method, .target = "/"});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->body.empty(), std::string_view(method) == "HEAD");
  }
  EXPECT_EQ(server->counts().connections, 1U);
}

TEST(Client, PutsThePathOfItsUrlBeforeEachTarget) {
  const auto server = serve();
  Client client = Client::make("http://" + server->address() + "/base/").value();
  EXPECT_EQ(client.send({.method = "GET", .target = "/a"})->body, "GET /base/a ");
}

TEST(Client, ConnectsAgainToAServerThatWasRestarted) {
  auto server = serve();
  const std::string address = server->address();
  Client client = client_of(*server);
  ASSERT_TRUE(client.send({.method = "POST", .target = "/"}));
  server.reset();
  EXPECT_EQ(client.send({.method = "POST", .target = "/"}).error().fault, Fault::unavailable);
  server = serve(echo, {}, address);
  EXPECT_TRUE(client.send({.method = "POST", .target = "/"}));
}

// Answers the first request, closes at the second, answers the third.
class Fickle {
 public:
  Fickle() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (!listener_) return;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size) | ::listen(listener_.get(), 5), 0);
    ::getsockname(listener_.get(), any, &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Fickle() {
    if (!listener_) return;
    ::shutdown(listener_.get(), SHUT_RDWR);  // Ends an accept that waits.
    thread_.join();
  }

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void run() {
    const env::Fd first(::accept(listener_.get(), nullptr, nullptr));
    if (!first) return;
    if (answer(first.get())) answer(first.get(), "");
    ::shutdown(first.get(), SHUT_RDWR);
    const env::Fd second(::accept(listener_.get(), nullptr, nullptr));
    if (second) answer(second.get());
  }

  static bool answer(int fd,
                     std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") {
    std::string request;
    while (!request.contains("\r\n\r\n")) {
      char c = 0;
      if (::read(fd, &c, 1) != 1) return false;
      request += c;
    }
    return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) > 0;
  }

  env::Fd listener_;
  int port_ = 0;
  std::thread thread_;
};

TEST(Client, AsksOnceMoreOnANewConnectionIfThatDoesNoHarm) {
  const Fickle server;
  Client client = Client::make(server.url()).value();
  EXPECT_TRUE(client.send({.method = "GET", .target = "/"}));
  EXPECT_TRUE(client.send({.method = "GET", .target = "/"}));
}

TEST(Client, DoesNotAskTwiceWhatMayHaveBeenDone) {
  const Fickle server;
  Client client = Client::make(server.url()).value();
  EXPECT_TRUE(client.send({.method = "GET", .target = "/"}));
  EXPECT_EQ(client.send({.method = "POST", .target = "/"}).error().fault, Fault::unavailable);
}

TEST(Client, IsToldOfARefusalEvenIfTheServerDoesNotReadAll) {
  const auto server = serve();
  Client client = client_of(*server);
  const auto answer =
      client.send({.method = "POST", .target = "/", .body = std::string(1'500'000, 'x')});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 413);
  EXPECT_TRUE(client.send({.method = "POST", .target = "/"}));
}

TEST(Client, DoesNotWaitForEver) {
  std::promise<void> go;
  const auto server = serve([&](Request&) {
    go.get_future().wait();
    return Response{};
  });
  Client client = client_of(*server, {.time = 50ms});
  EXPECT_EQ(client.send({.method = "GET", .target = "/"}).error().fault, Fault::timeout);
  go.set_value();
}

TEST(Client, RefusesAnAnswerThatIsTooLarge) {
  const auto server = serve([](Request&) { return Response{.body = std::string(2000, 'x')}; });
  Client client = client_of(*server, {.answer_max = 1000});
  EXPECT_EQ(client.send({.method = "GET", .target = "/"}).error().fault, Fault::limit);
}

TEST(Client, SendsNothingThatBreaksOutOfItsLine) {
  const auto server = serve();
  Client client = client_of(*server);
  EXPECT_FALSE(client.send({.method = "GET", .target = "/ HTTP/1.1\r\nX: y"}));
  EXPECT_FALSE(client.send({.method = "GET /", .target = "/"}));
  EXPECT_FALSE(client.send({.method = "GET", .target = "/", .headers = {{"X", "a\r\nY: b"}}}));
  EXPECT_EQ(server->counts().connections, 0U);
}

TEST(ClientStream, ReadsEventsUntilTheyEnd) {
  const auto server = serve(streaming([](Stream& stream) {
    for (const char* id : {"1", "2", "3"}) stream.send(event(id));
    stream.end();
  }));
  Client client = client_of(*server);
  EventReader reader;
  std::string ids;
  const auto read = client.stream({.method = "GET", .target = "/"}, 20s, -1,
                                  [&](int status, std::string_view text) {
                                    EXPECT_EQ(status, 200);
                                    const auto events = reader.feed(text).value();
                                    for (const ServerEvent& each : events) ids += each.id;
                                    return true;
                                  });
  EXPECT_TRUE(read) << read.error().what;
  EXPECT_EQ(ids, "123");
}

TEST(ClientStream, StopsWhenToldTo) {
  const auto server = serve(streaming([](Stream& stream) { stream.send(event("1")); }));
  Client client = client_of(*server);
  const env::Fd stop(::eventfd(0, EFD_CLOEXEC));
  const auto stopped = client.stream({.method = "GET", .target = "/"}, 20s, stop.get(),
                                     [&](int, std::string_view text) {
                                       const std::uint64_t one = 1;
                                       return text.empty() || ::write(stop.get(), &one, 8) == 8;
                                     });
  EXPECT_EQ(stopped.error().fault, Fault::cancelled);
  const auto enough = client.stream({.method = "GET", .target = "/"}, 20s, -1,
                                    [](int, std::string_view text) { return text.empty(); });
  EXPECT_TRUE(enough);
}

TEST(ClientStream, EndsWithSilence) {
  const auto server = serve(streaming([](Stream&) {}));
  Client client = client_of(*server);
  int status = 0;
  const auto read =
      client.stream({.method = "GET", .target = "/"}, 500ms, -1, [&](int said, std::string_view) {
        status = said;
        return true;
      });
  EXPECT_EQ(read.error().fault, Fault::timeout);
  EXPECT_EQ(status, 200);
}

TEST(ClientStream, FailsIfItIsCut) {
  const auto server = serve(streaming([](Stream& stream) { stream.send(event("1")); }));
  Client client = client_of(*server);
  std::thread stopper;
  const auto read =
      client.stream({.method = "GET", .target = "/"}, 20s, -1, [&](int, std::string_view text) {
        if (text.empty()) return true;
        stopper = std::thread([&] { server->stop(0s); });
        return true;
      });
  if (stopper.joinable()) stopper.join();
  // A stop without farewell is still an end, if there was time for it.
  EXPECT_TRUE(read || read.error().fault == Fault::unavailable);
}

}  // namespace
}  // namespace tyer::http
