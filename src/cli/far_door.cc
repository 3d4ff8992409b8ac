// A door to a hub elsewhere, over HTTP.

#include <sys/epoll.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/door.h"
#include "cli/limits.h"
#include "env/wait_readable.h"
#include "http/client.h"
#include "http/event_stream.h"

namespace tyer::cli {
namespace {

void add_encoded(std::string& target, std::string_view text) {
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || std::string_view("-._~").contains(c);
    target += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
}

std::string target_of(const std::string& path, const Query& query) {
  std::string target = path;
  char mark = '?';
  for (const auto& [name, value] : query) {
    target += mark + name + "=";
    add_encoded(target, value);
    mark = '&';
  }
  return target;
}

// Readable once a signal has come or nobody reads what we print.
env::Fd end_of(const StopSignals& stop, const Output& output) {
  env::Fd both(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event signal{.events = EPOLLIN, .data = {}};
  ::epoll_ctl(both.get(), EPOLL_CTL_ADD, stop.fd(), &signal);
  // Only its end is told. A file has none, and is refused.
  epoll_event reader{.events = 0, .data = {}};
  ::epoll_ctl(both.get(), EPOLL_CTL_ADD, output.fd(), &reader);
  return both;
}

// The id that stands in `text` last, as any reader of streams understands it.
std::string last_id(const std::string& text) {
  http::EventReader reader;
  const auto events = reader.feed(text + "data: -\n\n");
  return events && !events->empty() ? events->back().id : "";
}

class FarDoor : public Door {
 public:
  FarDoor(World& world, Settings settings, std::string key, http::Client client)
      : Door(world, std::move(settings), std::move(key)), client_(std::move(client)) {}

  std::string url() const override { return settings().hub_url; }
  Tried<std::string> position(const StopSignals& stop) override;
  Tried<> follow(const Query& filter, const std::string& after, const StopSignals& stop,
                 const Sink& sink) override;

 protected:
  Tried<Answered> send(const Asked& asked) override;

 private:
  // One connection of a stream, from its beginning to its end.
  struct Listening {
    int status = 0;
    std::string refused;  // What came instead of a stream.
    Result<> trouble = {};
    bool is_enough = false;
  };

  [[nodiscard]] http::Request stream_request(const Query& filter, const std::string& after) const;
  [[nodiscard]] Result<> take_events(const std::vector<http::ServerEvent>& events, const Sink& sink,
                                     std::string& after, bool& is_enough);
  [[nodiscard]] Failure out_of_reach(const Error& error) const;

  http::Client client_;
  bool has_answered_ = false;  // It is a hub, and one that lets us in: worth coming back to.
};

Failure FarDoor::out_of_reach(const Error& error) const {
  return {error.in(fmt::format("the hub {}", printable(url(), 200))),
          "is it running? 'tyer serve' starts one; without --url and TYER_URL the store is used"};
}

Tried<Door::Answered> FarDoor::send(const Asked& asked) {
  http::Request request{.method = asked.method,
                        .target = target_of(asked.path, asked.query),
                        .headers = {{"Accept", "application/json"}},
                        .body = asked.body};
  if (!asked.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  if (!key().empty()) request.headers.push_back({"Authorization", "Bearer " + key()});
  auto response = client_.send(request);
  if (!response) return std::unexpected(out_of_reach(response.error()));
  has_answered_ = true;
  return Answered{response->status, std::move(response->body)};
}

http::Request FarDoor::stream_request(const Query& filter, const std::string& after) const {
  http::Request request{.method = "GET",
                        .target = target_of("/api/events/stream", filter),
                        .headers = {{"Accept", "text/event-stream"}}};
  if (!after.empty()) request.headers.push_back({"Last-Event-ID", after});
  if (!key().empty()) request.headers.push_back({"Authorization", "Bearer " + key()});
  return request;
}

// A stream greets with the id of the newest event.
Tried<std::string> FarDoor::position(const StopSignals& stop) {
  int status = 0;
  std::string text;
  const auto read = client_.stream(stream_request({}, ""), limits::stream_silence_max, stop.fd(),
                                   [&](int code, std::string_view piece) {
                                     status = code;
                                     text += piece;
                                     return text.size() < limits::refusal_bytes_max &&
                                            (code != 200 || !text.contains("\n\n"));
                                   });
  if (!read) return std::unexpected(out_of_reach(read.error()));
  const std::string id = last_id(text);
  if (status != 200 || id.empty()) return std::unexpected(refusal(status, text));
  return id;
}

Result<> FarDoor::take_events(const std::vector<http::ServerEvent>& events, const Sink& sink,
                              std::string& after, bool& is_enough) {
  for (const http::ServerEvent& event : events) {
    TYER_TRY(const Json data, parse_json_object(event.data));
    // What the hub says of the stream itself is no event and has no id.
    if (!data.contains("event_id")) {
      world().output.warn(fmt::format("tyer: {}\n", printable(text_or(data, "text"), 400)));
      continue;
    }
    if (!sink(data)) {
      is_enough = true;
      return {};
    }
    after = text_or(data, "event_id");
  }
  return world().output.flush();
}

Tried<> FarDoor::follow(const Query& filter, const std::string& after, const StopSignals& stop,
                        const Sink& sink) {
  const env::Fd end = end_of(stop, world().output);
  std::string last = after;
  Span pause = limits::reconnect_pause;
  bool is_told = false;
  while (true) {
    http::EventReader reader;
    Listening now;
    const auto ended = client_.stream(stream_request(filter, last), limits::stream_silence_max,
                                      end.get(), [&](int status, std::string_view text) {
                                        now.status = status;
                                        if (status != 200) {
                                          now.refused += text;
                                          return now.refused.size() < limits::refusal_bytes_max;
                                        }
                                        if (text.empty()) return true;
                                        has_answered_ = true;
                                        is_told = false;
                                        pause = limits::reconnect_pause;
                                        const auto events = reader.feed(text);
                                        now.trouble =
                                            events ? take_events(*events, sink, last, now.is_enough)
                                                   : Result<>(std::unexpected(events.error()));
                                        return now.trouble.has_value() && !now.is_enough;
                                      });
    if (now.is_enough || (!ended && ended.error().fault == Fault::cancelled)) return {};
    TYER_TRY_OK(now.trouble);
    const bool is_refused = now.status != 0 && now.status != 200;
    const Failure why = is_refused ? refusal(now.status, now.refused)
                        : ended    ? Failure{{Fault::unavailable, "the stream ended"}}
                                   : out_of_reach(ended.error());
    if (!has_answered_ || (is_refused && !info(why.error.fault).retry_helps)) {
      return std::unexpected(why);
    }
    if (!std::exchange(is_told, true)) {
      world().output.warn(fmt::format("tyer: {}; trying again\n", printable(why.error.what, 400)));
    }
    TYER_TRY(const bool is_over, env::wait_readable(end.get(), pause));
    if (is_over) return {};
    pause = std::min(2 * pause, limits::reconnect_pause_max);
  }
}

}  // namespace

Tried<std::unique_ptr<Door>> make_far_door(World& world, Settings settings, std::string key) {
  TYER_TRY(http::Client client, http::Client::make(settings.hub_url));
  return std::make_unique<FarDoor>(world, std::move(settings), std::move(key), std::move(client));
}

}  // namespace tyer::cli
