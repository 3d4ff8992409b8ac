// What an event makes of a subject: law 3.

#include "core/kind.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/limits.h"

namespace tyer::core {
namespace {

Kind task_kind() {
  return {.name = "task",
          .transitions = {{"task.created", {absent}, "ready"},
                          {"task.started", {"ready"}, "running"},
                          {"task.started", {"failed"}, "rerunning"},
                          {"task.noted", {any}, same},
                          {"task.seen", {absent, any}, same},
                          {"task.failed", {"running", "rerunning"}, "failed"},
                          {"task.closed", {any}, "closed"}},
          .hidden = {"password"}};
}

Event event_of(std::string type, std::string body = "{}") {
  Event event;
  event.key = "task/t/1";
  event.type = std::move(type);
  event.body = std::move(body);
  return event;
}

Subject subject_of(std::string status, std::string state = "{}") {
  Subject subject;
  subject.key = "task/t/1";
  subject.status = std::move(status);
  subject.rev = 4;
  subject.state = std::move(state);
  return subject;
}

Result<Subject> after(const Subject& before, std::string type, std::string body = "{}") {
  Event event = event_of(std::move(type), std::move(body));
  return apply_event(task_kind(), before, event);
}

TEST(Transition, LeadsFromAStatusToAnother) {
  struct Row {
    std::string status;
    std::string type;
    std::string_view to;
  };
  const std::vector<Row> rows{
      {"", "task.created", "ready"},           {"ready", "task.started", "running"},
      {"failed", "task.started", "rerunning"}, {"running", "task.noted", "running"},
      {"ready", "task.noted", "ready"},        {"running", "task.failed", "failed"},
      {"closed", "task.closed", "closed"},     {"ready", "task.seen", "ready"},
  };

  for (const Row& row : rows) {
    const auto subject = after(subject_of(row.status), row.type);
    ASSERT_TRUE(subject) << subject.error().what;
    EXPECT_EQ(subject->status, row.to) << row.status << " " << row.type;
  }
}

TEST(Transition, ThatIsNotInTheTableIsRefusedWithWhatIsAllowed) {
  struct Row {
    std::string status;
    std::string type;
    std::string_view what;
  };
  const std::vector<Row> rows{
      {"", "task.started",
       "task/t/1 does not exist: task.started is not possible, only task.created, task.seen"},
      {"", "task.noted",
       "task/t/1 does not exist: task.noted is not possible, only task.created, task.seen"},
      {"ready", "task.created",
       "task/t/1 is ready: task.created is not possible, only task.started, task.noted, task.seen, "
       "task.closed"},
      {"closed", "task.failed",
       "task/t/1 is closed: task.failed is not possible, only task.noted, task.seen, task.closed"},
      {"ready", "task.unheard",
       "task/t/1 is ready: task.unheard is not possible, only task.started, task.noted, task.seen, "
       "task.closed"},
  };

  for (const Row& row : rows) {
    const auto subject = after(subject_of(row.status), row.type);
    ASSERT_FALSE(subject) << row.what;
    EXPECT_EQ(subject.error(), (Error{Fault::conflict, std::string(row.what)}));
  }
}

TEST(Transition, IsRefusedByAnEmptyTableWithNothing) {
  Event event = event_of("task.created");

  const auto subject = apply_event({.name = "task", .transitions = {}}, Subject{}, event);

  EXPECT_EQ(subject.error().what,
            "task/t/1 does not exist: task.created is not possible, only nothing");
}

TEST(Event, RaisesTheRevisionByOneAndCarriesIt) {
  Event event = event_of("task.noted");

  const auto subject = apply_event(task_kind(), subject_of("ready"), event);

  EXPECT_EQ(subject->rev, 5U);
  EXPECT_EQ(event.rev, 5U);
}

TEST(Event, MakesANewSubjectUnderItsOwnKey) {
  Event event = event_of("task.created", R"({"title":"x","parent":"team/t","due_at":17})");

  const auto subject = apply_event(task_kind(), Subject{}, event);

  EXPECT_EQ(*subject,
            (Subject{"task/t/1", "team/t", "ready", from_micros(17), 1, R"({"title":"x"})"}));
  EXPECT_EQ(event.rev, 1U);
}

TEST(Event, LeavesTheSubjectAloneWhenItIsRefused) {
  const Subject before = subject_of("ready", R"({"a":1})");

  EXPECT_FALSE(after(before, "task.failed", R"({"a":2})"));
  EXPECT_FALSE(after(before, "task.noted", "[]"));
  EXPECT_FALSE(after(before, "task.noted", "{"));

  EXPECT_EQ(before, subject_of("ready", R"({"a":1})"));
}

TEST(Event, IsRefusedWhenTheStateWouldGrowOverItsLimit) {
  const std::string half(limits::state_bytes_max / 2 - 100, 'x');
  const Subject before = subject_of("ready", dump_json(Json{{"a", half}}));

  const auto fits = after(before, "task.noted", dump_json(Json{{"b", half}}));
  ASSERT_TRUE(fits) << fits.error().what;
  const auto grows = after(*fits, "task.noted", dump_json(Json{{"c", std::string(1000, 'x')}}));

  ASSERT_FALSE(grows);
  EXPECT_EQ(grows.error().fault, Fault::limit);
  EXPECT_TRUE(grows.error().what.contains("task/t/1")) << grows.error().what;
  EXPECT_TRUE(after(*fits, "task.noted", R"({"a":null})")) << "what shrinks it is allowed";
}

TEST(Body, IsMergedIntoTheState) {
  struct Row {
    std::string state;
    std::string body;
    std::string_view result;
  };
  const std::vector<Row> rows{
      {"{}", "{}", "{}"},
      {R"({"a":1})", "{}", R"({"a":1})"},
      {R"({"a":1})", R"({"b":2})", R"({"a":1,"b":2})"},
      {R"({"a":1})", R"({"a":2})", R"({"a":2})"},
      {R"({"a":1,"b":2})", R"({"a":null})", R"({"b":2})"},
      {R"({"a":1})", R"({"z":null})", R"({"a":1})"},
      {R"({"a":{"x":1,"y":2}})", R"({"a":{"x":null,"z":3}})", R"({"a":{"y":2,"z":3}})"},
      {R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
      {R"({"a":1})", R"({"due_at":null,"parent":""})", R"({"a":1})"},
  };

  for (const Row& row : rows) {
    Subject subject = subject_of("ready", row.state);
    ASSERT_TRUE(merge_body(subject, event_of("task.noted", row.body))) << row.body;
    EXPECT_EQ(subject.state, row.result) << row.state << " + " << row.body;
  }
}

TEST(Body, SetsAndClearsTheDueTimeWhichIsNotPartOfTheState) {
  Subject subject = subject_of("ready");

  ASSERT_TRUE(merge_body(subject, event_of("task.noted", R"({"due_at":1700000000000000,"a":1})")));
  EXPECT_EQ(subject.due_at, from_micros(1'700'000'000'000'000));
  EXPECT_EQ(subject.state, R"({"a":1})");

  ASSERT_TRUE(merge_body(subject, event_of("task.noted", R"({"a":2})")));
  EXPECT_TRUE(subject.due_at) << "a body that does not speak of it leaves it";

  ASSERT_TRUE(merge_body(subject, event_of("task.noted", R"({"due_at":null})")));
  EXPECT_FALSE(subject.due_at);
}

TEST(Body, SetsAndClearsTheParentWhichIsNotPartOfTheState) {
  Subject subject = subject_of("ready");

  ASSERT_TRUE(merge_body(subject, event_of("task.noted", R"({"parent":"team/t"})")));
  EXPECT_EQ(subject.parent, "team/t");
  EXPECT_EQ(subject.state, "{}");

  ASSERT_TRUE(merge_body(subject, event_of("task.noted", R"({"parent":""})")));
  EXPECT_EQ(subject.parent, "");
}

TEST(Body, IsRefusedWhenItIsNotWhatASubjectCanHold) {
  const std::vector<std::string> bodies{
      "",
      "null",
      "[]",
      "{",
      R"({"a":1,"a":2})",
      R"({"due_at":"soon"})",
      R"({"due_at":1.5})",
      R"({"due_at":true})",
      R"({"due_at":-1})",
      R"({"due_at":18446744073709551615})",  // It would be a time long ago.
      R"({"parent":1})",
      R"({"parent":null})",
      R"({"parent":"no key"})",
      R"({"parent":"team/../x"})",
  };

  for (const std::string& body : bodies) {
    Subject subject = subject_of("ready");
    const auto merged = merge_body(subject, event_of("task.noted", body));
    ASSERT_FALSE(merged) << body;
    EXPECT_EQ(merged.error().fault, Fault::invalid) << body;
  }
}

// Law 3: the same events give the same row, however often they are folded.
TEST(Fold, GivesTheSameSubjectFromTheSameEvents) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 dice(seed);
    const std::vector<std::string> types{"task.created", "task.started", "task.noted",
                                         "task.failed", "task.closed"};
    const std::vector<std::string> bodies{"{}",
                                          R"({"a":1})",
                                          R"({"a":null})",
                                          R"({"a":{"b":[1]}})",
                                          R"({"due_at":5})",
                                          R"({"due_at":null})",
                                          R"({"parent":"team/t"})"};
    std::vector<Event> log;
    Subject row;
    for (int i = 0; i < 20; ++i) {
      Event event = event_of(types[dice() % types.size()], bodies[dice() % bodies.size()]);
      if (auto next = apply_event(task_kind(), row, event)) {
        row = *std::move(next);
        log.push_back(event);
      }
    }

    Subject again;
    for (Event event : log) {
      const std::uint64_t rev = event.rev;
      again = *apply_event(task_kind(), again, event);
      EXPECT_EQ(event.rev, rev);
    }

    EXPECT_EQ(again, row) << "seed " << seed;
    EXPECT_EQ(row.rev, log.size());
  }
}

TEST(ShownBody, LeavesOutWhatTheKindHides) {
  const Kind kind = task_kind();

  EXPECT_EQ(shown_body(kind, R"({"a":1,"password":"x"})"), R"({"a":1})");
  EXPECT_EQ(shown_body(kind, R"({"a":1})"), R"({"a":1})");
  EXPECT_EQ(shown_body(kind, R"({"password":null})"), "{}");
  EXPECT_EQ(shown_body(kind, R"(garbage "password":"x")"), "{}")
      << "what cannot be read is not shown";
  EXPECT_EQ(shown_body(kind, R"(["password"])"), "{}");
  EXPECT_EQ(shown_body({.name = "open", .transitions = {}}, R"({"password":"x"})"),
            R"({"password":"x"})");
}

TEST(Catalog, FindsKindsByName) {
  const Catalog catalog({task_kind(), {.name = "lock", .transitions = {}}},
                        {{"route", {}, {}}, {"unblock", {}, {}}});

  ASSERT_NE(catalog.kind("task"), nullptr);
  EXPECT_EQ(catalog.kind("task")->name, "task");
  EXPECT_NE(catalog.kind("lock"), nullptr);
  EXPECT_EQ(catalog.kind("tas"), nullptr);
  EXPECT_EQ(catalog.kind(""), nullptr);
  ASSERT_EQ(catalog.rules().size(), 2U);
  EXPECT_EQ(catalog.rules()[1].name, "unblock") << "rules keep their order";
  EXPECT_EQ(Catalog{}.kind("task"), nullptr);
}

TEST(CatalogDeathTest, RefusesAKindThatStandsTwice) {
  EXPECT_EXIT(Catalog({task_kind(), task_kind()}, {}), testing::ExitedWithCode(70),
              "a kind stands once");
}

TEST(Rule, WantsTheTypesItNamesOrAll) {
  const Rule some{"route", {"comment.added", "post.added"}, {}};
  const Rule all{"audit", {}, {}};

  EXPECT_TRUE(some.wants_type("post.added"));
  EXPECT_FALSE(some.wants_type("post"));
  EXPECT_FALSE(some.wants_type("task.created"));
  EXPECT_TRUE(all.wants_type("task.created"));
}

}  // namespace
}  // namespace tyer::core
