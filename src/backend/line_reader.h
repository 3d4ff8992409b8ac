// What the readers of all programs share: lines, bounds, and the last word.

#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/lines.h"
#include "base/json_fwd.h"

namespace tyer::backend {

class LineReader : public Reader {
 public:
  explicit LineReader(Sink sink);

  void feed(std::string_view bytes) final { lines_.feed(bytes); }
  [[nodiscard]] Report finish(const Ending& ending) final;

 protected:
  // One line; see Lines.
  virtual void take(std::string_view line, bool whole) = 0;

  // After the last line: says verdict and why in `report`. What it leaves as
  // `interrupted` had no result.
  virtual void judge(const Ending& ending) = 0;

  // Texts are cleaned and cut here.
  void note(Note note);
  void warn(std::string_view text) {
    note({.kind = Note::Kind::warning, .text = std::string(text)});
  }

  // A line that is none of the program's events.
  void skip(std::string_view line);

  // More of the answer. Its end is worth more than its start.
  void add_to_answer(std::string_view text);

  void set_conversation(const std::string& id);
  void deny(const std::string& tool);

  // Going on is of no use, which explains an end without a result.
  void give_up_hope(Verdict verdict, const std::string& why);

  void conclude(Verdict verdict, std::string_view why);

  // Done; hindered if a tool was denied, or by `hindrance` if there is one.
  void conclude_done(std::string_view hindrance);

  // As the program says itself.
  void conclude_answer(const Answer& answer);

  // Tools answer by the number of their call: remembers and finds their names.
  void open_tool(const std::string& id, const std::string& tool);
  [[nodiscard]] std::string close_tool(const std::string& id);

  Report report;
  bool has_result = false;   // The program itself said that it was done, or why not.
  std::string conversation;  // As the program says.

 private:
  void apply_cut(const Ending& ending);

  const Sink sink_;
  Lines lines_;
  std::optional<std::pair<Verdict, std::string>> hopeless_;
  std::deque<std::pair<std::string, std::string>> open_tools_;
};

// One JSON object per line.
class JsonReader : public LineReader {
 public:
  using LineReader::LineReader;

 protected:
  // `type` is that member of it.
  virtual void event(const std::string& type, const Json& event) = 0;

 private:
  void take(std::string_view line, bool whole) final;
};

}  // namespace tyer::backend
