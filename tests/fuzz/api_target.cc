// Requests to a whole hub, drawn from its table of routes: whoever asks whatever of whichever route
// gets an answer that is one, and nobody gets what the table does not let them have.
//
// The bytes of an input decide: which route, who asks, what stands in its path, query and body. The
// hub goes on from one input to the next, as a real one does, and is made anew now and then.

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "api/hub.h"
#include "api/uploads.h"
#include "base/json.h"
#include "base/text.h"
#include "core/run.h"
#include "feed/kinds.h"
#include "feed/shifts.h"
#include "fuzz/targets.h"
#include "http/parser.h"
#include "sim/disk.h"
#include "sim/machine.h"
#include "sim/rng.h"
#include "store/sqlite_store.h"

namespace tyer::fuzz {
namespace {

constexpr int requests_of_an_input = 8;
constexpr int inputs_of_a_world = 300;
constexpr std::size_t ids_kept = 8;  // Of each kind.
constexpr const char* inner_key = "inner";

// Draws from the bytes of an input; from nothing but zeros behind their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool is_over() const { return rest_.empty(); }
  std::size_t below(std::size_t bound) { return next() % bound; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(std::size(list))];
  }
  std::string piece() {
    const std::string_view taken = rest_.substr(0, next());
    rest_.remove_prefix(std::min(taken.size(), rest_.size()));
    return std::string(taken);
  }

 private:
  std::size_t next() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string_view rest_;
};

enum class Who : std::uint8_t { nobody, admin, agent, other_agent, run, liar };

struct Asked {
  http::Request request;
  const api::Route* route = nullptr;  // That it was made for.
  Who who = Who::nobody;
};

class World {
 public:
  World() {
    std::vector<core::Kind> kinds = feed::kinds();
    kinds.push_back(core::run_kind());
    catalog_.emplace(std::move(kinds), std::vector<core::Rule>{feed::end_lost_shift()});
    auto opened = store::open_sqlite(":memory:", env_, {});
    if (!opened) return;
    store_ = *std::move(opened);
    engine_.emplace(env_, *store_, *catalog_);
    api::HubOptions options;
    options.inner_key = inner_key;
    hub_.emplace(*engine_, log_, std::move(options), nullptr);
    fill();
  }

  [[nodiscard]] std::string complaint() const { return complaint_; }

  // What is wrong with its answer.
  std::string ask(Choices& choices) {
    if (!complaint_.empty()) return complaint_;
    time_.now += 1s;
    Asked asked = draw(choices);
    http::Response response = hub_->handle(asked.request);
    if (response.file_fd >= 0) ::close(response.file_fd);
    note_ids(response.body);
    const std::string wrong = judge(asked, response);
    if (wrong.empty()) return "";
    return fmt::format("{} {} by {} with {}: {}: {} {}", asked.request.method, asked.request.path,
                       static_cast<int>(asked.who), asked.request.body, wrong, response.status,
                       response.body);
  }

 private:
  // A few of everything, for others to be asked about.
  void fill() {
    for (const auto& [name, key] : {std::pair("bot", &agent_), std::pair("other", &other_agent_)}) {
      const Json made = post("/api/keys", inner_key, {{"name", name}, {"type", "command"}});
      *key = text_or(made, "key");
      const Json me = get("/api/auth/me", *key);
      const std::string session = text_or(me, "default_session");
      const Json token =
          post("/api/sessions/" + session + "/tokens", *key, {{"run", fmt::format("{}-1", name)}});
      run_ = text_or(token, "token");
    }
    const std::string feed = text_or(post("/api/feeds", inner_key, {{"name", "main"}}), "id");
    const Json written =
        post("/api/feeds/" + feed + "/posts", inner_key, {{"content", "@bot and @other/deploy"}});
    post("/api/posts/" + text_or(written, "id") + "/comments", agent_, {{"content", "@other"}});
    post("/api/leases", agent_, {{"names", {"K"}}, {"session", "session-1"}});
    if (agent_.empty() || run_.empty() || feed.empty()) complaint_ = "the hub cannot be filled";
  }

  Json get(const std::string& path, const std::string& key) { return send("GET", path, key, ""); }
  Json post(const std::string& path, const std::string& key, const Json& body) {
    return send("POST", path, key, dump_json(body));
  }
  Json send(const char* method, const std::string& path, const std::string& key,
            const std::string& body) {
    http::Request request{.method = method,
                          .path = path,
                          .headers = {{"authorization", "Bearer " + key}},
                          .body = body,
                          .peer = "127.0.0.1:9"};
    const http::Response response = hub_->handle(request);
    note_ids(response.body);
    return parse_json(response.body).value_or(Json::object());
  }

