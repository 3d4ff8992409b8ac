#include "base/log.h"

#include <array>

#include "base/json.h"
#include "base/text.h"

namespace tyer {
namespace {

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};
// Words that make a field a secret wherever they stand in its name. "key" and
// "token" are not among them: subjects and leases have those.
constexpr std::array<std::string_view, 8> secret_words{
    "secret", "password", "passwd", "passphrase", "authorization", "api_key", "apikey", "cookie"};
constexpr std::string_view mask = "***";

std::string shown(const LogField& field) {
  std::string name(field.name);
  for (char& c : name)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
  for (const std::string_view word : secret_words) {
    if (name.contains(word)) return std::string(mask);
  }
  return field.value;
}

}  // namespace

Log::Log(Form form, Level least, std::function<Time()> now, Sink sink)
    : form_(form), least_(least), now_(std::move(now)), sink_(std::move(sink)) {}

void Log::debug(std::string_view what, std::initializer_list<LogField> fields) const {
  say(Level::debug, what, fields);
}
void Log::info(std::string_view what, std::initializer_list<LogField> fields) const {
  say(Level::info, what, fields);
}
void Log::warn(std::string_view what, std::initializer_list<LogField> fields) const {
  say(Level::warn, what, fields);
}
void Log::error(std::string_view what, std::initializer_list<LogField> fields) const {
  say(Level::error, what, fields);
}

void Log::say(Level level, std::string_view what, std::initializer_list<LogField> fields) const {
  if (!sink_ || level < least_) return;
  const std::string_view name = level_names[static_cast<std::size_t>(level)];
  const std::string at = format_time(now_());
  if (form_ == Form::json) {
    Json line{{"at", at}, {"level", name}, {"what", what}};
    for (const LogField& field : fields) line[std::string(field.name)] = shown(field);
    sink_(dump_json(line));
    return;
  }
  std::string line = at + " " + std::string(name) + " " + printable(what);
  for (const LogField& field : fields) {
    line += " " + std::string(field.name) + "=" + printable(shown(field));
  }
  sink_(line);
}

}  // namespace tyer
