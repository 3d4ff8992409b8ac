#include "cli/config_file.h"

#include <algorithm>

#include <fmt/format.h>

// The only file that includes toml++.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/text.h"

namespace tyer::cli {
namespace {

std::string place(const std::string& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path, source.begin.line);
}

// Whether settings may stand in a table of this name.
bool is_section(std::string_view name) {
  return std::ranges::any_of(settings_table(), [name](const Setting& setting) {
    return setting.kind == Setting::Kind::durations
               ? setting.name.starts_with(name)
               : setting.name.starts_with(std::string(name) + ".");
  });
}

bool is_of(std::string_view name, Setting::Kind kind) {
  return std::ranges::any_of(settings_table(), [&](const Setting& setting) {
    return setting.name == name && setting.kind == kind;
  });
}

Result<> flatten(const toml::table& table, const std::string& prefix, const std::string& path,
                 std::vector<Given>& found) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const std::string from = place(path, key.source());
    if (const toml::table* inner = node.as_table()) {
      // Without values it would go unseen; `resolve` refuses it.
      if (inner->empty() && !is_section(name)) found.push_back({name, "", from, ""});
      TYER_TRY_OK(flatten(*inner, name + ".", path, found));
    } else if (const auto* text = node.as_string()) {
      found.push_back({name, text->get(), from, path.substr(0, path.rfind('/'))});
    } else if (const auto* number = node.as_integer();
               number != nullptr && is_of(name, Setting::Kind::number)) {
      found.push_back({name, std::to_string(number->get()), from, ""});
    } else if (const auto* flag = node.as_boolean();
               flag != nullptr && is_of(name, Setting::Kind::flag)) {
      found.push_back({name, flag->get() ? "true" : "false", from, ""});
    } else {
      return fail(Fault::invalid, fmt::format("{}: {} must be a text in quotes, like \"5m\"", from,
                                              printable(name)));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Given>> read_config(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, std::string_view(path));
  if (!parsed) {
    return fail(Fault::invalid, fmt::format("{}: {}", place(path, parsed.error().source()),
                                            printable(parsed.error().description(), 300)));
  }
  std::vector<Given> found;
  TYER_TRY_OK(flatten(parsed.table(), "", path, found));
  return found;
}

}  // namespace tyer::cli
