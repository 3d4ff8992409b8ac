// The API is what it says it is (H20): every route that openapi.json tells of is called, and an
// agent made of curl that knows only skill.md gets its work done.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "base/json.h"
#include "support/hub.h"

namespace tyer::testing {
namespace {

class HubRoutes : public ::testing::TestWithParam<std::string> {
 protected:
  HubPlace place{GetParam()};
};

// What there is to ask about, and who asks.
struct Things {
  std::string agent, key, session, token, feed, post, comment, item;
};

// "/api/posts/{id}" with what there is in it.
std::string filled(std::string path, const Things& things) {
  const std::map<std::string, std::string> ids{
      {"/api/keys/", things.token},       {"/api/agents/", things.agent},
      {"/api/sessions/", things.session}, {"/api/feeds/", things.feed},
      {"/api/posts/", things.post},       {"/api/comments/", things.comment}};
  for (const auto& [start, id] : ids) {
    if (path.starts_with(start + "{id}")) path.replace(path.find("{id}"), 4, id);
  }
  if (const auto at = path.find("{item}"); at != std::string::npos) {
    path.replace(at, 6, things.item);
  }
  for (char& c : path) c = c == '{' || c == '}' ? '_' : c;
  return path;
}

// An address of the route that has nothing in it.
std::string bare(std::string path) {
  for (char& c : path) c = c == '{' || c == '}' ? '_' : c;
  return path;
}

// A body that is right: what is needed, made of what the description says.
Json body_of(const std::string& route, const Json& operation, const Things& things) {
  const std::map<std::string, Json> whole{{"post /api/feeds", {{"name", "one more"}}},
                                          {"patch /api/posts/{id}", {{"content", "new"}}},
                                          {"patch /api/comments/{id}", {{"content", "new"}}},
                                          {"patch /api/agents/{id}", {{"model", "large"}}},
                                          {"patch /api/sessions/{id}", {{"status", "idle"}}}};
  if (whole.contains(route)) return whole.at(route);
  const std::map<std::string, Json> values{{"password", hub_password},
                                           {"ids", Json::array({things.feed})},
                                           {"items", Json::array({things.item})},
                                           {"typing", true}};
  Json body = Json::object();
  if (!operation.contains("requestBody")) return body;
  const Json& schema = operation["requestBody"]["content"]["application/json"]["schema"];
  for (const Json& name : schema.value("required", Json::array())) {
    body[name.get<std::string>()] = values.contains(name) ? values.at(name) : Json("another");
  }
  return body;
}

// Those have tests of their own; here it is enough that they are there.
bool is_told_elsewhere(const std::string& path) {
  return path.starts_with("/api/leases") || path.starts_with("/api/uploads") ||
         path == "/api/auth/link" || path.starts_with("/api/search") ||
         path.contains("/runs/{run}/");
}

Things fill(Visitor& admin, const RunningHub& hub) {
  Things things;
  const Reply made = admin.post("/api/keys", {{"name", "bot"}, {"type", "demo"}});
  things.agent = made.text("id");
  things.key = made.text("key");
  things.token = admin.post("/api/agents/" + things.agent + "/keys", {{"name", "two"}}).text("id");
  Visitor bot = hub.visitor().as(things.key);
  things.session = bot.make("/api/agents/" + things.agent + "/sessions", {{"name", "own"}});
  things.feed = admin.make("/api/feeds", {{"name", "main"}});
  // The agent's own, so that both it and the admin may change them.
  things.post = bot.make("/api/feeds/" + things.feed + "/posts", {{"content", "hello"}});
  things.comment = bot.make("/api/posts/" + things.post + "/comments", {{"content", "hello"}});
  things.item = admin.make("/api/posts/" + things.post + "/comments", {{"content", "@bot/own"}});
  return things;
}

TEST_P(HubRoutes, AnswerAsTheirDescriptionSays) {
  const RunningHub hub(place);
  Visitor admin = hub.admin();
  const Things things = fill(admin, hub);
  Visitor bot = hub.visitor().as(things.key);
  const Json paths = hub.visitor().get("/api/openapi.json").json()["paths"];
  ASSERT_GE(paths.size(), 25U);

  // What deletes comes last, the small things first, and then what ends the login.
  const std::vector<std::string> late{"/api/comments/", "/api/posts/", "/api/feeds/",
                                      "/api/sessions/", "/api/keys/",  "/api/agents/"};
  std::map<std::string, std::pair<std::string, std::string>> calls;
  for (const auto& [path, operations] : paths.items()) {
    for (const auto& [method, operation] : operations.items()) {
      const auto rank = std::ranges::find_if(
          late, [&](const std::string& start) { return path.starts_with(start); });
      std::string order = method == "delete" ? "2" + std::to_string(rank - late.begin()) : "1";
      if (path.ends_with("/logout")) order = "3";
      calls[order + path + method] = {path, method};
    }
  }
  for (const auto& [order, call] : calls) {
    const auto& [path, method] = call;
    // It answers once there is something to do: see WorkerOffer.
    if (path == "/api/work" && method == "post") continue;
    const Json& operation = paths[path][method];
    std::string verb = method;
    for (char& c : verb) c = static_cast<char>(std::toupper(c));
    const bool streams = path.ends_with("/stream");
    Visitor& who = operation["description"] == "For agents." ? bot : admin;
    const std::string target = filled(path, things);
    const bool has_body = verb != "GET" && verb != "DELETE";
    const std::string body =
        has_body ? dump_json(body_of(method + " " + path, operation, things)) : "";

    const Reply reply = who.ask(streams ? "HEAD" : verb, target, body);

    EXPECT_LT(reply.status, 500) << verb << " " << target << ": " << reply.body;
    EXPECT_FALSE(reply.body.contains("there is nothing at")) << verb << " " << target;
    const bool is_second = path == "/api/setup" && verb == "POST";
    if (!is_told_elsewhere(path)) {
      const std::string told = operation["responses"].begin().key();
      EXPECT_EQ(std::to_string(reply.status), is_second ? "409" : told)
          << verb << " " << target << ": " << reply.body;
    }
    if (path == "/api/auth/login") {
      const std::string cookie = reply.header("set-cookie");
      admin.with("Cookie", cookie.substr(0, cookie.find(';')))
          .with("X-CSRF-Token", reply.text("csrf_token"));
    }
  }
  EXPECT_EQ(hub.visitor().get("/api/nothing").status, 404);
  const Reply wrong = hub.visitor().ask("PUT", "/api/feeds");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "GET, POST");
}

TEST_P(HubRoutes, AreEnoughForAnAgentThatKnowsOnlyItsGuide) {
  const RunningHub hub(place);
  Visitor admin = hub.admin();
  const Reply agent = admin.post("/api/keys", {{"name", "bot"}, {"type", "command"}});
  const std::string feed = admin.make("/api/feeds", {{"name", "main"}});
  const std::string post = admin.make("/api/feeds/" + feed + "/posts",
                                      {{"content", "@bot what is \"6 × 7\"?\nAnd why?"}});
  const std::string pending = "/api/sessions/" + agent.text("default_session") + "/pending";
  ASSERT_EQ(admin.get(pending).json()["data"].size(), 1U);

  const ProgramResult ran =
      run_program({.words = {TYER_SOURCE "/docs/examples/curl_agent.sh"},
                   .environment = {{"TYER_URL", hub.url()}, {"TYER_API_KEY", agent.text("key")}},
                   .program = "sh"});

  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(admin.get(pending).json()["data"].size(), 0U) << "it was not answered";
  const Json comments = admin.get("/api/posts/" + post + "/comments").json()["data"];
  ASSERT_EQ(comments.size(), 1U);
  EXPECT_EQ(comments[0]["author_name"], "bot");
  EXPECT_EQ(comments[0]["author_type"], "bot");
}

TEST_P(HubRoutes, AreToldToAgentsAsTheExampleUsesThem) {
  const RunningHub hub(place);
  const std::string guide = hub.visitor().get("/skill.md").body;
  std::ifstream file(TYER_SOURCE "/docs/examples/curl_agent.sh");
  const std::string script{std::istreambuf_iterator<char>(file), {}};

  for (const char* path : {"/api/auth/me", "/api/sessions/$SESSION/pending",
                           "/api/posts/$POST/comments", "Authorization: Bearer $TYER_API_KEY"}) {
    EXPECT_TRUE(guide.contains(path)) << path;
    EXPECT_TRUE(script.contains(path)) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(On, HubRoutes, ::testing::ValuesIn(hub_backends()),
                         [](const auto& test) { return test.param; });

TEST_P(HubRoutes, EachRefusesWhatItDoesNotKnow) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  const Json api = visitor.get("/api/openapi.json").json();
  for (const auto& [path, methods] : api["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      if (path == "/") continue;  // What people have in the address of the page is their own.
      std::string word = method;
      for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      const Reply query = visitor.ask(word, bare(path) + "?nonsense=1");
      EXPECT_EQ(query.status, path.contains("/typing") ? 403 : 400) << word << " " << path;
      if (word == "GET" || path == "/api/uploads" || path.contains("/typing")) continue;
      const Reply body = visitor.ask(word, bare(path), R"({"nonsense":1})");
      EXPECT_EQ(body.status, 400) << word << " " << path << body.body;
      EXPECT_TRUE(body.body.contains("nonsense")) << body.body;
    }
  }
}

TEST_P(HubRoutes, WhatIsNearIsNamed) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();

  const Reply query = visitor.get("/api/agents?limt=2");
  EXPECT_EQ(query.status, 400);
  EXPECT_TRUE(
      query.body.contains("the parameter 'limt' is not understood here; did you mean "
                          "'limit'?"))
      << query.body;
  const Reply body = visitor.post("/api/feeds", {{"nmae", "x"}});
  EXPECT_EQ(body.status, 400);
  EXPECT_TRUE(body.body.contains("did you mean 'name'?")) << body.body;
  EXPECT_EQ(visitor.get("/api/agents?limit=2&limit=3").status, 400);
  EXPECT_EQ(visitor.get("/api/work?all=yes").status, 400);
  EXPECT_EQ(visitor.get("/?from=mail").status, 200);
}

TEST_P(HubRoutes, FeedsComeByPagesIfThatIsAsked) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  for (const char* name : {"a", "b", "c"}) visitor.make("/api/feeds", {{"name", name}});

