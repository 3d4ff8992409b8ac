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
#include "lock/limits.h"

namespace tyer::api {
namespace {

bool is_in(const std::vector<std::string>& wanted, const std::string& id) {
  return wanted.empty() || std::ranges::find(wanted, id) != wanted.end();
}

http::Stream::Chunk line(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

bool has_open_items(const core::View& view, const std::string& session) {
  const auto open = feed::list_open_items(view, session);
  return open && !open->empty();
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
    const bool is_item = draft.type == "item.opened";
    if (!is_item && draft.type != "shift.ended") continue;
    // item/SS/SOURCE, shift/SS/RUN.
    const std::size_t from = draft.key.find('/') + 1;
    const std::string session = draft.key.substr(from, draft.key.find('/', from) - from);
    add(news.sessions, session);
    if (is_item) add(news.given, session);
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
    begin(offered, std::move(stream));
  };
  return response;
}

void Offers::begin(Offer offer, std::shared_ptr<http::Stream> stream) {
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

void Offers::put_back(Called called) {
  const Place place = std::move(called.place);
  // What it was told of is not to come.
  if (called.run.announced) place->stream->send_now(line(json_object({{"soon", false}}) + "\n"));
  const std::lock_guard lock(mutex_);
  if (parted_ || place->stream->is_over()) return place->stream->end();
  all_.push_front(place);
  count_ = all_.size();
}

std::optional<Offers::Called> Offers::try_call(store::Txn& txn, const std::string& session,
                                               bool is_early) {
  const auto subject = txn.subject(feed::key_of("session", session));
  if (!subject || !*subject || (*subject)->status != "active") return std::nullopt;
  const auto its = feed::read_session(**subject);
  const auto lease = txn.lease((*subject)->key);
  const bool is_free = lease && !*lease;
  if (!its || (is_early && !is_free)) return std::nullopt;
  Called called{.session = session};
  Result<> prepared;
  do {
    called.place = take(its->agent, session);
    if (!called.place) return std::nullopt;
    prepared = prepare(txn, called);
    // One whose key was revoked is in nobody's way.
    if (!prepared && prepared.error().fault == Fault::denied) called.place->stream->end();
  } while (!prepared && prepared.error().fault == Fault::denied);
  // If somebody has the session, or it has nothing to do, it is most likely not to be.
  const bool is_likely = is_early || (is_free && has_open_items(txn, session));
  if (prepared && (!is_likely || wake(txn, **subject, called))) return called;
  put_back(std::move(called));
  return std::nullopt;
}

Result<> Offers::prepare(store::Txn& txn, Called& called) {
  const Offer& offer = called.place->offer;
  if (!offer.caller.credential.empty()) {
    TYER_TRY(const core::Subject key, feed::find(txn, "credential", offer.caller.credential));
    if (key.status != "active") return fail(Fault::denied, "its key is not valid any more");
  }
  feed::Begin begin{.session = called.session,
                    .run = uuid7(txn.now(), hub_.engine().env().random.bits()),
                    .grant = offer.grant,
                    .mark = offer.mark};
  begin.grant.holder.run = begin.run;
  // What it said of its clock is of when it began to wait.
  begin.grant.mono.reset();
  TYER_TRY(called.run, make_coming(txn, hub_, std::move(begin)));
  return {};
}

Result<> Offers::wake(store::Txn& txn, const core::Subject& session, Called& called) {
  TYER_TRY(const feed::Session its, feed::read_session(session));
  TYER_TRY(const core::Subject agent, feed::find(txn, "agent", its.agent));
  TYER_TRY(std::string told, announce(called.run, session, agent));
  called.place->stream->send_now(line(std::move(told) + "\n"));
  env::give_way();  // Until it is out of our way.
  return {};
}

std::vector<Offers::Called> Offers::call(store::Txn& txn,
                                         const std::vector<std::string>& sessions) {
  std::vector<Called> all;
  for (const std::string& session : sessions) {
    if (auto called = try_call(txn, session, true)) all.push_back(*std::move(called));
  }
  return all;
}

void Offers::dismiss(std::vector<Called> called) {
  for (Called& one : called) put_back(std::move(one));
}

bool Offers::try_give(store::Txn& txn, const Called& called) {
  bool is_given = false;
  // Whatever is wrong with it, the request that it comes with goes on.
  const Result<> tried = txn.attempt([&]() -> Result<> {
    TYER_TRY(BegunRun begun, begin_in(txn, hub_, called.run));
    if (!begun.is_begun) return {};
    is_given = called.place->stream->send_now(line(std::move(begun.answer) + "\n"));
    if (is_given) return {};
    return fail(Fault::unavailable, "who waited here has gone");
  });
  return tried && is_given;
}

std::vector<Offers::Gift> Offers::give(store::Txn& txn, const std::vector<std::string>& sessions,
                                       std::vector<Called> called) {
  std::vector<Gift> gifts;
  const auto give_one = [&](Called one) {
    if (!try_give(txn, one)) return put_back(std::move(one));
    gifts.push_back({one.place->stream, line(json_object({{"go", one.run.begin.run}}) + "\n")});
  };
  std::vector<std::string> done;
  for (Called& one : called) {
    done.push_back(one.session);
    give_one(std::move(one));
  }
  // One by one: who is not needed for one session is there for the next.
  for (const std::string& session : sessions) {
    if (std::ranges::find(done, session) != done.end()) continue;
    if (auto one = try_call(txn, session, false)) give_one(*std::move(one));
  }
  return gifts;
}

void Offers::tell(const std::vector<Gift>& gifts, bool is_committed) {
  for (const Gift& gift : gifts) {
    if (is_committed) gift.stream->send_now(gift.go);
    gift.stream->end();
  }
  // They come before whatever else there is to do for the request.
  if (!gifts.empty()) env::give_way();
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
