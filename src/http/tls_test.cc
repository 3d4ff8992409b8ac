#include <thread>

#include <gtest/gtest.h>

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

class TlsTest : public ::testing::Test {
 protected:
  // A certificate of our own for 127.0.0.1.
  void SetUp() override {
    const auto made = testing::run_program(
        {.words = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-days", "1", "-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1",
                   "-keyout", tls.key_file, "-out", tls.certificate_file},
         .program = "/usr/bin/openssl"});
    ASSERT_EQ(made.code, 0) << made.err;
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

TEST_F(TlsTest, EndsAHandshakeThatNeverComes) {
  Limits limits;
  limits.header_time = 60ms;
  const auto server = serve(large_echo, limits);
  HttpPeer silent(server->port());
  EXPECT_EQ(silent.rest(), "");
  HttpPeer plain(server->port());
  plain.send(get("/"));
  EXPECT_FALSE(plain.rest().contains("HTTP"));
}

TEST_F(TlsTest, NeedsACertificateAndItsKey) {
  const Tls wrong{.certificate_file = dir / "none", .key_file = tls.key_file};
  EXPECT_EQ(Server::start("127.0.0.1:0", large_echo, {}, wrong).error().fault, Fault::invalid);
  const Tls swapped{.certificate_file = tls.certificate_file, .key_file = tls.certificate_file};
  EXPECT_EQ(Server::start("127.0.0.1:0", large_echo, {}, swapped).error().fault, Fault::invalid);
}

}  // namespace
}  // namespace tyer::http
