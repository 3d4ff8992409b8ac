// Stands between a worker and its hub, and changes what the hub says.

#pragma once

#include <functional>
#include <list>
#include <string>
#include <thread>

#include "env/fd.h"

namespace tyer::testing {

class HubRelay {
 public:
  // Called with all that came at once; what it makes of it must be as long.
  using Change = std::function<void(std::string& said)>;

  HubRelay(int port, Change change);
  ~HubRelay();
  HubRelay(const HubRelay&) = delete;
  HubRelay& operator=(const HubRelay&) = delete;

  [[nodiscard]] std::string url() const;

 private:
  struct Line {
    env::Fd worker;
    env::Fd hub;
  };

  void relay();
  [[nodiscard]] bool pass_on(const env::Fd& from, const env::Fd& to, const Change& change) const;

  const int port_;
  const Change change_;
  const env::Fd listener_;
  const env::Fd stop_;
  std::thread thread_;  // Last: it uses everything above.
};

}  // namespace tyer::testing
