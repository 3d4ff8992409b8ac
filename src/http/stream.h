// An answer that goes on: a stream of events to one reader.
//
// All methods may be called from any thread and none blocks. What is sent
// together leaves together: an I/O thread is woken once for all streams that
// got something since it last looked.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "env/fd.h"

namespace tyer::http {

class Outbox;
class Session;

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  using Chunk = std::shared_ptr<const std::string>;  // One text for a thousand streams.

  Stream(std::shared_ptr<Outbox> outbox, std::size_t pending_max);

  // False: the stream is over. If more than `Limits::stream_pending` bytes
  // would wait, the reader is too slow: what waits is dropped, the farewell is
  // sent if it still can be, and the stream is cut. A chunk is sent whole or,
  // apart from one that a cut hits halfway, not at all.
  bool send(const Chunk& chunk);
  static void send_all(std::span<const std::shared_ptr<Stream>> streams, const Chunk& chunk);

  // As `send`, but by the caller itself where that can be: the I/O thread need not wake for it. For
  // streams that have asked for it with `prefer_now`, in the function that they are given to. Their
  // readers are few, and may have `pending_max` bytes waiting.
  bool send_now(const Chunk& chunk);
  void prefer_now(std::size_t pending_max);

  // The last words when the stream is cut or the server stops.
  void set_farewell(Chunk chunk);
  void end();  // After what is pending.

  // Called once, in the I/O thread, however it ends; at once if it is over.
  void on_close(std::function<void()> then);

  [[nodiscard]] bool is_over() const;         // Nothing can be sent any more.
  [[nodiscard]] std::size_t pending() const;  // Bytes that the system has not taken yet.

 private:
  friend class Outbox;
  friend class Session;

  enum class Phase : std::uint8_t { open, ending, cut, over };

  // For the session, in the I/O thread.
  Phase take(std::string& into, bool chunked);  // All that is pending.
  void written();                               // What was taken is.
  void part();                                  // The farewell, and the end.
  void close();

  // `is_new`: the I/O thread does not know yet that there is something.
  [[nodiscard]] bool put(const Chunk& chunk, bool& is_new);
  // False: it is for the I/O thread. Under the lock.
  [[nodiscard]] bool write_now(const Chunk& chunk);
  void wake();
  void add(const Chunk& chunk);

  const std::shared_ptr<Outbox> outbox_;
  std::size_t pending_max_;
  Session* session_ = nullptr;  // Only the I/O thread looks.

  mutable std::mutex mutex_;
  Phase phase_ = Phase::open;
  env::Fd now_;             // The connection, for `send_now`; none if it is not ours to write.
  bool has_begun_ = false;  // The head of the answer is written.
  bool is_posted_ = false;  // The I/O thread knows of it.
  std::string half_;        // What is left of a chunk that was sent now, framed; before the queue.
  std::vector<Chunk> queue_;
  std::size_t queued_ = 0;  // Bytes in both.
  std::size_t taken_ = 0;   // Bytes that the session is writing.
  Chunk farewell_;
  std::vector<std::function<void()>> closers_;
};

}  // namespace tyer::http
