#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "env/fd.h"
#include "http/client.h"
#include "http/server.h"
#include "http/stream.h"
#include "support/http_peer.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::http {
namespace {

using testing::get;
using testing::HttpPeer;
using testing::TempDir;

// A server that is not ours. It says one thing to whoever has said something; nothing, if that is
// empty.
class Stranger {
 public:
  explicit Stranger(std::string says)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), says_(std::move(says)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size) | ::listen(listener_.get(), 5), 0);
    ::getsockname(listener_.get(), any, &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    if (!says_.empty()) thread_ = std::jthread([this] { answer(); });
  }
  ~Stranger() { ::shutdown(listener_.get(), SHUT_RDWR); }  // Ends an accept that waits.

  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  void answer() const {
    const env::Fd peer(::accept(listener_.get(), nullptr, nullptr));
    std::array<char, 4096> heard{};
    if (::recv(peer.get(), heard.data(), heard.size(), 0) <= 0) return;
    ::send(peer.get(), says_.data(), says_.size(), MSG_NOSIGNAL);
  }

  const env::Fd listener_;
  const std::string says_;
  std::string address_;
  std::jthread thread_;
};

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override { make_certificate(); }

  // One of our own for 127.0.0.1, each time another.
  void make_certificate() {
    const auto made = testing::run_program(
        {.words = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-days", "1", "-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1",
                   "-keyout", tls.key_file, "-out", tls.certificate_file},
         .program = "/usr/bin/openssl"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  // Whether they agree, if TLS 1.2 with this cipher is all that the client speaks.
  [[nodiscard]] bool agrees_on(const Server& server, const std::string& cipher) const {
    const auto tried = testing::run_program(
        {.words = {"s_client", "-connect", server.address(), "-CAfile", tls.certificate_file,
                   "-verify_return_error", "-tls1_2", "-cipher", cipher},
         .program = "/usr/bin/openssl"});
    return tried.code == 0;
  }

  std::unique_ptr<Server> serve(Handler handler, Limits limits = {}) {
    return Server::start("127.0.0.1:0", std::move(handler), std::move(limits), tls).value();
  }

  [[nodiscard]] Client client_of(const Server& server, const std::string& ca_file) const {
    return Client::make("https://" + server.address(), {.ca_file = ca_file}).value();
  }

  TempDir dir;
  Tls tls{.certificate_file = dir / "cert.pem", .key_file = dir / "key.pem"};
};

Response large_echo(Request& request) {
  EXPECT_TRUE(request.secure);
  return {.body = request.body + std::string(3'000'000, 'x')};
}

TEST_F(TlsTest, CarriesRequestsAndLargeAnswers) {
  const auto server = serve(large_echo);
  Client client = client_of(*server, tls.certificate_file);
  for (int i = 0; i < 3; ++i) {
    const auto answer =
        client.send({.method = "POST", .target = "/", .body = std::string(900'000, 'y')});
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->body.size(), 3'900'000U);
  }
  EXPECT_EQ(server->counts().connections, 1U);
}

TEST_F(TlsTest, CarriesStreams) {
  const auto server = serve([](Request&) {
    return Response{.stream = [](const std::shared_ptr<Stream>& stream) {
      for (int i = 0; i < 3; ++i) stream->send(std::make_shared<const std::string>("hello"));
      stream->end();
    }};
  });
  Client client = client_of(*server, tls.certificate_file);
  std::string all;
  const auto read =
      client.stream({.method = "GET", .target = "/"}, 20s, -1, [&](int, std::string_view text) {
        all += text;
        return true;
      });
  EXPECT_TRUE(read) << read.error().what;
  EXPECT_EQ(all, "hellohellohello");
}

TEST_F(TlsTest, IsRefusedByAClientThatDoesNotKnowTheCertificate) {
  const auto server = serve(large_echo);
  Client client = client_of(*server, "");
  const auto answer = client.send({.method = "GET", .target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::unavailable);
  EXPECT_TRUE(answer.error().what.contains("certificate")) << answer.error().what;
}

TEST_F(TlsTest, IsRefusedByAClientThatWantsAnotherHost) {
  const auto server = serve(large_echo);
  Client client = Client::make("https://localhost:" + std::to_string(server->port()),
                               {.ca_file = tls.certificate_file})
                      .value();
  EXPECT_FALSE(client.send({.method = "GET", .target = "/"}));
}

TEST_F(TlsTest, AgreesOnNoCipherThatEncryptsAndProvesApart) {
  const auto server = serve(large_echo);
  for (const char* good : {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
                           "ECDHE-ECDSA-CHACHA20-POLY1305"}) {
    EXPECT_TRUE(agrees_on(*server, good)) << good;
  }
  for (const char* bad : {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA",
                          "ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA384"}) {
    EXPECT_FALSE(agrees_on(*server, bad)) << bad;
  }
}

TEST_F(TlsTest, RenewsItsCertificateForNewConnectionsAndKeepsThoseThatAreThere) {
  const auto server = serve(large_echo);
  Client before = client_of(*server, tls.certificate_file);
  ASSERT_TRUE(before.send({.method = "GET", .target = "/"}));
  make_certificate();
  ASSERT_TRUE(server->renew_tls());

  Client after = client_of(*server, tls.certificate_file);
  const auto answer = after.send({.method = "GET", .target = "/"});

  EXPECT_TRUE(answer) << answer.error().what;
  EXPECT_TRUE(before.send({.method = "GET", .target = "/"}));
  EXPECT_EQ(server->counts().connections, 2U);
}

TEST_F(TlsTest, GoesOnWithItsCertificateIfTheNextDoesNotFit) {
  const auto server = serve(large_echo);
  const std::string ca = dir / "before.pem";
  std::filesystem::copy_file(tls.certificate_file, ca);
  const std::string key = dir / "key_before.pem";
  std::filesystem::copy_file(tls.key_file, key);
  make_certificate();
  std::filesystem::copy_file(key, tls.key_file, std::filesystem::copy_options::overwrite_existing);

  const auto renewed = server->renew_tls();

  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().fault, Fault::invalid);
  Client client = client_of(*server, ca);
  EXPECT_TRUE(client.send({.method = "GET", .target = "/"}));
  const auto plain = Server::start("127.0.0.1:0", large_echo, {}).value();
  EXPECT_FALSE(plain->renew_tls());
}

TEST_F(TlsTest, EndsAHandshakeThatNeverComes) {
  Limits limits;
  limits.header_time = 60ms;
  const auto server = serve(large_echo, limits);
  HttpPeer silent(server->port());
  EXPECT_EQ(silent.rest(), "");
  HttpPeer noise(server->port());
  noise.send("no handshake and no request");
  EXPECT_EQ(noise.rest(), "");
}

TEST_F(TlsTest, TellsWhoSpeaksPlainHttpThatItDoesNot) {
  const auto server = serve(large_echo);
  HttpPeer plain(server->port());
  plain.send("POST ");  // Not all of it at once.
  plain.send("/ HTTP/1.1\r\n\r\n");
  const std::string said = plain.rest();
  EXPECT_TRUE(said.starts_with("HTTP/1.1 400 ")) << said;
  EXPECT_TRUE(said.contains("write https:// in place of http://")) << said;

  Client client = Client::make("http://" + server->address()).value();
  const auto answer = client.send({.method = "GET", .target = "/"});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 400);
}

// No answer to a handshake is waited for: the server sees at once that it is none to it.
TEST_F(TlsTest, IsToldAtOnceThatAServerDoesNotSpeakIt) {
  const auto server = Server::start("127.0.0.1:0", [](Request&) { return Response{}; }, {}).value();
  Client client = Client::make("https://" + server->address(), {.connect_time = 1h}).value();
  const auto answer = client.send({.method = "GET", .target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().fault, Fault::unavailable);
  EXPECT_TRUE(answer.error().what.contains("it does not speak TLS; write http:// in place of"))
      << answer.error().what;
}

TEST_F(TlsTest, ThatNobodyAnswersIsSaidWithWhatMayBeWrong) {
  const Stranger silent("");
  Client client = Client::make("https://" + silent.address(), {.connect_time = 50ms}).value();
  const auto answer = client.send({.method = "GET", .target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("write http:// in place of")) << answer.error().what;
}

// Of a server that is not ours.
TEST_F(TlsTest, ItsAlertIsUnderstoodByAPlainClient) {
  const Stranger other({"\x15\x03\x03\x00\x02\x02\x28", 7});
  Client client = Client::make("http://" + other.address()).value();
  const auto answer = client.send({.method = "GET", .target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().what.contains("write https:// in place of")) << answer.error().what;
}

TEST_F(TlsTest, NeedsACertificateAndItsKey) {
  const Tls wrong{.certificate_file = dir / "none", .key_file = tls.key_file};
  EXPECT_EQ(Server::start("127.0.0.1:0", large_echo, {}, wrong).error().fault, Fault::invalid);
  const Tls swapped{.certificate_file = tls.certificate_file, .key_file = tls.certificate_file};
  EXPECT_EQ(Server::start("127.0.0.1:0", large_echo, {}, swapped).error().fault, Fault::invalid);
}

}  // namespace
}  // namespace tyer::http
