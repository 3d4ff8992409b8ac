// Event streams that are read, and requests without a pause: what the hub and its peers are put
// under.

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "http_client.h"

namespace tyer::bench {

// Readers of one server's event streams.
class Streams {
 public:
  Streams(int port, std::string path) : connections_(port), path_(std::move(path)) {}

  // So many more, each of which was welcomed.
  [[nodiscard]] Result<> open(std::size_t count) {
    const std::string wish = request_text(connections_.port(), "GET", path_);
    while (count > 0) {
      const std::size_t before = connections_.size();
      const std::size_t some = std::min(count, at_once);
      for (std::size_t i = 0; i < some; ++i) {
        TYER_TRY_OK(connections_.add());
        TYER_TRY_OK(connections_.send(before + i, wish));
      }
      TYER_TRY_OK(wait_for(": welcome", before));
      count -= some;
    }
    return {};
  }

  // Until every stream has had this text; the last of them makes it true.
  [[nodiscard]] Result<> wait_for(const std::string& text, std::size_t first = 0) {
    std::vector<bool> seen(connections_.size(), false);
    std::size_t left = seen.size() - first;
    while (left > 0) {
      TYER_TRY(
          const bool some,
          connections_.turn(answer_millis_max, [&](std::size_t which, std::string& in) -> Result<> {
            if (which < first || seen[which]) {
              in.clear();
            } else if (in.contains(text)) {
              last_ = in;
              in.clear();
              seen[which] = true;
              --left;
            }
            return {};
          }));
      if (!some) return fail(Fault::timeout, fmt::format("{} streams got no event", left));
    }
    return {};
  }

  // What is still under way from before should not be in the next measurement.
  [[nodiscard]] Result<> drain() {
    bool some = true;
    while (some) {
      TYER_TRY(some, connections_.turn(quiet_millis, [](std::size_t, std::string& in) -> Result<> {
        in.clear();
        return {};
      }));
    }
    return {};
  }

  // What the last one had got when it was seen.
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  static constexpr std::size_t at_once = 100;  // As many as wait for a welcome.
  static constexpr int quiet_millis = 20;

  Connections connections_;
  const std::string path_;
  std::string last_;
};

// Connections that ask the same again as soon as they are answered.
class Load {
 public:
  Load(int port, std::string_view method, const std::string& path, std::string_view body = {})
      : connections_(port), request_(request_text(port, method, path, body)) {}

  [[nodiscard]] Result<> open(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) TYER_TRY_OK(connections_.add());
    return {};
  }

  // How many answers there were in about `span`. All are answered when it ends.
  [[nodiscard]] Result<std::uint64_t> run(const env::Clock& clock, Span span) {
    std::uint64_t answers = 0;
    std::size_t open = connections_.size();
    for (std::size_t i = 0; i < open; ++i) TYER_TRY_OK(connections_.send(i, request_));
    const Span end = clock.mono() + span;
    while (open > 0) {
      const bool is_over = clock.mono() >= end;
      TYER_TRY(
          const bool some,
          connections_.turn(answer_millis_max, [&](std::size_t which, std::string& in) -> Result<> {
            const auto answer = read_answer(in);
            if (!answer) return {};
            if (answer->status / 100 != 2) return fail(Fault::unavailable, in);
            in.erase(0, answer->end);
            ++answers;
            if (!is_over) return connections_.send(which, request_);
            --open;
            return {};
          }));
      if (!some) return fail(Fault::timeout, "there are no answers");
    }
    return answers;
  }

 private:
  Connections connections_;
  const std::string request_;
};

}  // namespace tyer::bench
