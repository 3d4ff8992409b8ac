// The streams of a server that have something to be written.

#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "http/loop.h"
#include "http/stream.h"

namespace tyer::http {

class Outbox : public std::enable_shared_from_this<Outbox> {
 public:
  explicit Outbox(Loop& loop) : loop_(&loop) {}

  // Any thread. The loop is woken unless it has been already.
  void add(std::span<const std::shared_ptr<Stream>> streams);

  void close();  // The loop goes; streams may outlive it.

 private:
  void deliver();

  std::mutex mutex_;
  Loop* loop_;
  bool is_posted_ = false;
  std::vector<std::shared_ptr<Stream>> waiting_;
};

}  // namespace tyer::http
