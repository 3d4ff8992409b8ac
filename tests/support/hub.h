// A real hub for tests: `tyer serve` on loopback, visitors that ask it, and listeners to its
// streams.

#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json_fwd.h"
#include "env/fd.h"
#include "http/client.h"
#include "http/event_stream.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace tyer::testing {

struct Reply {
  int status = 0;  // 0: there was none.
  std::vector<http::Header> headers;
  std::string body;

  [[nodiscard]] Json json() const;  // Null if it is none.
  [[nodiscard]] std::string header(std::string_view name) const;
  // A text of the answer, "" if it has none of that name.
  [[nodiscard]] std::string text(const char* name) const;
};

// One who asks a hub, on a connection of its own.
class Visitor {
 public:
  explicit Visitor(const std::string& url);

  // From now on every request carries this.
  Visitor& with(const std::string& name, const std::string& value) &;
  Visitor with(const std::string& name, const std::string& value) &&;
  Visitor as(const std::string& key) && {
    return std::move(*this).with("Authorization", "Bearer " + key);
  }
  // The same one, on a connection of its own.
  [[nodiscard]] Visitor again() const;

  [[nodiscard]] Reply ask(const std::string& method, const std::string& path,
                          const std::string& body = "");
  [[nodiscard]] Reply get(const std::string& path) { return ask("GET", path); }
  [[nodiscard]] Reply post(const std::string& path, const Json& body);
  [[nodiscard]] Reply patch(const std::string& path, const Json& body);

  // The id of what was made. Fails the test if it was not.
  std::string make(const std::string& path, const Json& body);

  [[nodiscard]] const std::map<std::string, std::string>& headers() const { return headers_; }

 private:
  std::string url_;
  http::Client client_;
  std::map<std::string, std::string> headers_;
};

// Reads a stream of events in a thread of its own until it goes, or the stream does.
class Listener {
 public:
  // Returns when the stream is open, or refused.
  Listener(const std::string& url, const std::string& path,
           const std::map<std::string, std::string>& headers = {});
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] int status();

  // All events so far, once one of them is as wanted or the stream has ended. Fails the test
  // after a minute.
  using Wanted = std::function<bool(const http::ServerEvent&)>;
  std::vector<http::ServerEvent> until(const Wanted& wanted);
  std::vector<http::ServerEvent> until(const std::string& event);
  std::vector<http::ServerEvent> until_end();

 private:
  void read(const std::string& url, const std::string& path,
            const std::map<std::string, std::string>& headers);
  bool take(int status, std::string_view text);

  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  bool is_over_ = false;
  std::vector<http::ServerEvent> events_;
  http::EventReader reader_;
  env::Fd stop_read_;
  env::Fd stop_write_;
  std::thread thread_;  // Last: it uses everything above.
};

// Where hubs keep what they know: "sqlite" in a directory, "postgres" in a database.
class HubPlace {
 public:
  explicit HubPlace(const std::string& backend);

  // `tyer serve` with these options, as it is called.
  [[nodiscard]] ProgramCall call(std::vector<std::string> options) const;
  [[nodiscard]] const TempDir& dir() const { return dir_; }

 private:
  TempDir dir_;
  std::string store_;
};

// The backends that hubs are tested on.
[[nodiscard]] const std::vector<std::string>& hub_backends();

// A hub that runs. It is killed when this goes.
class RunningHub {
 public:
  explicit RunningHub(const HubPlace& place, std::vector<std::string> options = {},
                      const std::string& listen = "127.0.0.1:0");

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::string address() const { return url_.substr(sizeof("http://") - 1); }
  [[nodiscard]] int port() const;
  [[nodiscard]] int pid() const { return program_->pid(); }
  // What it printed for the first visit; "" if nothing.
  [[nodiscard]] const std::string& setup_code() const { return setup_code_; }

  [[nodiscard]] Visitor visitor() const { return Visitor(url_); }
  // The password is set, and this is who set it.
  [[nodiscard]] Visitor admin() const;

  void signal(int number) const { program_->signal(number); }
  void kill();                         // -9, and it is gone.
  [[nodiscard]] ProgramResult stop();  // SIGTERM, and how it ended.

 private:
  std::unique_ptr<Program> program_;
  std::string url_;
  std::string setup_code_;
};

inline constexpr const char* hub_password = "correct horse battery";

}  // namespace tyer::testing