  Asked draw(Choices& choices) {
    const auto& routes = api::routes();
    // Two bytes: there are more routes than one can name for long.
    const std::size_t index = choices.below(256) * 256 + choices.below(256);
    Asked asked{.route = &routes[index % routes.size()]};
    constexpr std::array methods{"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"};
    asked.request.method = choices.below(16) == 15 ? choices.one_of(methods) : asked.route->method;
    asked.request.path = draw_path(choices, asked.route->path);
    asked.request.peer = "127.0.0.1:9";
    asked.who = static_cast<Who>(choices.below(6));
    if (const std::string key = key_of(asked.who, choices); !key.empty()) {
      asked.request.headers.push_back({"authorization", "Bearer " + key});
    }
    if (choices.below(8) == 7) asked.request.headers.push_back({"if-match", choices.piece()});
    for (const api::Field& field : asked.route->query) {
      if (!field.required && choices.below(2) == 0) continue;
      asked.request.query.emplace_back(field.name, draw_text(choices, field.name));
    }
    asked.request.body = draw_body(choices, *asked.route);
    return asked;
  }

  std::string key_of(Who who, Choices& choices) const {
    switch (who) {
      case Who::nobody: return "";
      case Who::admin: return inner_key;
      case Who::agent: return agent_;
      case Who::other_agent: return other_agent_;
      case Who::run: return run_;
      case Who::liar: return "x" + choices.piece();
    }
    return "";
  }

  // "{id}" behind "sessions" is mostly one of a session.
  std::string draw_path(Choices& choices, std::string_view pattern) {
    std::string path;
    std::string_view before;
    while (!pattern.empty()) {
      pattern.remove_prefix(1);
      const std::string_view part = pattern.substr(0, pattern.find('/'));
      pattern.remove_prefix(part.size());
      path += '/';
      if (!part.starts_with('{')) {
        path += part;
        before = part;
        continue;
      }
      path += choices.below(8) == 7 ? draw_text(choices, part) : draw_id(choices, before);
    }
    return path;
  }

  std::string draw_id(Choices& choices, std::string_view kind) {
    static const std::map<std::string_view, std::string_view> prefixes{
        {"agents", "ag"},   {"sessions", "ss"}, {"feeds", "fd"},   {"posts", "ps"},
        {"comments", "cm"}, {"keys", "cr"},     {"uploads", "up"}, {"items", "ps"}};
    const auto prefix = prefixes.find(kind);
    if (prefix == prefixes.end()) return choices.below(2) == 0 ? "bot-1" : "other-1";
    const auto& known = ids_[std::string(prefix->second)];
    return known.empty() ? "none" : choices.one_of(known);
  }

  std::string draw_text(Choices& choices, std::string_view name) {
    static constexpr std::array<std::string_view, 16> texts{
        "",           "K",       "session-1", "true",   "false",  "1",
        "@bot hi",    "@nobody", "active",    "deploy", "claude", "2026-11-15T00:00:00Z",
        "place12345", "main",    "\x01\x7f",  "../../x"};
    // A password's hash would take longer than all else.
    if (name == "password") return std::string(choices.one_of(texts)).substr(0, 5);
    static const std::map<std::string_view, std::string_view> likely{
        {"name", "K"},           {"names", "K"},        {"session", "session-1"},
        {"place", "place12345"}, {"run", "bot-1"},      {"host", "far"},
        {"boot", "boot-1"},      {"namespace", "ns"},   {"key", "lock/K"},
        {"verdict", "done"},     {"tokens", "1"},       {"q", "hi"},
        {"type", "command"},     {"permission", "read"}};
    const auto usual = likely.find(name);
    if (usual != likely.end() && choices.below(2) == 0) return std::string(usual->second);
    switch (choices.below(4)) {
      case 0: return std::string(choices.one_of(texts));
      case 1: {
        constexpr std::array kinds{"agents", "sessions", "feeds", "posts", "comments", "keys"};
        return draw_id(choices, choices.one_of(kinds));
      }
      case 2: {
        std::string piece = choices.piece();
        return is_utf8(piece) ? piece : "not UTF-8";
      }
      default: return std::string(choices.below(256) * 100, 'x');
    }
  }

