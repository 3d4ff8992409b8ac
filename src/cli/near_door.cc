// A door to a hub in this process, on the local store.

#include <algorithm>

#include "api/hub.h"
#include "api/wire_event.h"
#include "base/json.h"
#include "cli/door.h"
#include "cli/limits.h"
#include "engine/pump.h"

namespace tyer::cli {
namespace {

class NearDoor : public Door {
 public:
  NearDoor(World& world, Settings settings, std::string key, std::unique_ptr<store::Store> store)
      : Door(world, std::move(settings), std::move(key)),
        store_(std::move(store)),
        engine_(world.env, *store_, world.catalog),
        hub_(engine_, log_, {.open = true, .rules = Door::settings().rules}, nullptr) {}

  Tried<std::string> position(const StopSignals&) override {
    core::Head head;
    TYER_TRY_OK(store_->read([&](const core::View& view) -> Result<> {
      TYER_TRY(head, view.head());
      return {};
    }));
    return api::event_id(head.seq);
  }

  Tried<> follow(const Query& filter, const std::string& after, const StopSignals& stop,
                 const Sink& sink) override {
    TYER_TRY(const auto watch, store_->watch());
    Query query = filter;
    query.emplace_back("limit", std::to_string(limits::hub_page_rows));
    query.emplace_back("cursor", after);
    while (true) {
      TYER_TRY(const Json page, ask("GET", "/api/events", query));
      for (const Json& event : page["data"]) {
        if (!sink(event)) return {};
        query.back().second = text_or(event, "event_id");
      }
      TYER_TRY_OK(world().output.flush());
      if (stop.arrived() || world().output.closed()) return {};
      if (const std::string next = text_or(page, "next_cursor"); !next.empty()) {
        query.back().second = next;
      } else {
        TYER_TRY_OK(watch->wait(limits::follow_every));
      }
    }
  }

 protected:
  Tried<Answered> send(const Asked& asked) override {
    http::Request request{.method = asked.method,
                          .path = asked.path,
                          .query = asked.query,
                          .body = asked.body,
                          .peer = "here:0"};
    if (!key().empty()) request.headers.push_back({"authorization", "Bearer " + key()});
    http::Response response = hub_.handle(request);
    // Perhaps no hub serves this store, whose rules would deal with what was written.
    if (asked.method != "GET") engine::drain(engine_);
    return Answered{response.status, std::move(response.body)};
  }

 private:
  const std::unique_ptr<store::Store> store_;
  const Log log_;  // What went wrong is in the answer.
  engine::Engine engine_;
  api::Hub hub_;
};

}  // namespace

Tried<std::unique_ptr<Door>> make_near_door(World& world, Settings settings, std::string key,
                                            Access access) {
  TYER_TRY(auto store, open_store(world, settings, access));
  return std::make_unique<NearDoor>(world, std::move(settings), std::move(key), std::move(store));
}

}  // namespace tyer::cli
