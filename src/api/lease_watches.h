// Those who keep leases and want to know when one of them ends: a line then, and the end of the
// answer. Whoever comes after the end is told at once.

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/event.h"
#include "engine/engine.h"
#include "http/stream.h"

namespace tyer::api {

struct WatchedLeases {
  std::vector<std::string> names;     // Of locks.
  std::vector<std::uint64_t> tokens;  // For each, the one it is held with.
  std::string credential;             // The stream ends when it is revoked.
};

class LeaseWatches {
 public:
  explicit LeaseWatches(engine::Engine& engine) : engine_(engine) {}

  // From any thread.
  void add(WatchedLeases leases, std::shared_ptr<http::Stream> stream);
  [[nodiscard]] std::size_t size() const;

  // Tells those that the new events `page` are about, and who has come too late. By one thread.
  [[nodiscard]] Result<> step(const std::vector<core::Event>& page);

  // All streams end; those who come later, too.
  void part();

 private:
  struct Watching {
    WatchedLeases leases;
    std::shared_ptr<http::Stream> stream;
    bool is_new = true;
  };

  [[nodiscard]] Result<bool> has_changed(const WatchedLeases& leases);
  [[nodiscard]] bool must_beat();

  engine::Engine& engine_;
  mutable std::mutex mutex_;
  std::vector<Watching> all_;
  bool parted_ = false;
  Span next_beat_{};
};

// Whether one of the events is about the lock or the queue of one of `names`.
[[nodiscard]] bool is_about(const std::vector<core::Event>& page,
                            const std::vector<std::string>& names);
[[nodiscard]] bool is_revoked(const std::vector<core::Event>& page, const std::string& credential);

}  // namespace tyer::api
