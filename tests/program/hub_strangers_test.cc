// Those who say nothing good of who they are make a hub hold little, and keep nobody out.

#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "api/limits.h"
#include "base/json.h"
#include "support/http_peer.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

// In KiB.
long resident_memory(int pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return -1;
}

// Each stranger and each end of its connection is a descriptor.
class ManyDescriptors {
 public:
  ManyDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit enough{.rlim_cur = std::min<rlim_t>(before_.rlim_max, 4'096),
                        .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &enough), 0);
  }
  ~ManyDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  ManyDescriptors(const ManyDescriptors&) = delete;
  ManyDescriptors& operator=(const ManyDescriptors&) = delete;

 private:
  rlimit before_{};
};

class HubStrangers : public ::testing::TestWithParam<std::string> {
 protected:
  // The beginning of a request whose body never ends.
  std::string announce(const std::string& path, std::size_t bytes,
                       const std::string& headers = "") const {
    return "POST " + path + " HTTP/1.1\r\nHost: " + hub.address() + "\r\n" + headers +
           "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  }

  const ManyDescriptors many;
  HubPlace place{GetParam()};
  RunningHub hub{place};
  Visitor admin = hub.admin();
};

INSTANTIATE_TEST_SUITE_P(Backends, HubStrangers, ::testing::ValuesIn(hub_backends()),
                         [](const auto& one) { return one.param; });

TEST_P(HubStrangers, WithLargeBodiesLeaveItsMemoryAsItIs) {
  const std::string feed = admin.make("/api/feeds", {{"name", "main"}});
  const std::string path = "/api/feeds/" + feed + "/posts";
  const long before = resident_memory(hub.pid());
  const std::string most(900'000, 'x');

  std::deque<HttpPeer> strangers;
  for (int i = 0; i < 300; ++i) {
    const std::string to = i % 3 == 0 ? "/api/uploads?name=a" : path;
    const std::string key = i % 2 == 0 ? "" : "Authorization: Bearer ty_wrong\r\n";
    strangers.emplace_back(hub.port()).send(announce(to, 1'000'000, key) + most);
  }
  EXPECT_EQ(admin.post(path, {{"content", "meanwhile"}}).status, 201);
  for (HttpPeer& stranger : strangers) {
    const int status = stranger.answer().status;
    ASSERT_TRUE(status == 401 || status == 429) << status;
  }
  // They sent 270 MB. The most that strangers may have is 16 MB. A sanitizer keeps what was freed.
  constexpr bool measures = TYER_FAKE_CLOCKS != 0;
  if (measures) {
    EXPECT_LT(resident_memory(hub.pid()) - before, 40 << 10);
  }
}

TEST_P(HubStrangers, OnOpenRoutesMaySendLittle) {
  const std::string text = R"({"password": "not the one"})";
  for (const char* path : {"/api/setup", "/api/auth/login", "/api/auth/link", "/nowhere"}) {
    HttpPeer large(hub.port());
    EXPECT_EQ(large.ask(announce(path, limits::open_body_bytes_max + 1)).status, 413) << path;
    HttpPeer chunked(hub.port());
    EXPECT_EQ(chunked
                  .ask("POST " + std::string(path) + " HTTP/1.1\r\nHost: " + hub.address() +
                       "\r\nTransfer-Encoding: chunked\r\n\r\n2000\r\n" + std::string(0x2000, 'x') +
                       "\r\n")
                  .status,
              path == std::string("/nowhere") ? 404 : 413)
        << path;
  }
  HttpPeer slow(hub.port());
  slow.send(announce("/api/auth/login", text.size()));
  EXPECT_EQ(slow.ask(text).status, 401) << "a small one may come in pieces";
}

TEST_P(HubStrangers, HearThatABodyIsNotWantedBeforeTheySendIt) {
  HttpPeer stranger(hub.port());
  EXPECT_EQ(stranger.ask(announce("/api/uploads?name=a", 40'000'000)).status, 401);
  HttpPeer polite(hub.port());
  EXPECT_EQ(polite.ask(announce("/api/feeds", 500, "Expect: 100-continue\r\n")).status, 401);

  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "command"}});
  HttpPeer bot(hub.port());
  const std::string key = "Authorization: Bearer " + agent.text("key") + "\r\n";
  EXPECT_EQ(bot.ask(announce("/api/keys", 900'000, key)).status, 403)
      << "agents make no agents, whatever the body says";
}

// What an agent has begun to send lies on the disk; there is a bound for that, too.
TEST_P(HubStrangers, DoNotFillTheDiskEvenIfTheyAreAgents) {
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "command"}});
  const std::string key = "Authorization: Bearer " + agent.text("key") + "\r\n";
  std::deque<HttpPeer> uploads;
  int refused = 0;
  for (int i = 0; i < 8; ++i) {
    uploads.emplace_back(hub.port());
    uploads.back().send(
        announce("/api/uploads?name=a", 50 << 20, key + "Expect: 100-continue\r\n"));
    const std::string first = uploads.back().until("\r\n");
    if (first.contains(" 429 ")) ++refused;
    EXPECT_TRUE(first.contains(" 429 ") || first.contains(" 100 ")) << first;
  }
  EXPECT_EQ(refused, 3) << "five of 50 MB may come at once";
  EXPECT_EQ(admin.ask("POST", "/api/uploads?name=a", std::string(2 << 20, 'x')).status, 201)
      << "others have their own room";
}

}  // namespace
}  // namespace tyer::testing
