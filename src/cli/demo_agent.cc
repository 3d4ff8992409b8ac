// tyer demo-agent: an agent that does what its prompt says, without a model and
// without a key. What it prints is read by the back end `demo`.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/id.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/demo_script.h"
#include "cli/limits.h"
#include "cli/state_folder.h"
#include "env/wait_readable.h"

namespace tyer::cli {
namespace {

constexpr int exit_try_later = 75;  // As in sysexits.h.

// At most `bytes_max`; more is refused.
Result<std::string> read_input(std::size_t bytes_max) {
  std::string input;
  std::string piece(64 << 10, '\0');
  while (true) {
    const ssize_t got =
        env::uninterrupted([&] { return ::read(STDIN_FILENO, piece.data(), piece.size()); });
    if (got < 0) return fail(Fault::unavailable, "standard input cannot be read");
    if (got == 0) return input;
    input.append(piece, 0, static_cast<std::size_t>(got));
    if (input.size() > bytes_max) {
      return fail(Fault::limit, fmt::format("the prompt is longer than {} bytes", bytes_max));
    }
  }
}

void pause_for(Span span) {
  // There is nothing to wait for but time. It cannot fail without a descriptor.
  (void)env::wait_any({}, span);
}

std::string variable_of(const World& world, std::string_view name) {
  const auto found = world.environment.find(name);
  return found == world.environment.end() ? "" : found->second;
}

Result<std::string> find_directory(const World& world) {
  if (std::string own = variable_of(world, "TYER_DEMO_DIR"); own.starts_with('/')) return own;
  if (const auto state = state_folder(world)) return *state + "/demo";
  return fail(Fault::invalid, "neither HOME nor TYER_DEMO_DIR says where conversations are kept");
}

// Conversations as files that hold how many turns there were.
class Conversations {
 public:
  Conversations(env::Files& files, std::string directory)
      : files_(files), directory_(std::move(directory)) {}

  // The turns so far; `not_found` if there is no such conversation.
  [[nodiscard]] Result<std::int64_t> turns(const std::string& id) {
    TYER_TRY(const std::string text, files_.read(path_of(id), limits::demo_file_bytes_max));
    TYER_TRY(const Json json, parse_json_object(text));
    return int_or(json, "turns");
  }

  [[nodiscard]] Result<> store(const std::string& id, std::int64_t turns) {
    TYER_TRY_OK(files_.make_directory(directory_));
    TYER_TRY_OK(files_.replace(path_of(id), dump_json({{"turns", turns}}) + "\n"));
    return forget_oldest();
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& id) const {
    return fmt::format("{}/{}.json", directory_, encode_file_name(id));
  }

  // Ids of ours sort by the time they were made.
  [[nodiscard]] Result<> forget_oldest() {
    TYER_TRY(std::vector<env::Entry> entries, files_.list(directory_));
    // What begins with a dot is being written by somebody else.
    std::erase_if(entries, [](const env::Entry& entry) {
      return entry.name.starts_with('.') || !entry.name.ends_with(".json");
    });
    if (entries.size() <= limits::demo_conversations_max) return {};
    std::ranges::sort(entries, {}, &env::Entry::name);
    const std::size_t spare = entries.size() - limits::demo_conversations_max;
    for (std::size_t i = 0; i < spare; ++i) {
      TYER_TRY_OK(files_.remove(directory_ + "/" + entries[i].name));
    }
    return {};
  }

  env::Files& files_;
  const std::string directory_;
};

class DemoAgent {
 public:
  DemoAgent(World& world, bool read_only) : world_(world), read_only_(read_only) {}

  void print(const Json& event) {
    world_.output.print(dump_json(event) + "\n");
    // Somebody who does not listen is the same to an agent as one who does.
    (void)world_.output.flush();
  }

  // The last event, and the exit code.
  int end(std::string_view status, const std::string& error, int code, Json more = Json::object()) {
    more["type"] = "result";
    more["status"] = status;
    if (!error.empty()) more["error"] = error;
    print(more);
    return code;
  }

  // The exit code if the script ends here.
  Result<std::optional<int>> act(const DemoStep& step);

