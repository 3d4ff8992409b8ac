// What holds of the work of sessions whatever happens to it (H16, W10, W11).

#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/json.h"
#include "feed/shifts.h"
#include "support/feed_world.h"

namespace tyer::feed {
namespace {

using testing::fault_of;
using testing::FeedWorld;
using testing::must;
using testing::Texts;

constexpr std::array<const char*, 3> sessions{"bot/default", "bot/a", "bot/b"};
constexpr std::array<const char*, 6> verdicts{"done",    "done",   "hindered",
                                              "stopped", "failed", "lost"};

// A hub with one agent, three sessions and four threads, and workers that come and go.
class Shop {
 public:
  explicit Shop(std::uint64_t seed) : chance_(seed) {
    world.agent("bot");
    for (int i = 0; i < 4; ++i) posts_.push_back(world.post(world.human(), "글"));
  }

  void do_one() {
    switch (chance_.between(0, 9)) {
      case 0:
      case 1:
      case 2: return write();
      case 3:
      case 4:
      case 5: return begin(one_of(sessions));
      case 6:
      case 7: return finish();
      case 8: return lose();
      default: return chance_.one_in(3) ? end_session() : say();
    }
  }

  // Everybody works until nothing is left to do.
  void work_off() {
    for (const Shift& shift : running()) must(end(shift, "done"));
    for (int i = 0; i < 2'000; ++i) {
      const Texts ready = world.ready({}, true);
      if (ready.empty()) return;
      (void)world.begin(ready.front(), next_run(), true);
      for (const Shift& shift : running()) must(end(shift, "done"));
    }
    FAIL() << "there is always more to do";
  }

  std::vector<Shift> running() {
    std::vector<Shift> shifts;
    for (const core::Subject& subject : all_of("shift", "running")) {
      shifts.push_back(must(read_shift(subject)));
    }
    return shifts;
  }

  std::vector<core::Subject> all_of(const std::string& kind, const std::string& status = "") {
    std::vector<core::Subject> all;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(all, list_all(view, {.kind = kind, .status = status}, 100'000));
      return {};
    });
    return all;
  }

  FeedWorld world;

 private:
  template <class List>
  List::const_reference one_of(const List& list) {
    return list[chance_.between(0, list.size() - 1)];
  }

  std::uint64_t head() {
    std::uint64_t seq = 0;
    world.read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      seq = head.seq;
      return {};
    });
    return seq;
  }

  std::string next_run() { return "r" + std::to_string(++runs_); }

  void write() {
    const std::string text = chance_.one_in(2) ? std::string("@") + one_of(sessions) : "더";
    world.comment(world.human(), one_of(posts_), text);
  }

  void begin(const std::string& session) {
    if (world.session_id(session).empty()) return;
    (void)must(world.try_begin(session, next_run(), chance_.one_in(4)));
  }

  Result<> end(const Shift& shift, const std::string& verdict) {
    return world.try_finish({.session = shift.session,
                             .run = shift.run,
                             .verdict = verdict,
                             .why = "w",
                             .text = chance_.one_in(5) ? "" : "답",
                             .conversation = "c-" + shift.run});
  }

  void finish() {
    const std::vector<core::Subject> shifts = all_of("shift");
    if (shifts.empty()) return;
    // Also one that has ended before: its answer was lost, or it was.
    const std::vector<Shift> under_way = running();
    const bool is_late = under_way.empty() || chance_.one_in(4);
    const Shift shift = is_late ? must(read_shift(one_of(shifts))) : one_of(under_way);
    const bool was_over = world.status(shift_key(shift.session, shift.run)) == "ended";
    const std::uint64_t before = head();
    const Result<> ended = end(shift, one_of(verdicts));
    EXPECT_TRUE(!was_over || head() == before) << shift.run << " had ended";
    EXPECT_TRUE(ended || fault_of(ended) == "fenced") << ended.error().what;
  }