  EXPECT_EQ(visitor.get("/api/feeds").json()["data"].size(), 3U);
  const Json first = visitor.get("/api/feeds?limit=2").json();
  EXPECT_EQ(first["data"].size(), 2U);
  const Json rest =
      visitor.get("/api/feeds?limit=2&cursor=" + text_or(first, "next_cursor")).json();
  ASSERT_EQ(rest["data"].size(), 1U);
  EXPECT_EQ(text_or(rest["data"][0], "name"), "c");
  EXPECT_EQ(rest["next_cursor"], Json());
  EXPECT_EQ(visitor.get("/api/feeds?cursor=fd_none").status, 400);
}

// Two of one name could only be told apart by their ids.
TEST_P(HubRoutes, FeedsAreNotRenamedToANameThatIsTaken) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  const std::string news = visitor.make("/api/feeds", {{"name", "News"}});
  const std::string path = "/api/feeds/" + visitor.make("/api/feeds", {{"name", "other"}});

  const Reply taken = visitor.patch(path, {{"name", "nEWS"}});

  EXPECT_EQ(taken.status, 409);
  EXPECT_TRUE(taken.body.contains("there is a feed 'News' already (" + news + ")")) << taken.body;
  EXPECT_EQ(visitor.get(path).text("name"), "other");
  EXPECT_EQ(visitor.patch(path, {{"name", "Other"}}).status, 200) << "its own, written otherwise";
}

