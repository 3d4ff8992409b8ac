// One reader of the log for all streams (H17, H18).
//
// It steps in a thread of its own: new events are read once, made into text once, and sent to all
// who want them. Who comes with a Last-Event-ID first catches up from the log and then joins the
// others, at a place it knows: nothing is missed or repeated. So does one that cannot keep up for a
// moment; one that takes nothing for long is told so and cut off. No reader is waited for.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/presence.h"
#include "api/wire_event.h"
#include "engine/engine.h"
#include "http/stream.h"

namespace tyer::api {

struct Subscription {
  std::shared_ptr<http::Stream> stream;
  Filter filter;
  std::string credential;             // The stream ends when it is revoked.
  std::vector<std::string> agents;    // Online while it listens ...
  std::vector<std::string> sessions;  // ... but served only these of theirs; none: all ...
  bool serves_all = false;            // ... or all that workers start.
  std::uint64_t after = 0;            // Events after this one.
  bool is_first = false;              // Its reader does not know that place yet and is told.
};

class Broadcast {
 public:
  Broadcast(engine::Engine& engine, Presence& presence) : engine_(engine), presence_(presence) {}

  // Finds its place in the log. Before everything else.
  [[nodiscard]] Result<> open();

  // From any thread, also from within the stream's own callbacks. `limit` if there are too many.
  void add(Subscription subscription);
  [[nodiscard]] std::size_t size() const;

  // What is new goes out. Called by one thread.
  [[nodiscard]] Result<Time> step(Time now);

  // After the last step: all are told that the hub stops, and their streams end.
  void part();

  // What wakes the thread that steps. Before the first `add`.
  void set_hint(std::function<void()> hint) { hint_ = std::move(hint); }
  // Called for an event that some rule wants: it need not look at every commit.
  void set_rules_hint(std::function<void()> hint) { rules_hint_ = std::move(hint); }

 private:
  struct Reader {
    Subscription wish;
    std::uint64_t after = 0;
    bool is_live = false;
    bool is_over = false;
    std::optional<Span> stuck_since = {};  // Since when it takes nothing of what waits for it.
  };

  enum class Progress : std::uint8_t { done, more, stuck };

  [[nodiscard]] Result<> welcome();
  [[nodiscard]] Result<bool> read_new();
  [[nodiscard]] Result<Progress> catch_up_all();
  [[nodiscard]] Result<Progress> catch_up(Reader& reader);
  void give_up_if_stuck(Reader& reader);
  void send(const WireEvent& event);
  void follow(const core::Event& event);
  void beat(Span now);
  void drop_revoked(std::string_view credential);
  void drop_ended();

  engine::Engine& engine_;
  Presence& presence_;
  std::function<void()> hint_;
  std::function<void()> rules_hint_;

  // Only the thread that steps.
  std::vector<std::unique_ptr<Reader>> readers_;
  std::size_t turn_ = 0;  // Whose it is to catch up.
  Span next_beat_{};
  std::uint64_t position_ = 0;  // Of the last event that went out live.

  mutable std::mutex mutex_;
  std::vector<Subscription> fresh_;
  std::size_t count_ = 0;
  bool parted_ = false;
};

}  // namespace tyer::api