  void lose() {
    const std::vector<Shift> shifts = running();
    if (shifts.empty()) return;
    const Shift& shift = one_of(shifts);
    world.break_lease(shift.session);
    // The rule comes after whoever is quicker.
    if (chance_.one_in(2)) begin(one_of(sessions));
    EXPECT_EQ(fault_of(end(shift, "done")), "fenced");
    world.pump();
  }

  // A run comments by itself.
  void say() {
    const std::vector<Shift> shifts = running();
    if (shifts.empty()) return;
    const Shift& shift = one_of(shifts);
    const Actor actor{true, shift.agent, "bot", shift.session, shift.run};
    world.comment(actor, shift.post, "직접");
  }

  void end_session() {
    const std::string session = one_of(sessions);
    if (session != sessions.front() && !world.session_id(session).empty()) {
      must(world.try_delete_session(session));
    }
  }

  sim::Rng chance_;
  Texts posts_;
  int runs_ = 0;
};

void check_shifts(Shop& shop) {
  std::set<std::string> at_work;
  for (const Shift& shift : shop.running()) {
    EXPECT_TRUE(at_work.insert(shift.session).second) << shift.session << " has two runs";
    const auto lease = shop.world.lease(key_of("session", shift.session));
    EXPECT_TRUE(lease && lease->holder.run == shift.run) << shift.run;
    EXPECT_EQ(shop.world.status(key_of("credential", shift.credential)), "active");
  }
  for (const core::Subject& token : shop.all_of("credential", "active")) {
    EXPECT_TRUE(at_work.contains(must(read_credential(token)).session)) << token.key;
  }
}

void check_items(Shop& shop) {
  std::set<std::string> busy;
  for (const Shift& shift : shop.running()) busy.insert(shift.session);
  std::set<std::string> ready;
  shop.world.read([&](const core::View& view) -> Result<> {
    TYER_TRY(const auto listed, list_ready(view, {}, false, shop.world.time.now));
    for (const Session& session : listed) ready.insert(session.id);
    return {};
  });
  for (const core::Subject& subject : shop.all_of("item")) {
    const Item item = must(read_item(subject));
    EXPECT_LE(item.wakes, shop.world.rules.wakes_max);
    EXPECT_TRUE(subject.status != "skipped" || item.wakes == shop.world.rules.wakes_max);
    if (subject.status != "open") continue;
    EXPECT_TRUE(item.rests || busy.contains(item.session) || ready.contains(item.session))
        << subject.key << " waits for nobody";
  }
}

// By whom each item was answered: once.
void check_answers(Shop& shop) {
  std::map<std::string, std::string> answered;
  for (const core::Subject& comment : shop.all_of("comment")) {
    const Json state = must(parse_json_object(comment.state));
    if (text_or(state, "author_type") != "bot") continue;
    for (const Json& source : state.at("answers")) {
      std::string item = item_key(text_or(state, "session_id"), source.get<std::string>());
      if (shop.world.status(item) == "moved") {
        item = item_key(shop.world.state(item, "moved_to"), source.get<std::string>());
      }
      EXPECT_TRUE(answered.emplace(item, comment.key).second) << item << " was answered twice";
      EXPECT_EQ(shop.world.state(item, "answered_by"), id_of(comment));
    }
  }
  for (const core::Subject& item : shop.all_of("item", "answered")) {
    EXPECT_TRUE(answered.contains(item.key)) << item.key;
  }
}

TEST(ShiftProperty, WhateverHappensNothingIsAnsweredTwiceOrForgotten) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    Shop shop(seed);
    for (int i = 0; i < 300 && !::testing::Test::HasFailure(); ++i) {
      shop.do_one();
      check_shifts(shop);
      check_items(shop);
    }
    check_answers(shop);
    shop.work_off();
    check_answers(shop);
    EXPECT_TRUE(shop.all_of("item", "open").empty());
    EXPECT_FALSE(shop.all_of("item", "answered").empty());
  }
}

}  // namespace
}  // namespace tyer::feed
