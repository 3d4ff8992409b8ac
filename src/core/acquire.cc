#include "core/acquire.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/key.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

// Tickets of the dead that one change clears away; more of them are only overlooked.
constexpr std::size_t clear_max = limits::change_items_max / 2;
// Of each name a lease may end, one is granted, and a ticket ends.
static_assert(clear_max + 3 * limits::lock_names_max <= limits::change_items_max);

class Decision {
 public:
  Decision(const View& view, const Witness& witness, const Asking& asking, Time now)
      : view_(view), witness_(witness), asking_(asking), now_(now) {}

  Result<Answer> run() {
    TYER_TRY_OK(check_place());
    TYER_TRY(const Grant* own, asking_.any ? find_own() : nullptr);
    for (const Grant& wish : asking_.wishes) {
      if (own != nullptr && own != &wish) continue;
      TYER_TRY(const bool had, consider(wish));
      if (had && asking_.any) break;
    }
    const std::size_t had = answer_.mine.size() + answer_.change.grants.size();
    answer_.yes = had == (asking_.any ? 1 : asking_.wishes.size());
    if (answer_.yes) {
      TYER_TRY_OK(give_up_place());
    } else {
      for (const Grant& grant : answer_.change.grants) answer_.free.push_back(grant.key);
      answer_.change = {.renewals = std::move(from_now_)};
      answer_.mine.clear();
      if (asking_.ticket) TYER_TRY_OK(take_place());
    }
    return std::move(answer_);
  }

 private:
  // A place in line belongs to who asked for it, through whichever hub.
  Result<> check_place() {
    if (!asking_.ticket) return {};
    for (const Grant& wish : asking_.wishes) {
      TYER_TRY(const auto ticket, view_.lease(ticket_key(wish.key, asking_.place)));
      if (ticket && ticket->asker.who != asking_.ticket->asker.who) {
        return fail(Fault::conflict,
                    fmt::format("{}: somebody else waits at this place", rest_of(wish.key)));
      }
    }
    return {};
  }

  // Who asks again for any has what it got the first time, also if an earlier one is free by now.
  Result<const Grant*> find_own() const {
    for (const Grant& wish : asking_.wishes) {
      TYER_TRY(const auto present, view_.lease(wish.key));
      const bool is_own =
          present && present->holder == wish.holder && present->asker.who == wish.asker.who;
      if (is_own) return &wish;
    }
    return nullptr;
  }

  // Whether it can be had; what that takes is in the change then.
  Result<bool> consider(const Grant& wish) {
    TYER_TRY(ClaimAnswer claimed,
             decide_claim(view_, witness_, {wish, asking_.believes_silence}, now_));
    if (auto* held = std::get_if<Held>(&claimed)) {
      if (held->renewal) from_now_.push_back(*held->renewal);
      answer_.held.push_back(std::move(*held));
      return false;
    }
    if (auto* mine = std::get_if<Mine>(&claimed)) {
      std::ranges::move(mine->change.renewals, std::back_inserter(answer_.change.renewals));
      answer_.mine.push_back(std::move(mine->lease));
      return true;
    }
    Change& change = std::get<Change>(claimed);
    const auto superseded = [](const Ending& ending) { return ending.how == End::superseded; };
    // What a process has already is not free: those who wait have no turn yet (L7).
    if (std::ranges::none_of(change.endings, superseded)) {
      TYER_TRY(const bool first, is_next(wish.key));
      if (!first) return false;
    }
    std::ranges::move(change.endings, std::back_inserter(answer_.change.endings));
    std::ranges::move(change.grants, std::back_inserter(answer_.change.grants));
    return true;
  }

  // Whether nobody who lives and waits came before. The tickets of the dead are cleared away.
  Result<bool> is_next(const std::string& key) {
    TYER_TRY(const std::vector<Lease>* queue, queue_of(key));
    for (const Lease& ticket : *queue) {
      if (!asking_.place.empty() && ticket.key == ticket_key(key, asking_.place)) return true;
      if (asking_.passed.contains(ticket.token)) continue;
      const Sight sight = witness_.look(ticket.holder);
      const Judgement judgement = judge(ticket, sight, now_);
      const bool doubted = judgement.verdict == Verdict::silent && !asking_.believes_silence;
      if (judgement.verdict == Verdict::live || doubted) {
        if (const auto renewal = renewal_from_now(ticket, sight, now_)) {
          from_now_.push_back(*renewal);
        }
        answer_.ahead.push_back(ticket);
        return false;
      }
      if (++cleared_ > clear_max) continue;
      answer_.change.endings.push_back({ticket.key, ticket.token, End::lapsed,
                                        std::string(name(judgement.verdict)), judgement.why});
    }
    return true;
  }

