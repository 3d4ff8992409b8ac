// The ear of a worker: what happens at its hub, as it happens (W12).
//
// A connection that breaks is made again, with a pause that grows and some jitter, and goes on
// after the last event that was heard. Whatever it has missed, the worker looks at the queue each
// time it is connected, so nothing depends on it but speed.

#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "env/env.h"
#include "env/fd.h"
#include "lock/desk.h"

namespace tyer::work {

struct Heard {
  std::string type;     // "run_stop_asked", "session_deleted", …; "connected", "more": look.
  std::string session;  // Its id.
  std::string run;
  std::vector<std::string> items;  // Of one that started: ids of what it is to answer.
  std::string why;                 // Of one that finished, with its verdict.
  std::string verdict;
};

class Listener {
 public:
  // `agents`, `sessions`: ids with commas of those that are served; empty: all.
  Listener(env::Env& env, lock::HubAddress hub, std::string agents, std::string sessions);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Readable when there is something to take, or the connection was made (again).
  [[nodiscard]] int fd() const { return news_.get(); }
  [[nodiscard]] std::vector<Heard> take();
  [[nodiscard]] bool is_connected() const;

 private:
  void listen();
  [[nodiscard]] Result<> listen_once(std::string& after);
  void put(const std::vector<Heard>& heard);

  env::Env& env_;
  const lock::HubAddress hub_;
  const std::string agents_;
  const std::string sessions_;
  env::Fd news_;
  env::Fd stop_;
  mutable std::mutex mutex_;
  std::vector<Heard> heard_;
  bool is_connected_ = false;
  std::thread thread_;  // Last: it uses everything above.
};

}  // namespace tyer::work
