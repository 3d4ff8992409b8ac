// The routes of the API as data: router, checks, description and the guide for agents are made from
// them.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "feed/actor.h"
#include "http/message.h"

namespace tyer::api {

class Hub;

enum class Type : std::uint8_t { text, number, flag, texts };

struct Field {
  std::string_view name;
  Type type = Type::text;
  bool required = false;
  std::string_view what;  // For the description.
};

// Who may call a route.
enum class Who : std::uint8_t {
  anyone,  // Also without saying who one is.
  known,   // People and agents.
  human,
  agent,
  worker,  // Who starts runs: with an agent's key or as a person, not with the token of a run.
};

// The body of a request, checked against the fields of its route.
class Input {
 public:
  [[nodiscard]] static Result<Input> read(std::span<const Field> fields, const std::string& body);

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;  // Empty if absent.
  [[nodiscard]] std::optional<std::string> maybe_text(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> maybe_number(std::string_view name) const;
  [[nodiscard]] std::optional<bool> maybe_flag(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::optional<std::vector<std::string>> maybe_texts(std::string_view name) const;

 private:
  using Value = std::variant<std::string, std::int64_t, bool, std::vector<std::string>>;
  template <class T>
  [[nodiscard]] std::optional<T> get(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

// Who calls.
struct Caller {
  feed::Actor actor;       // With an empty id: nobody.
  std::string credential;  // cr_…; empty for the owner of a local store.
  bool by_cookie = false;

  [[nodiscard]] bool is_known() const { return !actor.id.empty(); }
};

struct Call {
  Hub& hub;
  http::Request& request;
  Caller caller;
  std::map<std::string, std::string, std::less<>> path;  // "id" of "/api/posts/{id}".
  Input input;

  [[nodiscard]] const std::string& id() const { return path.at("id"); }
  // The revision that If-Match names.
  [[nodiscard]] Result<std::optional<std::uint64_t>> expected_rev() const;
};

using Handle = Result<http::Response> (*)(Call& call);

struct Route {
  std::string_view method;
  std::string_view path;
  Who who = Who::known;
  std::string_view summary;
  std::vector<Field> query = {};
  std::vector<Field> body = {};
  std::string_view reply;  // A word for the description: "Post", "Page of Post".
  int status = 200;
  Handle handle = nullptr;
  bool writes_feed = false;  // Counts against the author's limit; see Hub::check_rate.
  bool quick = false;        // Reads a few rows and does nothing else.
  bool takes_file = false;   // Its body is a file.
  bool takes_any = false;    // Its address is for people, who may have more in it.
};

// Nothing that is asked is ignored: `invalid` names what the route does not know, and what is near.
[[nodiscard]] Result<> check_query(const Route& route, const http::Request& request);
[[nodiscard]] Result<Input> read_body(const Route& route, const http::Request& request);

// All of them, in the order in which they are described.
[[nodiscard]] const std::vector<Route>& routes();

// Parts of the table.
[[nodiscard]] std::vector<Route> auth_routes();
[[nodiscard]] std::vector<Route> agent_routes();
[[nodiscard]] std::vector<Route> session_routes();
[[nodiscard]] std::vector<Route> shift_routes();
[[nodiscard]] std::vector<Route> run_routes();
[[nodiscard]] std::vector<Route> feed_routes();
[[nodiscard]] std::vector<Route> post_routes();
[[nodiscard]] std::vector<Route> post_list_routes();
[[nodiscard]] std::vector<Route> lease_routes();
[[nodiscard]] std::vector<Route> search_routes();
[[nodiscard]] std::vector<Route> upload_routes();
[[nodiscard]] std::vector<Route> event_routes();
[[nodiscard]] std::vector<Route> system_routes();

struct Match {
  const Route* route = nullptr;
  std::map<std::string, std::string, std::less<>> path;
  std::string allowed;  // Methods of the path, if only the method does not fit.
};
[[nodiscard]] Match find_route(std::string_view method, std::string_view path);

}  // namespace tyer::api