  Result<const std::vector<Lease>*> queue_of(const std::string& key) {
    const auto known = queues_.find(key);
    if (known != queues_.end()) return &known->second;
    TYER_TRY(std::vector<Lease> queue, tickets(view_, key));
    return &(queues_[key] = std::move(queue));
  }

  Result<> give_up_place() {
    if (asking_.place.empty()) return {};
    for (const Grant& wish : asking_.wishes) {
      const std::string own = ticket_key(wish.key, asking_.place);
      TYER_TRY(const std::vector<Lease>* queue, queue_of(wish.key));
      const std::vector<Lease>& waiting = *queue;
      const auto mine = std::ranges::find(waiting, own, &Lease::key);
      if (mine == waiting.end()) continue;
      answer_.change.endings.push_back({own, mine->token, End::released, "", ""});
      if (mine + 1 != waiting.end()) answer_.behind.push_back(*(mine + 1));
    }
    return {};
  }

  Result<> take_place() {
    for (const Grant& wish : asking_.wishes) {
      const std::string own = ticket_key(wish.key, asking_.place);
      TYER_TRY(const std::vector<Lease>* queue, queue_of(wish.key));
      const std::vector<Lease>& waiting = *queue;
      const auto mine = std::ranges::find(waiting, own, &Lease::key);
      if (mine != waiting.begin()) answer_.before.push_back(*(mine - 1));
      if (mine != waiting.end()) {
        keep(*mine);
        continue;
      }
      if (waiting.size() >= limits::waiters_max) {
        return fail(Fault::limit,
                    fmt::format("{}: {} are waiting already", rest_of(wish.key), waiting.size()));
      }
      answer_.change.grants.push_back(*asking_.ticket);
      answer_.change.grants.back().key = own;
    }
    return {};
  }

  // A ticket that is found again would lapse if it were not renewed until somebody keeps it.
  void keep(Lease ticket) {
    const auto kept = asking_.kept.find(ticket.key);
    if (kept != asking_.kept.end() && kept->second == ticket.token) return;
    ticket.heard_at = now_;
    ticket.heard_mono = asking_.ticket->mono;
    answer_.change.renewals.push_back({ticket.key, ticket.token, ticket.heard_mono});
    answer_.found.push_back(std::move(ticket));
  }

  const View& view_;
  const Witness& witness_;
  const Asking& asking_;
  const Time now_;
  Answer answer_;
  std::vector<Renewal> from_now_;  // One at most for each name: it is in the way.
  std::size_t cleared_ = 0;
  std::map<std::string, std::vector<Lease>> queues_;
};

}  // namespace

std::string ticket_key(std::string_view key, std::string_view id) {
  return fmt::format("wait/{}/{}", key, id);
}

std::string_view key_of_ticket(std::string_view ticket) {
  if (kind_of(ticket) != "wait") return {};
  const std::string_view rest = rest_of(ticket);
  const std::size_t end = rest.rfind('/');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

Result<std::vector<Lease>> tickets(const View& view, std::string_view key) {
  const std::string prefix = ticket_key(key, "");
  const std::string root = prefix.substr(0, prefix.size() - 1);
  std::vector<Lease> found;
  for (std::string after; true;) {
    TYER_TRY(std::vector<Lease> page, view.leases_below(root, after, limits::page_rows_max));
    const bool more = page.size() == limits::page_rows_max;
    if (more) after = page.back().key;
    // Those of keys below this one lie among them: "a/b" waits under "a".
    for (Lease& lease : page) {
      if (!lease.key.substr(prefix.size()).contains('/')) found.push_back(std::move(lease));
    }
    if (!more) break;
  }
  std::ranges::sort(found, {}, &Lease::token);
  return found;
}

Result<Answer> decide_acquire(const View& view, const Witness& witness, const Asking& asking,
                              Time now) {
  return Decision(view, witness, asking, now).run();
}

}  // namespace tyer::core
