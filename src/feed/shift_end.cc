// How a shift ends: see shifts.h.

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "core/key.h"
#include "core/limits.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/names.h"
#include "feed/shifts.h"
#include "feed/tally.h"
#include "feed/writing.h"

namespace tyer::feed {
namespace {

constexpr std::string_view cut_mark = "\n\n(cut: the rest is in the transcript)";

bool is_blank_text(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// What can stand in a comment: without what only a terminal understands, and not too much of it.
std::string fit(std::string text) {
  std::erase_if(text, [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') ||
           c == 0x7f;
  });
  if (text.size() <= limits::content_bytes_max) return text;
  std::size_t end = limits::content_bytes_max - cut_mark.size();
  // No half of a character: the bytes after its first one are 10xxxxxx.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end) + std::string(cut_mark);
}

// `is_answered`: nobody waits for an answer of it any more.
core::Draft end_shift(const Shift& shift, const Finish& finish, bool is_answered, Time now) {
  Json body{{"session_id", shift.session},
            {"agent_id", shift.agent},
            {"run", shift.run},
            {"post_id", shift.post},
            {"verdict", finish.verdict},
            {"why", finish.why},
            {"answered", is_answered},
            {"input_tokens", finish.input},
            {"output_tokens", finish.output},
            {"cached_tokens", finish.cached},
            {"cost_micros", finish.cost},
            {"output", nullptr},
            {"ended_at", format_time(now)}};
  if (finish.is_unheard) body["unheard"] = true;
  return {shift_key(shift.session, shift.run), "shift.ended", dump_json(body)};
}

core::Draft stop_typing(const Shift& shift) {
  return {key_of("thread", shift.post), "thread.quiet",
          dump_json({{"post_id", shift.post},
                     {"agent_id", shift.agent},
                     {"session_id", shift.session},
                     {"typing", nullptr},
                     {"due_at", nullptr}})};
}

// Of what the shift was to answer, what is still open and its own.
Result<std::vector<Item>> unanswered(const core::View& view, const Shift& shift) {
  std::vector<Item> left;
  for (const std::string& source : shift.items) {
    TYER_TRY(const auto subject, view.subject(item_key(shift.session, source)));
    if (!subject || subject->status != "open") continue;
    TYER_TRY(Item item, read_item(*subject));
    if (item.run == shift.run) left.push_back(std::move(item));
  }
  return left;
}

void append(core::Change& change, core::Change more) {
  std::ranges::move(more.events, std::back_inserter(change.events));
}

// Its last words become its answer. Whether they did.
Result<bool> answer(const core::View& view, const Shift& shift, const Finish& finish,
                    const core::Subject& agent, const limits::FeedRules& rules, const Ids& ids,
                    core::Change& change, Time now) {
  const std::string words = fit(finish.text);
  if (is_blank_text(words)) return false;
  TYER_TRY(const Agent author, read_agent(agent));
  TYER_TRY(const auto session, view.subject(key_of("session", shift.session)));
  const bool is_there = session && session->status == "active";
  Writing writing{
      .actor = {.is_agent = true, .id = author.id, .name = author.name, .run = shift.run},
      .post = shift.post,
      .content = words};
  if (is_there) {
    writing.actor.session = shift.session;
  } else {
    // In the name of the session that has inherited them, so that it settles nobody else's.
    writing.actor.session = author.default_session;
    writing.actor.run.clear();
    TYER_TRY(const std::vector<Item> inherited,
             inherited_from(view, {.session = shift.session, .run = shift.run}));
    if (inherited.empty()) return false;
    for (const Item& item : inherited) writing.answers.push_back(item.source);
  }
  Result<Written> written = decide_comment(view, writing, rules, ids, now);
  // The thread may be gone; then nobody waits for an answer.
  if (!written && written.error().fault == Fault::not_found) return false;
  if (!written) return std::unexpected(written.error());
  append(change, std::move(written->change));
  return true;
}

// Whether the run did what it was to do.
bool is_done(const Finish& finish) {
  return finish.verdict == "done" || finish.verdict == "hindered";
}

// Why a run that ended left something unanswered.
std::string complaint(const Finish& finish) {
  if (is_done(finish)) return "the run ended without an answer";
  const std::string why = finish.why.empty() ? "" : ": " + finish.why;
  if (finish.verdict == "stopped") return "the run was stopped" + why;
  if (finish.verdict == "failed") return "the run failed" + why;
  return fmt::format("the run failed ({}){}", finish.verdict, why);
}

// What was not answered waits for the next thing that wakes the session, or is given up (H16).
void rest(const Shift& shift, const std::vector<Item>& left, const Finish& finish,
          const limits::FeedRules& rules, core::Change& change, Time now) {
  const std::string why = complaint(finish);
  const bool asks = finish.verdict == "stopped" || finish.verdict == "timed_out";
  const Item* resting = nullptr;
  for (const Item& item : left) {
    if (item.wakes >= rules.wakes_max) {
      skip(item, why, change, now);
      continue;
    }
    resting = resting == nullptr ? &item : resting;
    change.events.push_back(
        {item.key, "item.rested", json_object({{"rests", true}, {"asks", asks}, {"why", why}})});
  }
  if (resting == nullptr) return;
  change.events.push_back(trouble(shift.post, shift.session, resting->source,
                                  why + "; the next message here has it tried again"));
}

// For how long the session waits, after it had to wait for the same `waits` times before.
Span wait_after(std::uint64_t waits, const Finish& finish) {
  if (!finish.wait_grows) return std::min(finish.wait, limits::session_wait_max);
  Span wait = std::min(finish.wait, limits::session_wait_grown_max);
  for (std::uint64_t i = 0; i < waits && wait < limits::session_wait_grown_max; ++i) wait *= 2;
  return std::min(wait, limits::session_wait_grown_max);
}

// Nothing begins for the session until its service may be called again. That it was called in vain
// is no wake that was of no use; however often is too often all the same: only that stays in
// `left`.
Result<> put_off(const core::View& view, const Shift& shift, std::vector<Item>& left,
                 const Finish& finish, core::Change& change, Time now) {
  if (finish.wait <= Span::zero()) return {};
  TYER_TRY(const auto session, view.subject(key_of("session", shift.session)));
  if (!session || session->status != "active") return {};
  const auto waiting = std::ranges::stable_partition(
      left, [](const Item& item) { return item.waits >= limits::item_waits_max; });
  if (waiting.empty()) return {};
  const auto longest = std::ranges::max_element(waiting, {}, &Item::waits);
  const Time until = now + wait_after(longest->waits, finish);
  change.events.push_back({session->key, "session.updated",
                           json_object({{"agent_id", shift.agent},
                                        {"not_before", format_time(until)},
                                        {"due_at", to_micros(until)}})});
  for (const Item& item : waiting) {
    change.events.push_back({item.key, "item.rested",
                             json_object({{"rests", false},
                                          {"wakes", std::max<std::uint64_t>(item.wakes, 1) - 1},
                                          {"waits", item.waits + 1},
                                          {"why", finish.why}})});
  }
  // Who has written it is told once; how it is doing from then on, the agent's state says.
  const auto fresh = std::ranges::find(waiting, std::uint64_t{0}, &Item::waits);
  if (fresh != waiting.end()) {
    change.events.push_back(
        notice(shift.post, shift.session, fresh->source,
               fmt::format("it goes on at {}: {}", format_time(until, 0), finish.why)));
  }
  left.erase(waiting.begin(), waiting.end());
  return {};
}

Result<> remember(const core::View& view, const Shift& shift, const Finish& finish,
                  core::Change& change) {
  if (!finish.conversation || (!is_done(finish) && !finish.conversation->empty())) return {};
  TYER_TRY_OK(check_conversation(*finish.conversation));
  TYER_TRY(const auto subject, view.subject(key_of("session", shift.session)));
  if (!subject || subject->status != "active") return {};
  TYER_TRY(const Session session, read_session(*subject));
  if (session.conversation == *finish.conversation && finish.totals.empty()) return {};
  change.events.push_back({subject->key, "session.updated",
                           dump_json({{"agent_id", shift.agent},
                                      {"claude_session_id", *finish.conversation},
                                      {"usage_totals", finish.totals}})});
  return {};
}

Result<> end_token(const core::View& view, const Shift& shift, const std::string& why,
                   core::Change& change) {
  TYER_TRY(const auto credential, view.subject(key_of("credential", shift.credential)));
  if (!credential || credential->status != "active") return {};
  append(change, core::Change{.events = {{credential->key, "credential.revoked",
                                          dump_json({{"due_at", nullptr}, {"why", why}})}}});
  return {};
}

// All but that it failed, which is counted once for a session and a change.
Result<> lose(const core::View& view, const Shift& shift, const Finish& lost, core::Change& change,
              Time now) {
  const Finish told{.verdict = "lost", .why = lost.why, .is_unheard = lost.is_unheard};
  change.events.push_back(end_shift(shift, told, false, now));
  TYER_TRY(const auto thread, view.subject(key_of("thread", shift.post)));
  if (thread) change.events.push_back(stop_typing(shift));
  return end_token(view, shift, "the run was lost", change);
}

// What it says comes to nothing: whoever has the session now has not heard of it.
std::unexpected<Error> too_late(const Finish& finish) {
  return fail(Fault::fenced,
              fmt::format("run {} was taken for lost; what it has to say comes too late",
                          printable(finish.run, 60)));
}

// Its answer, or what there is instead of one. Whether nobody waits for one any more.
Result<bool> settle(const core::View& view, const Shift& shift, const Finish& finish,
                    const limits::FeedRules& rules, const Ids& ids, core::Change& change,
                    Time now) {
  TYER_TRY(const auto agent, view.subject(key_of("agent", shift.agent)));
  // Nobody waits for one who is gone.
  if (!agent || agent->status != "active") return true;
  TYER_TRY(std::vector<Item> left, unanswered(view, shift));
  TYER_TRY(const auto session, view.subject(key_of("session", shift.session)));
  const bool was_deleted = !session || session->status != "active";
  bool is_answered = left.empty();
  if (is_done(finish) && (!left.empty() || was_deleted)) {
    TYER_TRY(const bool wrote, answer(view, shift, finish, *agent, rules, ids, change, now));
    is_answered = is_answered || wrote;
  }
  const auto post = find_post(view, shift.post);
  if (!post && post.error().fault != Fault::not_found) return std::unexpected(post.error());
  // Below a post that is gone nothing rests: the next run withdraws it.
  if (!post) return true;
  if (is_answered) {
    if (finish.verdict == "hindered" && !shift.items.empty()) {
      change.events.push_back(
          notice(shift.post, shift.session, shift.items.front(), "done, but " + finish.why));
    }
    return true;
  }
  TYER_TRY_OK(put_off(view, shift, left, finish, change, now));
  rest(shift, left, finish, rules, change, now);
  return false;
}

}  // namespace

Result<core::Change> decide_finish(const core::View& view, const Finish& finish,
                                   const limits::FeedRules& rules, const Ids& ids, Time now) {
  TYER_TRY(const auto subject, view.subject(shift_key(finish.session, finish.run)));
  if (!subject) {
    return fail(Fault::not_found,
                fmt::format("session {} had no run {}", printable(finish.session, 60),
                            printable(finish.run, 60)));
  }
  TYER_TRY(const Shift shift, read_shift(*subject));
  TYER_TRY(const auto lease, view.lease(key_of("session", shift.session)));
  const bool is_ours = lease && lease->holder.run == shift.run;
  const bool is_lost = finish.verdict == "lost";
  if (subject->status == "ended") {
    TYER_TRY(const Json state, parse_json_object(subject->state));
    // The answer to the first finish was lost.
    if (text_or(state, "verdict") != "lost" || is_lost) return core::Change{};
    return too_late(finish);
  }
  if (!is_ours && !is_lost) return too_late(finish);
  core::Change change;
  if (is_ours) {
    TYER_TRY(change, core::release(view, lease->key, lease->token));
  }
  if (is_lost) {
    TYER_TRY_OK(lose(view, shift, finish, change, now));
  } else {
    TYER_TRY(const bool is_answered, settle(view, shift, finish, rules, ids, change, now));
    TYER_TRY(const auto thread, view.subject(key_of("thread", shift.post)));
    if (thread) change.events.push_back(stop_typing(shift));
    TYER_TRY_OK(remember(view, shift, finish, change));
    TYER_TRY_OK(end_token(view, shift, "the run has ended", change));
    change.events.push_back(end_shift(shift, finish, is_answered, now));
  }
  TYER_TRY(core::Draft counted, count(view, shift.agent, shift.session,
                                      {.failed = is_done(finish) ? 0 : 1,
                                       .input = finish.input,
                                       .output = finish.output,
                                       .cached = finish.cached,
                                       .cost = finish.cost},
                                      now));
  change.events.push_back(std::move(counted));
  return change;
}

Result<std::int64_t> lose_shifts(const core::View& view, const std::string& session,
                                 const std::string& run, core::Change& change, Time now) {
  TYER_TRY(const auto running,
           list_all(view, {.kind = "shift", .status = "running", .below = "shift/" + session},
                    limits::lost_shifts_max));
  std::int64_t lost = 0;
  for (const core::Subject& subject : running) {
    TYER_TRY(const Shift shift, read_shift(subject));
    if (shift.run == run) continue;
    TYER_TRY_OK(lose(view, shift, {.why = "its lease has ended"}, change, now));
    ++lost;
  }
  return lost;
}

core::Rule end_lost_shift() {
  return {.name = "end_lost_shift",
          .wants = {"lease.lapsed", "lease.broken", "lease.superseded", "lease.released"},
          .decide = [](const core::View& view, const core::Event& event,
                       Time now) -> Result<core::Change> {
            if (core::kind_of(event.key) != "session") return core::Change{};
            TYER_TRY(const auto session, view.subject(event.key));
            if (!session) return core::Change{};
            TYER_TRY(const Session its, read_session(*session));
            TYER_TRY(const auto lease, view.lease(event.key));
            core::Change change;
            TYER_TRY(const std::int64_t lost,
                     lose_shifts(view, its.id, lease ? lease->holder.run : "", change, now));
            if (lost == 0) return core::Change{};
            TYER_TRY(core::Draft counted, count(view, its.agent, its.id, {.failed = lost}, now));
            change.events.push_back(std::move(counted));
            return change;
          }};
}

}  // namespace tyer::feed
