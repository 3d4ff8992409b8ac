#include "api/offers.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/hub.h"
#include "api/limits.h"
#include "api/run_begin.h"
#include "base/id.h"
#include "base/json_text.h"
#include "env/processor.h"
#include "feed/kinds.h"
#include "feed/records.h"

namespace tyer::api {
namespace {

bool is_in(const std::vector<std::string>& wanted, const std::string& id) {
  return wanted.empty() || std::ranges::find(wanted, id) != wanted.end();
}

http::Stream::Chunk line(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

std::vector<std::string> sessions_with_news(const core::Change& change) {
  std::vector<std::string> sessions;
  for (const core::Draft& draft : change.events) {
    if (draft.type != "item.opened" && draft.type != "shift.ended") continue;
    // item/SS/SOURCE, shift/SS/RUN.
    const std::size_t from = draft.key.find('/') + 1;
    const std::string session = draft.key.substr(from, draft.key.find('/', from) - from);
    if (std::ranges::find(sessions, session) == sessions.end()) sessions.push_back(session);
  }
  return sessions;
}

Result<http::Response> Offers::add(Offer offer) {
  {
    const std::lock_guard lock(mutex_);
    if (parted_) return fail(Fault::unavailable, "the hub is stopping");
    if (all_.size() >= limits::offers_max) {
      return fail(Fault::limit, fmt::format("{} offer to work already", all_.size()));
    }
  }
  http::Response response{.headers = {{"content-type", "application/x-ndjson"},
                                      {"cache-control", "no-cache, no-transform"},
                                      {"x-accel-buffering", "no"}}};
  response.stream = [this, offered = std::move(offer)](std::shared_ptr<http::Stream> stream) {
    begin(offered, std::move(stream));
  };
  return response;
}

void Offers::begin(Offer offer, std::shared_ptr<http::Stream> stream) {
  const auto place = std::make_shared<const Standing>(Standing{std::move(offer), stream});
  stream->prefer_now();
  {
    const std::lock_guard lock(mutex_);
    if (parted_) return stream->end();
    all_.push_back(place);
    count_ = all_.size();
  }
  // Not while we hold the lock: it may be over already.
  stream->on_close([this, gone = std::weak_ptr(place)] {
    const Place which = gone.lock();
    const std::lock_guard lock(mutex_);
    if (which) std::erase(all_, which);
    count_ = all_.size();
  });
}

void Offers::drop(const std::function<bool(const core::Holder&)>& is_its) {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](const Place& place) {
    if (!is_its(place->offer.grant.holder)) return false;
    place->stream->end();
    return true;
  });
  count_ = all_.size();
}

Offers::Place Offers::take(const std::string& agent, const std::string& session) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(all_, [&](const Place& place) {
    return is_in(place->offer.agents, agent) && is_in(place->offer.sessions, session) &&
           !place->stream->is_over();
  });
  if (found == all_.end()) return nullptr;
  Place place = *found;
  all_.erase(found);
  count_ = all_.size();
  return place;
}

void Offers::put_back(Place place) {
  const std::lock_guard lock(mutex_);
  if (parted_ || place->stream->is_over()) return place->stream->end();
  all_.push_front(std::move(place));
  count_ = all_.size();
}

Result<std::string> Offers::try_give(store::Txn& txn, const Offer& offer,
                                     const std::string& session, const std::string& run) {
  if (!offer.caller.credential.empty()) {
    TYER_TRY(const core::Subject key, feed::find(txn, "credential", offer.caller.credential));
    if (key.status != "active") return "";
  }
  feed::Begin begin{.session = session, .run = run, .grant = offer.grant};
  begin.grant.holder.run = run;
  // What it said of its clock is of when it began to wait.
  begin.grant.mono.reset();
  TYER_TRY(BegunRun begun, begin_in(txn, hub_, offer.caller.actor, std::move(begin)));
  if (!begun.is_begun) return "";
  return std::move(begun.answer) + "\n";
}

std::vector<Offers::Gift> Offers::give(store::Txn& txn, const std::vector<std::string>& sessions) {
  std::vector<Gift> gifts;
  for (const std::string& session : sessions) {
    const auto subject = txn.subject(feed::key_of("session", session));
    if (!subject || !*subject || (*subject)->status != "active") continue;
    const auto whose = feed::read_session(**subject);
    if (!whose) continue;
    const Place place = take(whose->agent, session);
    if (!place) continue;
    const std::string run = uuid7(txn.now(), hub_.engine().env().random.bits());
    announce(txn, **subject, run, *place->stream);
    std::string told;
    // Whatever is wrong with it, the request that it comes with goes on.
    const Result<> tried = txn.attempt([&]() -> Result<> {
      TYER_TRY(told, try_give(txn, place->offer, session, run));
      return {};
    });
    if (tried && !told.empty()) {
      place->stream->send_now(line(std::move(told)));
      gifts.push_back({place->stream, line(json_object({{"go", run}}) + "\n")});
    } else {
      put_back(place);
    }
  }
  return gifts;
}

// While we decide it, it can wake. If somebody has the session, it is most likely not to be.
void Offers::announce(store::Txn& txn, const core::Subject& session, const std::string& run,
                      http::Stream& stream) {
  const auto lease = txn.lease(session.key);
  if (!lease || *lease) return;
  stream.send_now(line(json_object({{"soon", true}, {"run", run}}) + "\n"));
  env::give_way();  // Until it is out of our way.
}

void Offers::tell(const std::vector<Gift>& gifts, bool is_committed) {
  for (const Gift& gift : gifts) {
    if (is_committed) gift.stream->send_now(gift.go);
    gift.stream->end();
  }
}

void Offers::beat() {
  const Span now = hub_.engine().env().clock.mono();
  std::vector<std::shared_ptr<http::Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    if (now < next_beat_) return;
    next_beat_ = now + limits::stream_beat_every;
    for (const Place& place : all_) streams.push_back(place->stream);
  }
  http::Stream::send_all(streams, std::make_shared<const std::string>("{}\n"));
}

void Offers::part() {
  std::list<Place> all;
  {
    const std::lock_guard lock(mutex_);
    parted_ = true;
    all.swap(all_);
    count_ = 0;
  }
  for (const Place& place : all) place->stream->end();
}

}  // namespace tyer::api
