#include "work/listener.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "base/json_fields.h"
#include "core/key.h"
#include "env/wait_readable.h"
#include "http/client.h"
#include "http/event_stream.h"
#include "work/limits.h"

namespace tyer::work {
namespace {

Heard read_heard(const JsonFields& data) {
  Heard heard{.type = data.text("event"),
              .session = data.text("session_id"),
              .run = data.text("run"),
              .items = data.texts("items"),
              .why = data.text("why"),
              .verdict = data.text("verdict")};
  // Else it would look like any that did well.
  if (heard.why.empty() && heard.verdict == "done" && data.has("answered") &&
      !data.flag("answered")) {
    heard.why = "it ended without an answer";
  }
  const std::string id = data.text("id");
  if (heard.session.empty() && id.starts_with("ss_")) heard.session = id;
  return heard;
}

}  // namespace

Listener::Listener(env::Env& env, lock::HubAddress hub, std::string agents, std::string sessions)
    : env_(env),
      hub_(std::move(hub)),
      agents_(std::move(agents)),
      sessions_(std::move(sessions)),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { listen(); }) {}

Listener::~Listener() {
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::vector<Heard> Listener::take() {
  eventfd_t count = 0;
  (void)::eventfd_read(news_.get(), &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(heard_, {});
}

bool Listener::is_connected() const {
  const std::lock_guard lock(mutex_);
  return is_connected_;
}

void Listener::put(const std::vector<Heard>& heard) {
  {
    const std::lock_guard lock(mutex_);
    for (const Heard& one : heard) {
      // More than this is not worth remembering: the queue says what there is to do.
      if (heard_.size() == limits::heard_max) heard_.pop_back();
      heard_.push_back(heard_.size() + 1 == limits::heard_max ? Heard{.type = "more"} : one);
    }
  }
  ::eventfd_write(news_.get(), 1);
}

Result<> Listener::listen_once(std::string& after) {
  TYER_TRY(auto client, http::Client::make(hub_.url));
  http::Request request{.method = "GET",
                        .target = "/api/events/stream?worker=true&topics=item,session,run,agent",
                        .headers = {{"Accept", "text/event-stream"}}};
  if (!agents_.empty()) request.target += "&agents=" + agents_;
  if (!sessions_.empty()) request.target += "&sessions=" + sessions_;
  if (!after.empty()) request.headers.push_back({"Last-Event-ID", after});
  if (!hub_.key.empty()) request.headers.push_back({"Authorization", "Bearer " + hub_.key});
  http::EventReader reader;
  Result<> trouble;
  TYER_TRY_OK(client.stream(request, limits::stream_silence, stop_.get(),
                            [&](int status, std::string_view text) {
                              if (status != 200) {
                                trouble = fail(Fault::unavailable, "the stream was refused");
                                return false;
                              }
                              {
                                const std::lock_guard lock(mutex_);
                                is_connected_ = true;
                              }
                              const auto events = reader.feed(text);
                              if (!events) {
                                trouble = std::unexpected(events.error());
                                return false;
                              }
                              std::vector<Heard> heard;
                              for (const http::ServerEvent& event : *events) {
                                if (!event.id.empty()) after = event.id;
                                const auto data = JsonFields::read(event.data);
                                if (data) heard.push_back(read_heard(*data));
                              }
                              // The first time there is nothing: the connection is there.
                              if (text.empty()) heard.push_back({.type = "connected"});
                              if (!heard.empty()) put(heard);
                              return true;
                            }));
  return trouble;
}

void Listener::listen() {
  std::string after;
  Span pause = limits::reconnect_first;
  while (true) {
    const Span began = env_.clock.mono();
    (void)listen_once(after);
    {
      const std::lock_guard lock(mutex_);
      is_connected_ = false;
    }
    if (env_.clock.mono() - began > limits::reconnect_most) pause = limits::reconnect_first;
    const Span jitter = pause * env_.random.bits()[0] / 255 / 2;
    const auto over = env::wait_readable(stop_.get(), pause + jitter);
    if (!over || *over) return;
    pause = std::min(2 * pause, limits::reconnect_most);
  }
}

}  // namespace tyer::work