  std::int64_t draw_number(Choices& choices) {
    constexpr std::array<std::int64_t, 10> numbers{
        0, 1, -1, 2, 100, 60'000, 1'000'000, 1LL << 53U, INT64_MAX, INT64_MIN};
    return choices.below(2) == 0 ? static_cast<std::int64_t>(choices.below(256))
                                 : choices.one_of(numbers);
  }

  Json draw_value(Choices& choices, const api::Field& field) {
    switch (choices.below(16) == 15 ? static_cast<api::Type>(choices.below(4)) : field.type) {
      case api::Type::text: return draw_text(choices, field.name);
      case api::Type::number: return draw_number(choices);
      case api::Type::flag: return choices.below(2) == 1;
      case api::Type::texts: {
        Json list = Json::array();
        for (std::size_t left = choices.below(4); left > 0; --left) {
          list.push_back(draw_text(choices, field.name));
        }
        return list;
      }
    }
    return {};
  }

  std::string draw_body(Choices& choices, const api::Route& route) {
    if (choices.below(16) == 15) return choices.piece();
    Json body = Json::object();
    for (const api::Field& field : route.body) {
      if (!field.required && choices.below(3) == 0) continue;
      body[std::string(field.name)] = draw_value(choices, field);
    }
    if (choices.below(32) == 31) body[draw_text(choices, "")] = 1;
    return dump_json(body);
  }

  // "ss_01kb2v6d9s0q8t5n3m1x7c4z2f" and the like, the newest of each kind.
  void note_ids(std::string_view body) {
    constexpr std::size_t digits = 26;
    for (std::size_t at = body.find('_'); at != std::string_view::npos;
         at = body.find('_', at + 1)) {
      if (at < 3 || body[at - 3] != '"') continue;
      const std::string_view id = body.substr(at - 2, 3 + digits);
      if (id.size() < 3 + digits || !std::ranges::all_of(id.substr(3), is_plain)) continue;
      auto& known = ids_[std::string(id.substr(0, 2))];
      if (std::ranges::find(known, id) != known.end()) continue;
      if (known.size() >= ids_kept) known.erase(known.begin());
      known.emplace_back(id);
    }
  }

  static bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

  static std::string judge(const Asked& asked, const http::Response& response) {
    if (response.status == 500) return "it failed here";
    const bool is_fine = response.status / 100 == 2;
    if (!is_fine && response.status / 100 != 3 && asked.request.method != "HEAD") {
      const auto json = parse_json_object(response.body, response.body.size());
      const Json error = json && json->contains("error") ? (*json)["error"] : Json();
      if (!error.is_object() || text_or(error, "code").empty() ||
          text_or(error, "message").empty()) {
        return "an error does not say what is wrong";
      }
    }
    if (!http::response_head(response, 11, response.body.size(), http::Ending::keep)) {
      return "it cannot be sent";
    }
    return is_fine ? judge_access(asked) : "";
  }

  // Of one that was answered with what it asked for.
  static std::string judge_access(const Asked& asked) {
    const api::Match match = api::find_route(asked.request.method, asked.request.path);
    if (match.route == nullptr) return "";  // The page's.
    const bool is_agent =
        asked.who == Who::agent || asked.who == Who::other_agent || asked.who == Who::run;
    const bool is_nobody = asked.who == Who::nobody || asked.who == Who::liar;
    switch (match.route->who) {
      case api::Who::anyone: return "";
      case api::Who::known: return is_nobody ? "nobody got what is for those who are known" : "";
      case api::Who::human: return is_agent || is_nobody ? "an agent got what is for people" : "";
      case api::Who::agent: return is_agent ? "" : "somebody got what is for agents";
      case api::Who::worker:
        return is_nobody || asked.who == Who::run ? "somebody got what is for workers" : "";
    }
    return "";
  }

  sim::TrueTime time_{from_micros(1'767'323'045'000'000)};
  sim::Machine machine_{"laptop", time_, false};
  sim::Disk disk_;
  sim::SimFiles files_{disk_};
  sim::Rng random_{1};
  sim::MachineClock clock_{machine_};
  sim::MachineProcesses processes_{machine_, 1};
  env::Env env_{clock_, files_, processes_, random_};
  const Log log_;
  std::optional<core::Catalog> catalog_;
  std::unique_ptr<store::Store> store_;
  std::optional<engine::Engine> engine_;
  std::optional<api::Hub> hub_;

  std::string agent_;
  std::string other_agent_;
  std::string run_;
  std::map<std::string, std::vector<std::string>> ids_;
  std::string complaint_ = {};
};

}  // namespace

std::string ask_hub(std::string_view input) {
  static std::unique_ptr<World> world;
  static int inputs = 0;
  if (inputs++ % inputs_of_a_world == 0) world = std::make_unique<World>();
  Choices choices(input);
  for (int i = 0; i < requests_of_an_input && !choices.is_over(); ++i) {
    if (std::string complaint = world->ask(choices); !complaint.empty()) {
      inputs = 0;  // What is left behind is no ground for the next one.
      return complaint;
    }
  }
  return world->complaint();
}

}  // namespace tyer::fuzz
