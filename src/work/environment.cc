#include <algorithm>
#include <array>
#include <string_view>

#include "work/shift.h"

namespace tyer::work {
namespace {

// docs/workers.md lists all of these. Logins of other services are on no list, be they of clouds or
// of git: who wants a run to have one names it.
constexpr std::array<std::string_view, 22> plain{"PATH",          "HOME",
                                                 "USER",          "LOGNAME",
                                                 "SHELL",         "LANG",
                                                 "LANGUAGE",      "TZ",
                                                 "TERM",          "TMPDIR",
                                                 "HOSTNAME",      "HTTP_PROXY",
                                                 "HTTPS_PROXY",   "ALL_PROXY",
                                                 "NO_PROXY",      "http_proxy",
                                                 "https_proxy",   "all_proxy",
                                                 "no_proxy",      "SSL_CERT_DIR",
                                                 "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"};
constexpr std::array<std::string_view, 2> beginnings{"LC_", "XDG_"};

struct Needs {
  std::string_view backend;
  std::array<std::string_view, 5> beginnings;
};

constexpr std::array needs{
    Needs{"claude", {"ANTHROPIC_", "CLAUDE_", "DISABLE_", "", ""}},
    Needs{"codex", {"OPENAI_", "CODEX_", "", "", ""}},
    // Not the file with the login of the whole cloud, GOOGLE_APPLICATION_CREDENTIALS.
    Needs{"gemini",
          {"GEMINI_", "GOOGLE_API_KEY", "GOOGLE_CLOUD_", "GOOGLE_GEMINI_", "GOOGLE_GENAI_"}},
};

bool begins_with_any(std::string_view name, const auto& all) {
  return std::ranges::any_of(
      all, [&](std::string_view one) { return !one.empty() && name.starts_with(one); });
}

}  // namespace

backend::Environment clean_environment(const backend::Environment& outer, const Assignment& given) {
  backend::Environment clean;
  const auto own = std::ranges::find(needs, std::string_view(given.backend), &Needs::backend);
  for (const auto& [name, value] : outer) {
    if (name.starts_with("TYER_") || name.starts_with("AGENTFEED_")) continue;
    const bool is_wanted = std::ranges::find(plain, std::string_view(name)) != plain.end() ||
                           begins_with_any(name, beginnings) ||
                           (own != needs.end() && begins_with_any(name, own->beginnings)) ||
                           std::ranges::find(given.environment, name) != given.environment.end();
    if (is_wanted) clean[name] = value;
  }
  return clean;
}

}  // namespace tyer::work
