// Stands between a store and its server and cuts the line around one commit,
// where chance would cut it once in a year.

#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <thread>

#include "env/fd.h"
#include "support/temp_dir.h"

namespace tyer::testing {

class PostgresProxy {
 public:
  enum class Cut : std::uint8_t {
    never,
    before_commit,    // The server does not hear of it.
    before_answer,    // The server commits; the transaction's id gets through, the answer does not.
    before_anything,  // The server commits; nothing it says gets through.
  };

  // `target` is the directory of the server's socket.
  explicit PostgresProxy(std::string target);
  ~PostgresProxy();
  PostgresProxy(const PostgresProxy&) = delete;
  PostgresProxy& operator=(const PostgresProxy&) = delete;

  [[nodiscard]] std::string url(const std::string& database) const;

  // At the next commit, once. With `for_good` nobody is let in afterwards.
  void arm(Cut cut, bool for_good = false);

 private:
  struct Line {
    env::Fd client;
    env::Fd server;
    bool muted = false;
    bool closed = false;
  };

  void relay();
  void accept(std::list<Line>& lines);
  void from_client(Line& line);
  void from_server(Line& line);
  void close(Line& line);

  const std::string target_;
  const TempDir dir_;
  const env::Fd listener_;
  const env::Fd stop_;
  std::atomic<Cut> cut_ = Cut::never;
  std::atomic<bool> for_good_ = false;
  bool shut_ = false;  // The relaying thread's.
  std::thread thread_;
};

}  // namespace tyer::testing
