#include "env/local_peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/fd.h"
#include "support/forked.h"

namespace tyer::env {
namespace {

using enum SocketOwner;

constexpr std::string_view table =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1CFC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1\n"
    "   1: 0100007F:A001 0100007F:1CFC 01 00000000:00000000 00:00000000 00000000  1000        0 2\n"
    "   2: 0100007F:A002 0100007F:1CFC 01 00000000:00000000 00:00000000 00000000    33        0 3\n"
    "   3: 0100007F:A003 0100007F:1CFC 06 00000000:00000000 03:00000EF1 00000000     0        0 0\n"
    "   4: 0100007F:A004 0100007F:1CFC 01 00000000:00000000 00:00000000 00000000  1000        0 4\n"
    "   5: 0100007F:A004 0100007F:1CFD 01 00000000:00000000 00:00000000 00000000    33        0 5\n"
    "   6: 0100007F:A005\n";

TEST(LocalPeer, IsWhoseSocketTheKernelSays) {
  EXPECT_EQ(find_owner(table, "0100007F:A001", 1000), own);
  EXPECT_EQ(find_owner(table, "0100007F:A002", 1000), other);
  EXPECT_EQ(find_owner(table, "0100007F:A003", 0), unknown) << "it is closed already";
  EXPECT_EQ(find_owner(table, "0100007F:A004", 1000), other) << "two of one name";
  EXPECT_EQ(find_owner(table, "0100007F:A005", 1000), unknown);
  EXPECT_EQ(find_owner(table, "0100007F:A006", 1000), unknown);
  EXPECT_EQ(find_owner("", "0100007F:A001", 1000), unknown);
}

// A connection within this process, and the address of the end that asked for it.
struct Connection {
  explicit Connection(int family) : listener(::socket(family, SOCK_STREAM, 0)) {
    sockaddr_in6 wide{.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    sockaddr_in plain{.sin_family = AF_INET};
    plain.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    auto* const address = family == AF_INET ? reinterpret_cast<sockaddr*>(&plain)
                                            : reinterpret_cast<sockaddr*>(&wide);
    socklen_t size = family == AF_INET ? sizeof plain : sizeof wide;
    EXPECT_EQ(::bind(listener.get(), address, size), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), address, &size), 0);
    asker = Fd(::socket(family, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(asker.get(), address, size), 0);
    EXPECT_EQ(::getsockname(asker.get(), address, &size), 0);
    peer = family == AF_INET ? fmt::format("127.0.0.1:{}", ::ntohs(plain.sin_port))
                             : fmt::format("[::1]:{}", ::ntohs(wide.sin6_port));
  }
  Fd listener;
  Fd asker;
  std::string peer;
};

TEST(LocalPeer, IsOwnOnlyIfItIsThisUsers) {
  for (const int family : {AF_INET, AF_INET6}) {
    const Connection connection(family);
    EXPECT_TRUE(is_own_users_socket(connection.peer)) << connection.peer;
    testing::in_a_copy([&] {
      if (::geteuid() != 0) return;
      testing::become_nobody();
      EXPECT_FALSE(is_own_users_socket(connection.peer)) << "it was made by somebody else";
    });
  }
  for (const char* const peer : {"", ":", "127.0.0.1", "127.0.0.1:1", "[::1]:1", "x:1", "here:0"}) {
    EXPECT_FALSE(is_own_users_socket(peer)) << peer;
  }
}

}  // namespace
}  // namespace tyer::env