// H5: while others write.
TEST_P(HubRoutes, FeedsComeByPagesThoughTheLastOfAPageIsDeletedOrMoved) {
  const RunningHub hub(place, {"--open-loopback"});
  Visitor visitor = hub.visitor();
  std::map<std::string, std::string> ids;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    ids[name] = visitor.make("/api/feeds", {{"name", name}});
  }
  std::string seen;
  std::string cursor;
  const auto read = [&] {
    const Json page = visitor.get("/api/feeds?limit=1&cursor=" + cursor).json();
    for (const Json& row : page["data"]) seen += text_or(row, "name");
    cursor = text_or(page, "next_cursor");
  };
  const auto order = [&](const std::vector<std::string>& first) {
    EXPECT_EQ(visitor.ask("PUT", "/api/feeds/order", dump_json({{"ids", first}})).status, 200);
  };
  order({ids["b"], ids["a"]});

  read();
  EXPECT_EQ(visitor.ask("DELETE", "/api/feeds/" + ids["b"]).status, 204);
  read();
  // What comes to the front is passed; the others are all read, and once.
  order({ids["e"]});
  read();
  EXPECT_EQ(visitor.ask("DELETE", "/api/feeds/" + ids["c"]).status, 204);
  read();

  EXPECT_EQ(seen, "bacd");
  EXPECT_EQ(cursor, "");
}

}  // namespace
}  // namespace tyer::testing
