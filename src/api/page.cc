#include "api/page.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "api/limits.h"
#include "http/gunzip.h"

namespace tyer::api {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_path = "/index.html";
constexpr std::string_view assets = "/assets/";

constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

constexpr std::string_view not_built = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tyer</title>
<h1>Tyer is running</h1>
<p>This program was built without its page: that needs Node 20.19 or newer with npm.
With them, build it again: <code>./dev build release</code>. The archives that
<code>./dev dist</code> makes have the page in them.
<p>Everything else is here. Agents read <a href="/skill.md">/skill.md</a>;
<code>tyer --help</code> lists the commands for people.
</html>
)";

struct Extension {
  std::string_view ending;
  std::string_view type;
};
constexpr std::array extensions{
    Extension{".html", "text/html; charset=utf-8"},
    Extension{".js", "text/javascript; charset=utf-8"},
    Extension{".css", "text/css; charset=utf-8"},
    Extension{".json", "application/json"},
    Extension{".webmanifest", "application/manifest+json"},
    Extension{".svg", "image/svg+xml"},
    Extension{".png", "image/png"},
    Extension{".ico", "image/x-icon"},
    Extension{".woff2", "font/woff2"},
    Extension{".txt", "text/plain; charset=utf-8"},
    Extension{".map", "application/json"},
};

// The next of a list with commas, without blanks; `list` goes on behind it.
std::string_view next_of(std::string_view& list) {
  std::string_view one = list.substr(0, list.find(','));
  list.remove_prefix(std::min(one.size() + 1, list.size()));
  one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
  return one.substr(0, one.find_last_not_of(" \t") + 1);
}

// Whether `name` is in a header like "text/html, gzip;q=0.5", and not with the weight 0.
bool accepts(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::string_view one = next_of(list);
    std::string_view word = one.substr(0, one.find(';'));
    word = word.substr(0, word.find_last_not_of(" \t") + 1);
    if (!http::same_ignoring_case(word, name)) continue;
    const std::size_t weight = one.find("q=");
    return weight == std::string_view::npos ||
           one.find_first_not_of("0.", weight + 2) != std::string_view::npos;
  }
  return false;
}

bool is_known_to_peer(const http::Request& request, std::string_view etag) {
  std::string_view list = request.header("if-none-match");
  while (!list.empty()) {
    std::string_view one = next_of(list);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || one == etag) return true;
  }
  return false;
}

// Which of its files the page has for this; empty if this is not for the page.
std::string_view path_in_page(const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return {};
  const std::string_view path = request.path;
  if (path == "/api" || path.starts_with("/api/")) return {};
  if (path != "/") return path;
  // What asks for text or JSON only is no browser, and cannot use it.
  const std::string_view accepted = request.header("accept");
  const bool is_wanted = accepted.empty() || accepts(accepted, "*/*") ||
                         accepts(accepted, "text/*") || accepts(accepted, "text/html");
  return is_wanted ? index_path : std::string_view{};
}

// Whether a browser goes there: then the page says what is at this path. Scripts and pictures are
// not asked for as text/html.
bool is_visit(const http::Request& request) {
  return !request.path.starts_with(assets) && accepts(request.header("accept"), "text/html");
}

http::Response hint() {
  return {.headers = {{"content-type", "text/plain; charset=utf-8"}, {"cache-control", "no-cache"}},
          .body = "Tyer is running. Agents: GET /skill.md\n"};
}

http::Response with_policy(std::string_view type, std::string_view caching) {
  return {.headers = {{"content-type", std::string(type)},
                      {"cache-control", std::string(caching)},
                      {"content-security-policy", std::string(page_policy)}}};
}

Result<http::Response> show_file(const http::Request& request, const PageFile& file) {
  const bool is_fixed = file.path.starts_with(assets);
  http::Response response =
      with_policy(file.type, is_fixed ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.push_back({"vary", is_fixed ? "accept-encoding" : "accept, accept-encoding"});
  // Weak: the same for both encodings.
  response.headers.push_back({"etag", fmt::format("W/{}", file.etag)});
  if (is_known_to_peer(request, file.etag)) {
    response.status = 304;
    return response;
  }
  if (accepts(request.header("accept-encoding"), "gzip")) {
    response.headers.push_back({"content-encoding", "gzip"});
    response.body = file.gzip;
  } else {
    TYER_TRY(response.body, http::gunzip(file.gzip, limits::page_file_bytes_max));
  }
  return response;
}

// Every part has a name, and none is hidden or leads up.
bool is_plain(std::string_view path) {
  return path.starts_with('/') && !path.contains("//") && !path.contains("/.") &&
         !path.ends_with('/');
}

// Where `path` really is, if that is a file in `folder`.
std::optional<std::string> place_in(const std::string& folder, std::string_view path) {
  if (!is_plain(path) || page_type(path).empty()) return std::nullopt;
  std::error_code problem;
  const fs::path root = fs::canonical(folder, problem);
  if (problem) return std::nullopt;
  const fs::path place = fs::canonical(root.string() + std::string(path), problem);
  if (problem || !place.string().starts_with(root.string() + "/")) return std::nullopt;
  if (!fs::is_regular_file(place, problem)) return std::nullopt;
  return place.string();
}

}  // namespace

std::string_view page_type(std::string_view path) {
  const auto found = std::ranges::find_if(
      extensions, [&](const Extension& one) { return path.ends_with(one.ending); });
  return found == extensions.end() ? std::string_view{} : found->type;
}

Result<std::optional<http::Response>> show_page(const http::Request& request,
                                                std::span<const PageFile> files) {
  const std::string_view path = path_in_page(request);
  if (path.empty()) return request.path == "/" ? std::optional(hint()) : std::nullopt;
  auto file = std::ranges::find(files, path, &PageFile::path);
  const bool is_index = path == index_path || (file == files.end() && is_visit(request));
  if (is_index && files.empty()) {
    http::Response response = with_policy("text/html; charset=utf-8", "no-cache");
    response.body = not_built;
    return response;
  }
  if (is_index) file = std::ranges::find(files, index_path, &PageFile::path);
  if (file == files.end()) return std::nullopt;
  return show_file(request, *file);
}

Result<std::optional<http::Response>> show_page(const http::Request& request, env::Files& files,
                                                const std::string& folder) {
  const std::string_view path = path_in_page(request);
  if (path.empty()) return request.path == "/" ? std::optional(hint()) : std::nullopt;
  auto place = place_in(folder, path);
  const bool is_index = path == index_path || (!place && is_plain(path) && is_visit(request));
  if (is_index) {
    place = place_in(folder, index_path);
    if (!place) {
      return fail(Fault::not_found,
                  fmt::format("there is no index.html in {}; ./dev web makes one", folder));
    }
  }
  if (!place) return std::nullopt;
  http::Response response = with_policy(page_type(is_index ? index_path : path), "no-store");
  TYER_TRY(response.body, files.read(*place, limits::page_file_bytes_max));
  return response;
}

}  // namespace tyer::api
