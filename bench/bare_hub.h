// A hub that does only what cannot be left out: it stores what is posted as one row, waits for the
// disk, and writes it to its streams.

#pragma once

#include "bare_server.h"
#include "raw_sqlite.h"

namespace tyer::bench {

class BareHub {
 public:
  // Prints its port, then serves until it is killed.
  [[nodiscard]] static Result<> serve(const std::string& database) {
    BareHub hub;
    TYER_TRY(hub.rows_, RawSqlite::open(database));
    TYER_TRY_OK(hub.rows_->warm_up(store::Durability::full));
    return BareServer::serve([&](int fd, std::string& in) { return hub.read(fd, in); });
  }

 private:
  BareHub() = default;

  [[nodiscard]] Result<> read(int fd, std::string& in) {
    if (in.starts_with("GET ")) {
      if (!in.ends_with("\r\n\r\n")) return {};
      in.clear();
      streams_.push_back(fd);
      return send_all(fd,
                      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: welcome\n\n");
    }
    // A request and an answer are framed alike.
    const auto post = read_answer(in);
    if (!post) return {};
    TYER_TRY_OK(rows_->insert_text(post->body));
    const std::string event = fmt::format("event: comment_created\ndata: {}\n\n", post->body);
    for (const int stream : streams_) TYER_TRY_OK(send_all(stream, event));
    in.erase(0, post->end);
    return send_all(fd, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  }

  std::vector<int> streams_;
  std::unique_ptr<RawSqlite> rows_;
};

}  // namespace tyer::bench
