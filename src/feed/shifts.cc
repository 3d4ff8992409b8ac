#include "feed/shifts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/limits.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/past_runs.h"
#include "feed/tally.h"

namespace tyer::feed {
namespace {

// While a run of a deleted session goes on, what that session had is still for it to answer.
Result<bool> is_being_answered(const core::View& view, const Item& item) {
  if (item.moved_from.empty()) return false;
  TYER_TRY(const auto lease, view.lease(key_of("session", item.moved_from)));
  return lease.has_value();
}

// What the session may take now.
Result<std::vector<Item>> list_takable(const core::View& view, const std::string& session) {
  std::vector<Item> takable;
  TYER_TRY(std::vector<Item> open, list_open_items(view, session));
  for (Item& item : open) {
    TYER_TRY(const bool is_taken, is_being_answered(view, item));
    if (!is_taken) takable.push_back(std::move(item));
  }
  return takable;
}

std::string describe_holder(const core::Lease& lease) {
  return fmt::format("run {} has the session: pid {} on {}", printable(lease.holder.run, 60),
                     lease.holder.pid, printable(lease.holder.place.host, 100));
}

// Whether a run may begin because of it. `all`: somebody looks at it anew.
bool wakes(const Item& item, bool all) {
  return !item.rests || (all && !item.asks);
}

bool has_to_wait(const Session& session, Time now) {
  return session.not_before && now < *session.not_before;
}

// Takes out of `open` what comes first: the oldest that wakes, and those behind it in the same
// thread. What rests there comes along; what rests elsewhere is passed over.
std::vector<Item> take_first(std::vector<Item>& open, bool all) {
  const auto first = std::ranges::find_if(open, [&](const Item& item) { return wakes(item, all); });
  std::vector<Item> taken;
  if (first == open.end()) return taken;
  const std::string post = first->post;
  for (auto it = open.begin(); it != open.end() && taken.size() < limits::shift_items_max;) {
    const bool is_there = it->post == post;
    if (!is_there && wakes(*it, all)) break;
    if (is_there) taken.push_back(std::move(*it));
    it = is_there ? open.erase(it) : std::next(it);
  }
  return taken;
}

// What is new has what failed elsewhere tried once more, after it.
void wake_resting(const std::vector<Item>& left, Begun& begun) {
  if (std::ranges::none_of(begun.items, [](const Item& item) { return item.wakes == 0; })) return;
  for (const Item& item : left) {
    if (!item.rests) continue;
    begun.change.events.push_back({item.key, "item.rested", json_object({{"rests", false}})});
  }
}

// Takes items for the run, until there are some that are not given up.
Result<> take_items(const core::View& view, const Begin& begin, std::vector<Item> open,
                    const limits::FeedRules& rules, Begun& begun, Time now) {
  for (std::size_t i = 0; i < limits::shift_looks_max; ++i) {
    const std::vector<Item> first = take_first(open, begin.all);
    if (first.empty()) return {};
    Wake wake{.session = begin.session, .run = begin.run};
    for (const Item& item : first) wake.sources.push_back(item.source);
    TYER_TRY(Woken woken, decide_wake(view, wake, rules, now));
    std::ranges::move(woken.change.events, std::back_inserter(begun.change.events));
    for (const std::string& taken : woken.taken) {
      begun.items.push_back(*std::ranges::find(first, taken, &Item::source));
    }
    if (begun.items.empty()) continue;
    wake_resting(open, begun);
    return {};
  }
  return {};
}

core::Draft start_shift(const Begin& begin, const Begun& begun, const std::string& agent,
                        Time now) {
  const Item& first = begun.items.front();
  std::vector<std::string> sources;
  for (const Item& item : begun.items) sources.push_back(item.source);
  return {shift_key(begin.session, begin.run), "shift.started",
          json_object({{"parent", key_of("session", begin.session)},
                       {"session_id", begin.session},
                       {"agent_id", agent},
                       {"run", begin.run},
                       {"post_id", first.post},
                       {"feed_id", first.feed},
                       {"items", sources},
                       {"credential", begin.credential.id},
                       {"host", begin.grant.holder.place.host},
                       {"boot", begin.grant.holder.place.boot},
                       {"namespace", begin.grant.holder.place.pid_namespace},
                       {"pid", begin.grant.holder.pid},
                       {"pid_start", begin.grant.holder.pid_start},
                       {"mark", begin.mark},
                       {"started_at", format_time(now)}})};
}

// It works on an answer for as long as it may hold its lease.
core::Draft start_typing(const Begin& begin, const Begun& begun, const Agent& agent, Time now) {
  const Item& first = begun.items.front();
  return {key_of("thread", first.post), "thread.typing",
          json_object({{"feed_id", first.feed},
                       {"post_id", first.post},
                       {"agent_id", agent.id},
                       {"author_name", agent.name},
                       {"session_id", begin.session},
                       {"typing", agent.id},
                       {"due_at", to_micros(now + begin.grant.hold_max)}})};
}

Json trouble_body(const std::string& session, const std::string& source, const std::string& text) {
  return {{"trouble", text},
          {"troubled_session", session},
          {"notice",
           {{"session_id", session}, {"source_id", source}, {"text", text}, {"unread", true}}}};
}

// What a thread knows once it was told that the session may do no more today.
std::string word_for(const std::string& session, const Spent& spent, Time now) {
  return fmt::format("{} {} {}", day_of(now), session, spent.limit);
}

struct Untold {
  Item item;                      // The first there that a run would begin for.
  std::vector<std::string> told;  // What its thread was told today.
};

// Threads that wait for the session and were not told yet.
Result<std::vector<Untold>> list_untold(const core::View& view, const std::vector<Item>& open,
                                        bool all, const std::string& word) {
  std::vector<Untold> untold;
  std::set<std::string> seen;
  for (const Item& item : open) {
    if (untold.size() == limits::budget_threads_max) break;
    if (!wakes(item, all) || !seen.insert(item.post).second) continue;
    TYER_TRY(const auto subject, view.subject(key_of("thread", item.post)));
    if (!subject || subject->status == "closed") continue;
    TYER_TRY(const Thread thread, read_thread(*subject));
    if (std::ranges::find(thread.spent, word) == thread.spent.end()) {
      untold.push_back({item, thread.spent});
    }
  }
  return untold;
}

core::Draft tell_thread(const Untold& untold, const std::string& word, const Spent& spent) {
  const std::string day = word.substr(0, word.find(' ') + 1);
  std::vector<std::string> told = untold.told;
  std::erase_if(told, [&](const std::string& one) { return !one.starts_with(day); });
  if (told.size() >= limits::budget_words_max) told.erase(told.begin());
  told.push_back(word);
  const Item& item = untold.item;
  Json body = trouble_body(item.session, item.source, spent.why);
  body["spent"] = told;
  return {key_of("thread", item.post), "thread.troubled", dump_json(body)};
}

// Says where it is waited for that nothing will happen: once a day, as long as the limit is the
// same.
Result<> refuse(const core::View& view, const Begin& begin, const std::vector<Item>& open,
                const Agent& agent, const Spent& spent, Begun& begun, Time now) {
  begun.why = spent.why;
  begun.not_before = next_day_after(now);
  const std::string word = word_for(begin.session, spent, now);
  TYER_TRY(const std::vector<Untold> untold, list_untold(view, open, begin.all, word));
  for (const Untold& one : untold) begun.change.events.push_back(tell_thread(one, word, spent));
  TYER_TRY(const bool is_told, was_told(view, agent.id, begin.session, spent, now));
  if (!is_told) begun.change.events.push_back(tell(agent.id, begin.session, spent, now));
  return {};
}

// Everything that begins with the run, once it has items and the lease.
Result<> start(const core::View& view, const Begin& begin, const Agent& agent, Begun& begun,
               Time now) {
  // First of all, so that what it ends is not what begins here.
  TYER_TRY(const std::int64_t lost, lose_shifts(view, begin.session, begin.run, begun.change, now));
  Credential credential = begin.credential;
  credential.agent = agent.id;
  credential.session = begin.session;
  credential.run = begin.run;
  begun.change.events.push_back(make_credential(credential, now));
  begun.change.events.push_back(start_shift(begin, begun, agent.id, now));
  begun.change.events.push_back(start_typing(begin, begun, agent, now));
  TYER_TRY(core::Draft counted,
           count(view, agent.id, begin.session, {.runs = 1, .failed = lost}, now));
  begun.change.events.push_back(std::move(counted));
  begun.is_begun = true;
  return {};
}

// Whether it is worth trying to begin: it is not if that would be refused again, without a word
// that is new.
Result<bool> may_begin(const core::View& view, const Session& session, bool all, Time now) {
  if (has_to_wait(session, now)) return false;
  TYER_TRY(const auto subject, view.subject(key_of("agent", session.agent)));
  if (!subject) return true;
  TYER_TRY(const Agent agent, read_agent(*subject));
  if (!agent.is_started) return false;
  TYER_TRY(const auto spent, spent_budget(view, *subject, session.id, now));
  if (!spent) return true;
  TYER_TRY(const std::vector<Item> open, list_takable(view, session.id));
  TYER_TRY(const std::vector<Untold> untold,
           list_untold(view, open, all, word_for(session.id, *spent, now)));
  return !untold.empty();
}

}  // namespace

core::Draft trouble(const std::string& post, const std::string& session, const std::string& source,
                    const std::string& text) {
  return {key_of("thread", post), "thread.troubled",
          dump_json(trouble_body(session, source, text))};
}

core::Draft notice(const std::string& post, const std::string& session, const std::string& source,
                   const std::string& text) {
  return {
      key_of("thread", post), "thread.noticed",
      dump_json({{"notice", {{"session_id", session}, {"source_id", source}, {"text", text}}}})};
}

std::string shift_key(const std::string& session, const std::string& run) {
  return fmt::format("shift/{}/{}", session, run);
}

Result<Shift> read_shift(const core::Subject& subject) {
  TYER_TRY(const JsonFields state, JsonFields::read(subject.state));
  return Shift{.session = state.text("session_id"),
               .agent = state.text("agent_id"),
               .run = state.text("run"),
               .post = state.text("post_id"),
               .items = state.texts("items"),
               .credential = state.text("credential")};
}

Result<Begun> decide_begin(const core::View& view, const core::Witness& witness, const Begin& begin,
                           const limits::FeedRules& rules, Time now) {
  TYER_TRY(const auto known, view.subject(shift_key(begin.session, begin.run)));
  if (known) {
    return fail(Fault::conflict, fmt::format("run {} has begun before; every run has its own id",
                                             printable(begin.run, 60)));
  }
  Begun begun;
  TYER_TRY(begun.session, find(view, "session", begin.session));
  TYER_TRY(const Session session, read_session(begun.session));
  TYER_TRY(begun.agent, find(view, "agent", session.agent));
  TYER_TRY(const Agent agent, read_agent(begun.agent));
  TYER_TRY(const std::vector<Item> open, list_takable(view, begin.session));
  const bool has_work =
      std::ranges::any_of(open, [&](const Item& item) { return wakes(item, begin.all); });
  if (!has_work || !agent.is_started) return begun;
  if (has_to_wait(session, now)) {
    begun.why = "its service asked to be called later";
    begun.not_before = session.not_before;
    begun.is_put_off = true;
    return begun;
  }

  // Of a silence the sweeper makes sure first: who was silent may have an answer to tell.
  core::Claim claim{.grant = begin.grant, .believes_silence = false};
  claim.grant.key = begun.session.key;
  TYER_TRY(core::ClaimAnswer answer, decide_claim(view, witness, claim, now));
  if (const auto* held = std::get_if<core::Held>(&answer)) {
    begun.why = describe_holder(held->lease);
    return begun;
  }
  const core::Place& place = begin.grant.holder.place;
  TYER_TRY(const std::vector<PastRun> past, list_past_runs(view, begin.session, place));
  TYER_TRY(const std::string unended, unended_elsewhere(view, witness, past, place));
  if (!unended.empty()) {
    begun.why = fmt::format("what is left of run {} is being ended", unended);
    return begun;
  }
  TYER_TRY(const auto spent, spent_budget(view, begun.agent, begin.session, now));
  if (spent) {
    TYER_TRY_OK(refuse(view, begin, open, agent, *spent, begun, now));
    return begun;
  }
  TYER_TRY_OK(take_items(view, begin, open, rules, begun, now));
  if (begun.items.empty()) return begun;

  auto* mine = std::get_if<core::Mine>(&answer);
  core::Change& taken = mine != nullptr ? mine->change : std::get<core::Change>(answer);
  begun.change.renewals = std::move(taken.renewals);
  begun.change.endings = std::move(taken.endings);
  begun.change.grants = std::move(taken.grants);
  begun.left = list_left(past, place);
  TYER_TRY_OK(start(view, begin, agent, begun, now));
  return begun;
}

Result<std::vector<Session>> list_ready(const core::View& view,
                                        const std::vector<std::string>& agents, bool all,
                                        Time now) {
  TYER_TRY(const auto subjects,
           list_all(view, {.kind = "item", .status = "open"}, limits::open_items_max));
  std::vector<std::pair<std::string, std::string>> waiting;  // Since when, and who.
  std::set<std::string> known;
  for (const core::Subject& subject : subjects) {
    TYER_TRY(const Item item, read_item(subject));
    if (known.contains(item.session) || !wakes(item, all)) continue;
    TYER_TRY(const bool is_taken, is_being_answered(view, item));
    if (is_taken) continue;
    known.insert(item.session);
    waiting.emplace_back(sortable_part(item.source), item.session);
  }
  std::ranges::sort(waiting);
  std::vector<Session> ready;
  for (const auto& [since, id] : waiting) {
    TYER_TRY(const auto subject, view.subject(key_of("session", id)));
    if (!subject || subject->status != "active") continue;
    TYER_TRY(Session session, read_session(*subject));
    if (!agents.empty() && std::ranges::find(agents, session.agent) == agents.end()) continue;
    TYER_TRY(const auto lease, view.lease(subject->key));
    if (lease) continue;
    TYER_TRY(const bool may, may_begin(view, session, all, now));
    if (may) ready.push_back(std::move(session));
  }
  return ready;
}

Result<std::vector<Ending>> list_ending(const core::View& view,
                                        const std::vector<std::string>& agents, Time now) {
  std::vector<Ending> all;
  TYER_TRY(const auto running,
           list_all(view, {.kind = "shift", .status = "running"}, limits::running_shifts_max));
  for (const core::Subject& subject : running) {
    TYER_TRY(const JsonFields state, JsonFields::read(subject.state));
    if (!agents.empty() && std::ranges::find(agents, state.text("agent_id")) == agents.end()) {
      continue;
    }
    Ending ending{.session = state.text("session_id"),
                  .holder = {.place = {.host = state.text("host"),
                                       .boot = state.text("boot"),
                                       .pid_namespace = state.text("namespace")},
                             .pid = state.number("pid"),
                             .pid_start = state.number("pid_start"),
                             .run = state.text("run")},
                  .mark = state.text("mark")};
    if (state.text("stop_asked_by").empty()) {
      TYER_TRY(const auto session, view.subject(key_of("session", ending.session)));
      if (!session || session->status != "deleted") continue;
      TYER_TRY(const JsonFields gone, JsonFields::read(session->state));
      TYER_TRY(const Time since, parse_time(gone.text("deleted_at")));
      ending.deleted_for = std::max<Span>(now - since, Span::zero());
    }
    all.push_back(std::move(ending));
  }
  return all;
}

}  // namespace tyer::feed
