// `tyer serve` and `tyer up` with a certificate (H1, P12).

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/demo.h"
#include "support/screen.h"

namespace tyer::testing {
namespace {

class HubTls : public ProgramTest, public ::testing::WithParamInterface<std::string> {
 protected:
  HubTls() { make_certificate("first.example"); }

  // Instead of the one before.
  void make_certificate(const std::string& name) const {
    const ProgramResult made =
        run_program({.words = {"req", "-x509", "-newkey", "ec", "-pkeyopt",
                               "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                               "/CN=" + name, "-keyout", dir / "key.pem", "-out", dir / "cert.pem"},
                     .program = "/usr/bin/openssl"});
    ASSERT_EQ(made.code, 0) << made.err;
  }

  // With its log on standard output, so that a test can wait for a line of it.
  void start(const std::string& options = "--tls-cert cert.pem --tls-key key.pem") {
    const std::string words = GetParam() + " --listen 127.0.0.1:0 --json " + options;
    ProgramCall shell = call({"-c", "exec \"$0\" " + words + " 2>&1", TYER_PROGRAM});
    shell.program = "/bin/sh";
    hub = std::make_unique<Program>(shell);
    ASSERT_TRUE(hub->wait_for("\"url\":\"https://")) << hub->out();
    const std::size_t at = hub->out().find("https://");
    address = hub->out().substr(at + 8, hub->out().find('"', at) - at - 8);
  }

  // Who it says it is.
  [[nodiscard]] std::string subject() const {
    return run_program({.words = {"s_client", "-connect", address}, .program = "/usr/bin/openssl"})
        .out;
  }

  [[nodiscard]] ProgramResult ask(const std::string& host) const {
    return run_program(
        {.words = {"-sk", "-D", "-", "-H", "Host: " + host, "https://" + address + "/health"},
         .program = "/usr/bin/curl"});
  }

  std::unique_ptr<Program> hub;
  std::string address;
};

TEST_P(HubTls, ReadsItsCertificateAgainOnAHangup) {
  start();
  EXPECT_TRUE(subject().contains("CN = first.example"));
  make_certificate("second.example");

  hub->signal(SIGHUP);

  ASSERT_TRUE(hub->wait_for("the certificate was read again")) << hub->out();
  EXPECT_TRUE(subject().contains("CN = second.example"));
  hub->signal(SIGTERM);
  EXPECT_EQ(hub->finish().code, 0);
}

TEST_P(HubTls, GoesOnWithItsCertificateIfTheNextIsNoneAndSaysSo) {
  start();
  write_file("cert.pem", "none\n");

  hub->signal(SIGHUP);

  ASSERT_TRUE(hub->wait_for("the one before is used on")) << hub->out();
  EXPECT_TRUE(hub->wait_for("cert.pem")) << hub->out();
  EXPECT_TRUE(subject().contains("CN = first.example"));
  make_certificate("third.example");
  hub->signal(SIGHUP);
  ASSERT_TRUE(hub->wait_for("the certificate was read again")) << hub->out();
  EXPECT_TRUE(subject().contains("CN = third.example"));
  hub->signal(SIGTERM);
  EXPECT_EQ(hub->finish().code, 0);
}

TEST_P(HubTls, EndsOnAHangupIfItHasNoCertificate) {
  Program plain(call({GetParam(), "--listen", "127.0.0.1:0", "--json"}));
  ASSERT_TRUE(plain.wait_for("}\n"));
  plain.signal(SIGHUP);
  const ProgramResult ended = plain.finish();
  EXPECT_EQ(ended.code, 0) << ended.err;
}

// The certificate is not what whoever closes the window means.
TEST_P(HubTls, EndsWithTheTerminalThatItWasStartedOn) {
  auto screen = std::make_unique<Screen>(80, 24);
  const std::string words =
      GetParam() + " --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem";
  ProgramCall shell =
      call({"-c", "exec setsid --wait --ctty \"$0\" " + words + " <\"$1\" >\"$1\" 2>err",
            TYER_PROGRAM, screen->path()});
  shell.program = "/bin/sh";
  Program started(shell);
  (void)screen->until("Ctrl+C ends it.");
  screen.reset();
  // It may not be able to write any more by then.
  EXPECT_LT(started.finish().code, 128);
}

TEST_P(HubTls, TellsABrowserToInsistOnTlsUnderANameThatIsNotThisMachines) {
  start("--tls-cert cert.pem --tls-key key.pem --host hub.example:80");
  const std::string named = ask("hub.example:80").out;
  EXPECT_TRUE(named.starts_with("HTTP/1.1 200")) << named;
  EXPECT_TRUE(named.contains("strict-transport-security: max-age=15552000\r\n")) << named;
  const std::string own = ask(address).out;
  EXPECT_TRUE(own.starts_with("HTTP/1.1 200")) << own;
  EXPECT_FALSE(own.contains("strict-transport-security")) << own;
  hub->signal(SIGTERM);
  EXPECT_EQ(hub->finish().code, 0);
}

INSTANTIATE_TEST_SUITE_P(By, HubTls, ::testing::Values("serve", "up"),
                         [](const auto& test) { return test.param; });

// A proxy in front of it may speak TLS: whether it always will is the proxy's to say.
TEST(HubWithoutTls, TellsNobodyToInsistOnIt) {
  const TempDir dir;
  Program hub({.words = {"serve", "--listen", "127.0.0.1:0", "--json", "--host", "hub.example:80"},
               .directory = dir.path(),
               .environment = {{"HOME", dir.path()}}});
  ASSERT_TRUE(hub.wait_for("}\n"));
  const std::string url = text_or(parse_json(hub.out()).value_or(Json::object()), "url");
  const ProgramResult asked =
      run_program({.words = {"-s", "-D", "-", "-H", "Host: hub.example:80", "-H",
                             "X-Forwarded-Proto: https", url + "/health"},
                   .program = "/usr/bin/curl"});
  EXPECT_TRUE(asked.out.starts_with("HTTP/1.1 200")) << asked.out;
  EXPECT_FALSE(asked.out.contains("strict-transport-security")) << asked.out;
}

}  // namespace
}  // namespace tyer::testing
