// What all connections of a server share, and what those of one I/O thread do.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/guests.h"
#include "http/loop.h"
#include "http/outbox.h"
#include "http/pool.h"
#include "http/room.h"
#include "http/server.h"
#include "http/wire.h"

namespace tyer::http {

class Session;

// The certificate that new connections get; none if they are plain. Any thread.
class Certificate {
 public:
  explicit Certificate(std::shared_ptr<TlsContext> first) : now_(std::move(first)) {}

  [[nodiscard]] std::shared_ptr<TlsContext> now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void renew(std::shared_ptr<TlsContext> next) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<TlsContext> now_;
};

// For what is still coming: see the limits of the same names.
struct Rooms {
  explicit Rooms(const Limits& limits)
      : strangers(limits.strangers), bodies(limits.bodies), files(limits.files) {}

  Room strangers;
  Room bodies;
  Room files;
};

// What all I/O threads of a server share.
struct Common {
  Common(Handler handler_given, Limits limits_given, std::shared_ptr<TlsContext> tls_given);

  const Handler handler;
  const Limits limits;
  Certificate certificate;
  const Span tick;  // Deadlines are counted in these.
  Pool pool;
  Guests guests;
  Rooms rooms;

  struct Counts {
    std::atomic<std::uint64_t> connections, streams, requests, refused, cut;
  } counts;
};

// What the sessions of one I/O thread share. Only that thread uses it, apart from the
// loop's and the outbox' ways in.
struct Service {
  explicit Service(Common& common);

  const Handler& handler;
  const Limits& limits;
  const Certificate& certificate;
  const Span tick;
  Pool& pool;
  Guests& guests;
  Rooms& rooms;
  Common::Counts& counts;

  Loop loop;
  std::shared_ptr<Outbox> outbox;
  std::string scratch;  // What is read passes through here.

  std::vector<std::shared_ptr<Session>> sessions;
  std::uint64_t ticks = 0;
  bool ticking = false;
  bool stopping = false;

  void add(const std::shared_ptr<Session>& session);
  void remove(Session& session);
  void count_down();  // The next tick.
};

}  // namespace tyer::http
