// Questions to a hub about leases, over HTTP: one connection, one caller.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "http/client.h"
#include "lock/desk.h"

namespace tyer::lock {

// What an answer that is none says: the fault that the hub names, or that it is no hub.
[[nodiscard]] Error read_refusal(const std::string& url, int status, std::string_view body);

class HubClient {
 public:
  // `answer_max`: how long a plain question may take.
  [[nodiscard]] static Result<HubClient> make(const HubAddress& hub, Span answer_max);

  using Query = std::vector<std::pair<std::string, std::string>>;

  // The answer's JSON, null if it has none. What the hub refuses fails with the fault it names.
  [[nodiscard]] Result<Json> ask(const std::string& method, const std::string& path,
                                 const Query& query, const std::string& body = "");

  struct Answer {
    int status = 0;
    std::string body;
  };
  // The whole answer, whatever its status, if it does not pause for longer than `silence`;
  // `cancelled` once `stop_fd` is readable.
  [[nodiscard]] Result<Answer> post(const std::string& path, const std::string& body, Span silence,
                                    int stop_fd);

  // An answer that goes on, line by line.
  class Lines {
   public:
    // The next; nothing: it is over. `cancelled` once `stop_fd` is readable.
    [[nodiscard]] Result<std::optional<std::string>> next(int stop_fd);
    // As http::Reply has it.
    [[nodiscard]] int plain_fd() const { return rest_.empty() ? reply_->plain_fd() : -1; }

   private:
    friend class HubClient;
    const HubClient* client_ = nullptr;
    std::unique_ptr<http::Reply> reply_;
    std::string rest_;
  };
  [[nodiscard]] Result<Lines> open_lines(const std::string& path, const std::string& body,
                                         int stop_fd);

  // An empty line when it begins, then its lines, until `on_line` says false or it ends.
  [[nodiscard]] Result<> post_for_lines(const std::string& path, const std::string& body,
                                        int stop_fd,
                                        const std::function<bool(std::string_view line)>& on_line);

  // The same, and what the caller can do about it.
  [[nodiscard]] Error refusal(int status, std::string_view body) const;

 private:
  HubClient(HubAddress hub, http::Client client)
      : hub_(std::move(hub)), client_(std::move(client)) {}

  [[nodiscard]] http::Request request(const std::string& method, const std::string& target,
                                      const std::string& body) const;
  [[nodiscard]] std::unexpected<Error> out_of_reach(const Error& error) const;

  HubAddress hub_;
  http::Client client_;
};

}  // namespace tyer::lock
