#include "api/run_begin.h"

#include <ranges>

#include "api/answer.h"
#include "api/describe.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/secrets.h"
#include "api/sessions.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/text.h"
#include "feed/items.h"
#include "feed/kinds.h"
#include "feed/records.h"

namespace tyer::api {
namespace {

// The last comments of the thread and the newest titles of the feed, for who was not there. Texts
// are as they are stored: nobody has to read them to pass them on.
Result<> add_surroundings(const core::View& view, const feed::Item& item,
                          std::vector<JsonPart>& told) {
  TYER_TRY(const core::Subject post, feed::find(view, "post", item.post));
  told.push_back(JsonPart::of("post", shown(post)));
  TYER_TRY(const auto feed, view.subject(feed::key_of("feed", item.feed)));
  if (feed) told.push_back(JsonPart::of("feed", shown(*feed)));
  TYER_TRY(const auto last, view.newest({.parent = post.key,
                                         .kind = "comment",
                                         .status = "active",
                                         .limit = limits::context_comments}));
  std::vector<std::string> comments;
  for (const core::Subject& comment : std::views::reverse(last)) comments.push_back(shown(comment));
  told.push_back(JsonPart::of("comments", json_array(comments)));
  TYER_TRY(const auto posts, view.newest({.parent = feed::key_of("feed", item.feed),
                                          .kind = "post",
                                          .status = "active",
                                          .limit = limits::context_titles}));
  std::vector<std::string> titles;
  for (const core::Subject& other : posts) {
    TYER_TRY(const JsonFields state, JsonFields::read(other.state));
    titles.push_back(json_object({{"author_name", state.text("author_name")},
                                  {"id", feed::id_of(other)},
                                  {"title", state.text("title")}}));
  }
  told.push_back(JsonPart::of("titles", json_array(titles)));
  return {};
}

Result<std::string> shown_begun(const core::View& view, const feed::Begun& begun,
                                std::vector<JsonPart> told) {
  std::vector<std::string> items;
  for (const feed::Item& item : begun.items) {
    TYER_TRY(const auto subject, view.subject(item.key));
    if (!subject) return fail(Fault::broken, item.key + " is missing");
    TYER_TRY(items.emplace_back(), shown_item(view, *subject));
  }
  told.push_back(JsonPart::of("items", json_array(items)));
  told.push_back(JsonPart::of("session", shown(begun.session)));
  told.push_back(JsonPart::of("agent", shown(begun.agent)));
  TYER_TRY_OK(add_surroundings(view, begun.items.front(), told));
  return json_object(std::move(told));
}

// The run's credential, which goes into `begin`. Returns its secret.
Result<std::string> add_credential(store::Txn& txn, env::Random& random, feed::Begin& begin) {
  TYER_TRY(feed::Ids ids, feed::Ids::of(txn, txn.now(), random.bits()));
  const std::string id = ids.next("cr_");
  Secret secret = make_secret("tr", id, random);
  begin.credential = {.id = id,
                      .kind = "run",
                      .name = "run " + begin.run,
                      .hash = std::move(secret.hash),
                      .prefix = std::move(secret.prefix),
                      .expires_at = txn.now() + limits::run_token_time};
  return std::move(secret.text);
}

}  // namespace

Result<BegunRun> begin_in(store::Txn& txn, Hub& hub, feed::Begin begin) {
  const env::Env& env = hub.engine().env();
  TYER_TRY(const std::string token, add_credential(txn, env.random, begin));
  TYER_TRY(feed::Begun begun,
           feed::decide_begin(txn, env.processes, begin, hub.options().rules, txn.now()));
  engine::Applied applied;
  if (!begun.change.empty()) {
    TYER_TRY(applied, engine::apply(txn, hub.engine().catalog(), std::move(begun.change),
                                    {begun.session.key}));
  }
  if (!begun.is_begun) {
    Json body{{"begun", false},
              {"why", begun.why},
              {"not_before", nullptr},
              {"put_off", begun.is_put_off}};
    if (begun.not_before) body["not_before"] = format_time(*begun.not_before);
    return BegunRun{.answer = dump_json(body)};
  }
  // One that was asked for twice has its lease from the first time.
  std::optional<core::Lease> lease;
  TYER_TRY(lease, txn.lease(begun.session.key));
  if (!lease || lease->holder.run != begin.run) {
    return fail(Fault::broken, begun.session.key + " has no lease");
  }
  std::vector<JsonPart> told{
      {"begun", true},
      {"run", begin.run},
      {"skill", skill_id()},
      {"token", token},
      JsonPart::of("lease", json_object({{"key", lease->key}, {"token", lease->token}}))};
  if (!begun.left.empty()) {
    std::vector<std::string> left;
    for (const feed::Left& one : begun.left) {
      left.push_back(json_object({{"run", one.run}, {"mark", one.mark}}));
    }
    told.push_back(JsonPart::of("left", json_array(left)));
  }
  TYER_TRY(std::string text, shown_begun(txn, begun, std::move(told)));
  return BegunRun{.is_begun = true, .answer = std::move(text)};
}

}  // namespace tyer::api
