// Our own `tyer demo-agent`: an agent that does what its prompt says, without a
// model. Tests and documents take the same way with it as with the real ones.

#include "backend/agents.h"
#include "backend/answer.h"
#include "backend/call.h"
#include "backend/event.h"
#include "backend/excerpt.h"
#include "backend/line_reader.h"
#include "base/json.h"

namespace tyer::backend {
namespace {

Result<Call> prepare_demo(const Task& task, const Features&) {
  TYER_TRY_OK(check_task(task));
  Call call;
  begin_call(call, task, "tyer", {"demo-agent"});
  if (!task.conversation.empty()) {
    call.argv.insert(call.argv.end(), {"--resume", task.conversation});
  } else if (!task.new_conversation.empty()) {
    call.argv.insert(call.argv.end(), {"--conversation", task.new_conversation});
  }
  if (task.permission == Permission::read) call.argv.emplace_back("--read-only");
  call.argv.insert(call.argv.end(), task.extra.begin(), task.extra.end());
  call.input = task.prompt;
  return call;
}

class DemoReader final : public JsonReader {
 public:
  using JsonReader::JsonReader;

 private:
  void event(const std::string& type, const Json& event) override {
    const std::string text = text_of(event, "text");
    const std::string tool = text_of(event, "name");
    if (type == "init") set_conversation(text_of(event, "conversation"));
    if (type == "text") {
      report.text = text;
      note({.kind = Note::Kind::text, .text = text});
    }
    if (type == "tool") note({.kind = Note::Kind::tool_use, .text = text, .tool = tool});
    if (type == "denied") deny(tool);
    if (type == "result") answer_ = read_answer(event);
  }

  void judge(const Ending& ending) override {
    if (answer_) return conclude_answer(*answer_);
    const bool is_usage = ending.code == 2;
    if (is_usage) conclude(Verdict::mistake, telling_line(ending.errors));
  }

  std::optional<Answer> answer_;
};

std::unique_ptr<Reader> read_demo(const Task&, Sink sink) {
  return std::make_unique<DemoReader>(std::move(sink));
}

}  // namespace

const Backend demo{"demo", "tyer", {}, {}, prepare_demo, read_demo};

}  // namespace tyer::backend
