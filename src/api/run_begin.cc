#include "api/run_begin.h"

#include <algorithm>

#include "api/describe.h"
#include "api/limits.h"
#include "api/secrets.h"
#include "api/sessions.h"
#include "base/json.h"
#include "base/text.h"
#include "feed/items.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

Result<Json> shown_json(const core::Subject& subject) {
  TYER_TRY(Json state, parse_json_object(subject.state));
  state["id"] = feed::id_of(subject);
  return state;
}

// The last comments of the thread and the newest titles of the feed, for who was not there.
Result<Json> surroundings(const core::View& view, const feed::Item& item) {
  Json around{{"comments", Json::array()}, {"titles", Json::array()}};
  TYER_TRY(const core::Subject post, feed::find(view, "post", item.post));
  TYER_TRY(around["post"], shown_json(post));
  TYER_TRY(const auto feed, view.subject(feed::key_of("feed", item.feed)));
  if (feed) {
    TYER_TRY(around["feed"], shown_json(*feed));
  }
  TYER_TRY(auto comments, view.newest({.parent = post.key,
                                       .kind = "comment",
                                       .status = "active",
                                       .limit = limits::context_comments}));
  std::ranges::reverse(comments);
  for (const core::Subject& comment : comments) {
    TYER_TRY(Json shown, shown_json(comment));
    around["comments"].push_back(std::move(shown));
  }
  TYER_TRY(const auto posts, view.newest({.parent = feed::key_of("feed", item.feed),
                                          .kind = "post",
                                          .status = "active",
                                          .limit = limits::context_titles}));
  for (const core::Subject& other : posts) {
    TYER_TRY(const Json shown, shown_json(other));
    around["titles"].push_back({{"id", shown["id"]},
                                {"title", text_or(shown, "title")},
                                {"author_name", text_or(shown, "author_name")}});
  }
  return around;
}

Result<Json> shown_begun(const core::View& view, const feed::Begun& begun,
                         const core::Lease& lease) {
  Json items = Json::array();
  for (const feed::Item& item : begun.items) {
    TYER_TRY(const auto subject, view.subject(item.key));
    if (!subject) return fail(Fault::broken, item.key + " is missing");
    TYER_TRY(const std::string shown, shown_item(view, *subject));
    TYER_TRY(Json json, parse_json_object(shown));
    items.push_back(std::move(json));
  }
  TYER_TRY(Json body, surroundings(view, begun.items.front()));
  TYER_TRY(body["session"], shown_json(begun.session));
  TYER_TRY(body["agent"], shown_json(begun.agent));
  body["items"] = std::move(items);
  body["lease"] = {{"key", lease.key}, {"token", lease.token}};
  return body;
}

}  // namespace

Result<BegunRun> begin_in(store::Txn& txn, Hub& hub, const feed::Actor& actor, feed::Begin begin) {
  env::Env& env = hub.engine().env();
  TYER_TRY(feed::Ids ids, feed::Ids::of(txn, txn.now(), env.random.bits()));
  const std::string id = ids.next("cr_");
  const Secret secret = make_secret("tr", id, env.random);
  begin.credential = {.id = id,
                      .kind = "run",
                      .name = "run " + begin.run,
                      .hash = secret.hash,
                      .prefix = secret.prefix,
                      .expires_at = txn.now() + limits::run_token_time};
  TYER_TRY(feed::Begun begun,
           feed::decide_begin(txn, env.processes, begin, hub.options().rules, txn.now()));
  engine::Applied applied;
  if (!begun.change.empty()) {
    TYER_TRY(applied,
             engine::apply(txn, hub.engine().catalog(), std::move(begun.change), {actor.key()}));
  }
  if (!begun.is_begun) {
    Json body{{"begun", false}, {"why", begun.why}, {"not_before", nullptr}};
    if (begun.not_before) body["not_before"] = format_time(*begun.not_before);
    return BegunRun{.answer = dump_json(body)};
  }
  // One that was asked for twice has its lease from the first time.
  std::optional<core::Lease> lease;
  TYER_TRY(lease, txn.lease(begun.session.key));
  if (!lease || lease->holder.run != begin.run) {
    return fail(Fault::broken, begun.session.key + " has no lease");
  }
  TYER_TRY(Json body, shown_begun(txn, begun, *lease));
  body["begun"] = true;
  body["run"] = begin.run;
  body["skill"] = skill_id();
  body["token"] = secret.text;
  return BegunRun{.is_begun = true, .answer = dump_json(body)};
}

}  // namespace tyer::api
