// A client of one server. It blocks, with a bound on everything.
//
// One connection is kept and used again. Not for several threads at a time.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "http/message.h"

namespace tyer::http {

struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // Without the brackets of an IPv6 address.
  int port = 0;
  std::string path;  // With the query; at least "/".
};

[[nodiscard]] Result<Url> parse_url(std::string_view text);

struct ClientOptions {
  Span connect_time = 5s;  // To connect, TLS and all; looking a name up is not in it.
  Span time = 30s;         // For the whole answer.
  std::size_t answer_max = 16 << 20;
  std::string ca_file;  // Who vouches for the server; empty: whom the system trusts.
};

// An answer that goes on, on a connection of its own.
class Reply {
 public:
  ~Reply();
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  [[nodiscard]] int status() const;

  // What comes next; nothing: it is over. `cancelled` if `stop_fd` (if not -1) becomes
  // readable, `timeout` if nothing comes for longer than `silence`, `unavailable` if the
  // connection broke.
  [[nodiscard]] Result<std::optional<std::string>> next(Span silence, int stop_fd);

  // The connection, if what comes next can be seen there: it is not secret, and nothing of it has
  // been read yet. Else -1.
  [[nodiscard]] int plain_fd() const;

 private:
  friend class Client;
  struct Inside;
  explicit Reply(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

class Client {
 public:
  // The path of the URL, if it has one, stands before the target of each request.
  [[nodiscard]] static Result<Client> make(const std::string& url, ClientOptions options = {});
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Uses method, target, headers and body; Host and the length are added. Any
  // status is an answer. `unavailable` if there is no connection or it broke,
  // `timeout`, `limit` if the answer is too large. If a kept connection turns out
  // to be closed, a new one is made: once, and only if nothing was sent or
  // sending it twice does no harm.
  [[nodiscard]] Result<Response> send(const Request& request);

  // Returns once its status is known; errors as in `Reply::next`.
  [[nodiscard]] Result<std::unique_ptr<Reply>> open(const Request& request, Span silence,
                                                    int stop_fd);

  // Reads such an answer. `on_text` gets the status with an empty text first, then the text
  // as it comes; if it returns false, this returns. Otherwise until it is over.
  [[nodiscard]] Result<> stream(
      const Request& request, Span silence, int stop_fd,
      const std::function<bool(int status, std::string_view text)>& on_text);

 private:
  struct Inside;
  explicit Client(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tyer::http
