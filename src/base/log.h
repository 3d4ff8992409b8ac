// One line per thing worth telling: text for people, JSON for machines.
//
// A Log is handed down, never global. The clock and the sink are given, so that
// tests read what was said and the simulator's lines carry virtual time. Values
// of fields whose name says they are secret are masked.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/time.h"

namespace tyer {

enum class Level : std::uint8_t { debug, info, warn, error };

struct LogField {
  std::string_view name;
  std::string value;
};

class Log {
 public:
  enum class Form : std::uint8_t { text, json };
  using Sink = std::function<void(std::string_view line)>;

  // A Log that says nothing.
  Log() = default;
  Log(Form form, Level least, std::function<Time()> now, Sink sink);

  void debug(std::string_view what, std::initializer_list<LogField> fields = {}) const;
  void info(std::string_view what, std::initializer_list<LogField> fields = {}) const;
  void warn(std::string_view what, std::initializer_list<LogField> fields = {}) const;
  void error(std::string_view what, std::initializer_list<LogField> fields = {}) const;

 private:
  void say(Level level, std::string_view what, std::initializer_list<LogField> fields) const;

  Form form_ = Form::text;
  Level least_ = Level::info;
  std::function<Time()> now_;
  Sink sink_;
};

}  // namespace tyer
