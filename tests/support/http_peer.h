// A peer that says to an HTTP server, on loopback, whatever a test wants said.

#pragma once

#include <string>
#include <string_view>

#include "env/fd.h"

namespace tyer::testing {

class HttpPeer {
 public:
  // With a small receive buffer the server soon finds it slow.
  explicit HttpPeer(int port, int receive_buffer = 0);

  // As much as the server takes; a server that has closed is no failure.
  void send(std::string_view text);
  void finish();  // No more will be sent.
  void reset();   // Gone, without goodbye.

  // What comes, up to and with `mark`, or up to the end.
  [[nodiscard]] std::string until(std::string_view mark);
  [[nodiscard]] std::string rest();  // Up to the end.

  struct Answer {
    int status = 0;  // 0: there is none.
    std::string head;
    std::string body;
  };
  // The next one, by its Content-Length.
  [[nodiscard]] Answer answer(bool to_head_request = false);
  [[nodiscard]] Answer ask(std::string_view text);

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  [[nodiscard]] bool fill();

  env::Fd fd_;
  std::string unread_;
};

// "GET /path HTTP/1.1" with a Host.
[[nodiscard]] std::string get(std::string_view path);

}  // namespace tyer::testing
