#include "api/offers.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/hub.h"
#include "api/limits.h"
#include "api/run_begin.h"
#include "base/id.h"
#include "base/json_text.h"
#include "feed/kinds.h"
#include "feed/records.h"
#include "lock/limits.h"

namespace tyer::api {
namespace {

bool is_in(const std::vector<std::string>& wanted, const std::string& id) {
  return wanted.empty() || std::ranges::find(wanted, id) != wanted.end();
}

http::Stream::Chunk line(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

News find_news(const core::Change& change) {
  News news;
  const auto add = [](std::vector<std::string>& all, const std::string& id) {
    if (std::ranges::find(all, id) == all.end()) all.push_back(id);
  };
  for (const core::Draft& draft : change.events) {
    if (draft.type == "credential.revoked")
      add(news.revoked, draft.key.substr(draft.key.find('/') + 1));
    if (draft.type != "item.opened" && draft.type != "shift.ended") continue;
    // item/SS/SOURCE, shift/SS/RUN.
    const std::size_t from = draft.key.find('/') + 1;
    add(news.sessions, draft.key.substr(from, draft.key.find('/', from) - from));
  }
  return news;
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
    open(offered, std::move(stream));
  };
  return response;
}

void Offers::open(Offer offer, std::shared_ptr<http::Stream> stream) {
  const auto place = std::make_shared<const Standing>(Standing{std::move(offer), stream});
  stream->prefer_now(limits::hub_answer_bytes_max);
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

void Offers::drop(const std::function<bool(const Offer&)>& is_meant) {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](const Place& place) {
    if (!is_meant(place->offer)) return false;
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

void Offers::put_back(const Place& place) {
  const std::lock_guard lock(mutex_);
  if (parted_ || place->stream->is_over()) return place->stream->end();
  all_.push_front(place);
  count_ = all_.size();
}

Result<std::string> Offers::begin(store::Txn& txn, const std::string& session, const Offer& offer) {
  if (!offer.caller.credential.empty()) {
    TYER_TRY(const core::Subject key, feed::find(txn, "credential", offer.caller.credential));
    if (key.status != "active") return fail(Fault::denied, "its key is not valid any more");
  }
  feed::Begin begin{.session = session,
                    .run = uuid7(txn.now(), hub_.engine().env().random.bits()),
                    .grant = offer.grant,
                    .mark = offer.mark};
  begin.grant.holder.run = begin.run;
  // What it said of its clock is of when it began to wait.
  begin.grant.mono.reset();
  std::string told;
  // Whatever is wrong with it, the request that it comes with goes on.
  TYER_TRY_OK(txn.attempt([&]() -> Result<> {
    TYER_TRY(BegunRun begun, begin_in(txn, hub_, std::move(begin)));
    if (begun.is_begun) told = std::move(begun.answer);
    return {};
  }));
  return told;
}

std::optional<Offers::Gift> Offers::give_one(store::Txn& txn, const feed::Session& its) {
  while (const Place place = take(its.agent, its.id)) {
    auto told = begin(txn, its.id, place->offer);
    if (told && !told->empty()) return Gift{place->stream, line(*std::move(told) + "\n")};
    // One whose key was revoked is in nobody's way.
    const bool is_revoked = !told && told.error().fault == Fault::denied;
    if (!is_revoked) {
      put_back(place);
      break;
    }
    place->stream->end();
  }
  return std::nullopt;
}

std::vector<Offers::Gift> Offers::give(store::Txn& txn, const std::vector<std::string>& sessions) {
  std::vector<Gift> gifts;
  for (const std::string& id : sessions) {
    const auto session = txn.subject(feed::key_of("session", id));
    if (!session || !*session || (*session)->status != "active") continue;
    const auto its = feed::read_session(**session);
    if (!its) continue;
    if (auto gift = give_one(txn, *its)) gifts.push_back(*std::move(gift));
  }
  return gifts;
}

void Offers::tell(const std::vector<Gift>& gifts, bool is_committed) {
  for (const Gift& gift : gifts) {
    if (is_committed) gift.stream->send_now(gift.begun);
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
  http::Stream::send_all(streams, line("{}\n"));
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
