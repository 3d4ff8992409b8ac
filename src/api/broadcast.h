// One reader of the log for all streams (H17, H18).
//
// It steps in a thread of its own: new events are read once, made into text once, and sent to all
// who want them. Who comes with a Last-Event-ID first catches up from the log and then joins the
// others, at a place it knows: nothing is missed or repeated. No reader is waited for.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/wire_event.h"
#include "base/log.h"
#include "engine/engine.h"
#include "http/stream.h"

namespace tyer::api {

struct Subscription {
  std::shared_ptr<http::Stream> stream;
  Filter filter;
  std::string credential;              // The stream ends when it is revoked.
  std::string agent;                   // Online while it listens.
  std::optional<std::uint64_t> after;  // Events after this one; nothing: from now on.
};

class Broadcast {
 public:
  Broadcast(engine::Engine& engine, const Log& log) : engine_(engine), log_(log) {}

  // From any thread, also from within the stream's own callbacks. `limit` if there are too many.
  void add(Subscription subscription);
  [[nodiscard]] std::size_t size() const;

  // What is new goes out. Called by one thread.
  [[nodiscard]] Result<Time> step(Time now);

  // What wakes the thread that steps. Before the first `add`.
  void set_hint(std::function<void()> hint) { hint_ = std::move(hint); }

 private:
  struct Reader {
    Subscription wish;
    std::uint64_t after = 0;
    bool is_live = false;
    bool is_over = false;
  };

  void welcome(std::vector<Subscription> fresh);
  [[nodiscard]] Result<bool> read_new();
  [[nodiscard]] Result<bool> catch_up(Reader& reader);
  void send(const WireEvent& event);
  void beat(Span now);
  void drop_revoked(const core::Event& event);
  void drop_ended();
  void keep_presence(Span now);
  [[nodiscard]] Result<> tell_presence(const std::string& agent, bool online);

  engine::Engine& engine_;
  const Log& log_;
  std::function<void()> hint_;

  // Only the thread that steps.
  std::vector<std::unique_ptr<Reader>> readers_;
  std::optional<std::uint64_t> position_;  // Of the last event that went out live.
  Span next_beat_{};
  struct Presence {
    std::size_t streams = 0;
    bool told = false;  // The log says online.
    Span gone_at{};
  };
  std::map<std::string, Presence> agents_;

  mutable std::mutex mutex_;
  std::vector<Subscription> fresh_;
  std::size_t count_ = 0;
};

}  // namespace tyer::api