  void say(const std::string& text) {
    answer_ += (answer_.empty() ? "" : "\n") + text;
    print({{"type", "text"}, {"text", text}});
  }

  int finish(std::size_t prompt_bytes) {
    const Json more{{"result", answer_},
                    {"turns", 1},
                    {"input_tokens", (prompt_bytes + 3) / 4},
                    {"output_tokens", (answer_.size() + 3) / 4}};
    if (!was_denied_) return end("done", "", 0, more);
    return end("hindered", "it was not allowed to use edit", 0, more);
  }

 private:
  void tool(const std::string& name, const std::string& text) {
    print({{"type", "tool"}, {"name", name}, {"text", text}});
  }

  Result<> edit(const DemoStep& step) {
    if (read_only_) {
      was_denied_ = true;
      print({{"type", "denied"}, {"name", "edit"}});
      return {};
    }
    const std::string path = world_.directory + "/" + step.name;
    TYER_TRY_OK(world_.env.files.make_directory(path.substr(0, path.rfind('/'))));
    TYER_TRY(const auto file, world_.env.files.open(path, env::Open::write));
    TYER_TRY(const std::uint64_t size, file->size());
    TYER_TRY_OK(file->write(size, step.text + "\n"));
    tool("edit", step.name);
    return {};
  }

  // It keeps standard output open, as careless daemons do.
  Result<> daemonise() {
    env::Spawn spawn{
        .argv = {world_.program, "demo-agent", "--linger", format_span(limits::demo_span_max)},
        .output = STDOUT_FILENO,
        .ignored = {SIGTERM}};
    spawn.environment.insert(world_.environment.begin(), world_.environment.end());
    const auto before = std::signal(SIGTERM, SIG_IGN);
    const auto child = world_.env.processes.spawn(spawn);
    std::signal(SIGTERM, before);
    if (!child) return std::unexpected(child.error());
    tool("daemonise", fmt::format("pid {}", (*child)->pid()));
    (*child)->let_go();
    return {};
  }

  void flood(std::uint64_t bytes, const std::string& line) {
    for (std::uint64_t sent = 0; sent < bytes && !world_.output.closed();) {
      std::string piece;
      while (piece.size() < limits::demo_piece_bytes && sent + piece.size() < bytes) piece += line;
      world_.output.print(piece);
      sent += piece.size();
    }
    (void)world_.output.flush();
  }

  void be_busy(Span span) {
    const Span until = world_.env.clock.mono() + span;
    while (world_.env.clock.mono() < until) {
    }
  }

  Result<> close_output() {
    (void)world_.output.flush();
    const env::Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (!nowhere || ::dup2(nowhere.get(), STDOUT_FILENO) < 0) {
      return fail(Fault::unavailable, "/dev/null cannot be opened");
    }
    return {};
  }

