#include <algorithm>
#include <array>
#include <string_view>

#include "work/shift.h"

namespace tyer::work {
namespace {

constexpr std::array<std::string_view, 20> plain{
    "PATH",        "HOME",       "USER",      "LOGNAME",       "SHELL",
    "LANG",        "LANGUAGE",   "TZ",        "TERM",          "TMPDIR",
    "HOSTNAME",    "HTTP_PROXY", "NO_PROXY",  "HTTPS_PROXY",   "http_proxy",
    "https_proxy", "no_proxy",   "ALL_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"};
constexpr std::array<std::string_view, 4> beginnings{"LC_", "XDG_", "GIT_", "NODE_EXTRA_CA_"};

struct Needs {
  std::string_view backend;
  std::array<std::string_view, 6> beginnings;
};

constexpr std::array needs{
    Needs{"claude", {"ANTHROPIC_", "CLAUDE_", "AWS_", "GOOGLE_", "CLOUD_ML_", "DISABLE_"}},
    Needs{"codex", {"OPENAI_", "CODEX_", "AZURE_OPENAI_", "", "", ""}},
    Needs{"gemini", {"GEMINI_", "GOOGLE_", "VERTEX_", "", "", ""}},
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