  World& world_;
  const bool read_only_;
  bool was_denied_ = false;
  std::string answer_;
};

Result<std::optional<int>> DemoAgent::act(const DemoStep& step) {
  using Verb = DemoStep::Verb;
  switch (step.verb) {
    case Verb::say: say(step.text); break;
    case Verb::tool: tool(step.name, step.text); break;
    case Verb::edit: TYER_TRY_OK(edit(step)); break;
    case Verb::fail:
      return end("failed", step.text.empty() ? "the prompt says so" : step.text, step.code);
    case Verb::rate_limit:
      return end("later", "too many requests", exit_try_later,
                 {{"retry_after", static_cast<double>(step.span.count()) / 1e6}});
    case Verb::crash: ::raise(SIGKILL); break;
    case Verb::hang: pause_for(limits::demo_hang_max); break;
    case Verb::sleep: pause_for(step.span); break;
    case Verb::busy: be_busy(step.span); break;
    case Verb::flood:
      flood(step.bytes, dump_json({{"type", "text"}, {"text", std::string(900, '.')}}) + "\n");
      break;
    case Verb::garbage: flood(step.bytes, "\xff\xfe{\"type\":\xc3\x28\x80 \x1b[31m\n"); break;
    case Verb::daemonise: TYER_TRY_OK(daemonise()); break;
    case Verb::ignore_term: std::signal(SIGTERM, SIG_IGN); break;
    case Verb::close_output: TYER_TRY_OK(close_output()); break;
  }
  return std::nullopt;
}

struct Talk {
  std::string id;
  std::int64_t turn = 1;
};

// Nothing if there is no such conversation, or one that should be new is not.
Result<std::optional<Talk>> open_talk(const World& world, const Arguments& arguments) {
  TYER_TRY(const std::string directory, find_directory(world));
  Conversations conversations(world.env.files, directory);
  const auto resumed = arguments.value("--resume");
  const auto wanted = resumed ? resumed : arguments.value("--conversation");
  if (wanted && (wanted->empty() || wanted->size() > limits::demo_id_bytes_max)) {
    return fail(Fault::invalid,
                fmt::format("a conversation's id has 1 to {} bytes", limits::demo_id_bytes_max));
  }
  Talk talk{.id = wanted ? *wanted : uuid7(world.env.clock.now(), world.env.random.bits())};
  const auto turns = conversations.turns(talk.id);
  if (!turns && turns.error().fault != Fault::not_found) return std::unexpected(turns.error());
  if (turns.has_value() != resumed.has_value()) return std::nullopt;
  if (turns) talk.turn = *turns + 1;
  TYER_TRY_OK(conversations.store(talk.id, talk.turn));
  return talk;
}

// What `daemonise` leaves behind.
Done linger(const std::string& text) {
  TYER_TRY(const Span span, parse_span(text));
  if (span > limits::demo_span_max) {
    return std::unexpected(Failure{
        {Fault::limit, fmt::format("--linger is at most {}", format_span(limits::demo_span_max))}});
  }
  std::signal(SIGTERM, SIG_IGN);
  pause_for(span);
  return 0;
}

// What was written to it: of a prompt from a hub, the text that it quotes last.
std::string_view asked_in(std::string_view prompt) {
  const std::size_t quoted = prompt.rfind(" begins: ");
  const std::size_t end = quoted == std::string_view::npos ? quoted : prompt.find('\n', quoted);
  if (end != std::string_view::npos) {
    prompt.remove_prefix(end + 1);
    // The line that says who wrote it.
    prompt.remove_prefix(std::min(prompt.find('\n'), prompt.size()));
  }
  const std::size_t start = std::min(prompt.find_first_not_of(" \t\r\n"), prompt.size());
  prompt.remove_prefix(start);
  return prompt.substr(0, prompt.find('\n'));
}

// In a code span: whom it mentions was not mentioned by us.
std::string greeting(const Talk& talk, const std::string& prompt) {
  std::string asked = printable(asked_in(prompt), 200);
  std::ranges::replace(asked, '`', '\'');
  return fmt::format("This is the demo agent, in turn {} of our conversation. You wrote: `{}`",
                     talk.turn, asked);
}

}  // namespace

Done run_demo_agent(World& world, const Arguments& arguments) {
  if (const auto span = arguments.value("--linger")) return linger(*span);
  if (arguments.has("--resume") && arguments.has("--conversation")) {
    return std::unexpected(Failure{{Fault::invalid, "a conversation is either resumed or new"}});
  }
  TYER_TRY(const std::string prompt, read_input(limits::demo_prompt_bytes_max));
  if (prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
    return std::unexpected(Failure{{Fault::invalid, "there is no prompt on standard input"},
                                   "try: echo 'demo: say hello' | tyer demo-agent"});
  }
  TYER_TRY(const std::vector<DemoStep> script, read_demo_script(prompt));
  TYER_TRY(const std::optional<Talk> talk, open_talk(world, arguments));
  DemoAgent agent(world, arguments.has("--read-only"));
  if (!talk) {
    const bool is_resumed = arguments.has("--resume");
    return agent.end(is_resumed ? "stale" : "failed",
                     is_resumed ? "there is no such conversation" : "there is such a conversation",
                     1);
  }
  agent.print({{"type", "init"}, {"conversation", talk->id}, {"turn", talk->turn}});
  if (script.empty()) agent.say(greeting(*talk, prompt));
  for (const DemoStep& step : script) {
    TYER_TRY(const std::optional<int> code, agent.act(step));
    if (code) return *code;
  }
  return agent.finish(prompt.size());
}

}  // namespace tyer::cli
