#include "support/real_agent.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/id.h"
#include "env/marked.h"
#include "env/wait_readable.h"

namespace tyer::testing {
namespace {

constexpr Span run_max = 60s;

struct Pipe {
  env::Fd out;
  env::Fd in;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  TYER_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
  return {env::Fd(ends[0]), env::Fd(ends[1])};
}

// What comes within the time for a run; nothing at the end.
std::string read_some(int fd) {
  const auto readable = env::wait_readable(fd, run_max);
  std::array<char, 4096> buffer{};
  const ssize_t got = readable && *readable ? ::read(fd, buffer.data(), buffer.size()) : 0;
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string installed() {
  return TYER_SOURCE "/build/agents";
}

// Not below /tmp: gemini and codex do not trust what lies there.
std::string make_place() {
  std::filesystem::create_directories(installed() + "/places");
  std::string place = installed() + "/places/XXXXXX";
  TYER_CHECK(::mkdtemp(place.data()) != nullptr, "a directory can be made");
  return place;
}

// What keeps each of them off the network and at our model.
backend::Environment surroundings(const std::string& name, const std::string& home,
                                  const std::string& url) {
  backend::Environment all{
      {"PATH", installed() + "/node_modules/.bin:/usr/local/bin:/usr/bin:/bin"}, {"HOME", home}};
  if (name == "claude") {
    all.insert(
        {{"ANTHROPIC_BASE_URL", url}, {"ANTHROPIC_API_KEY", "fake"}, {"DISABLE_TELEMETRY", "1"}});
  } else if (name == "codex") {
    all["STUB_KEY"] = "fake";
    write_file(home + "/.codex/config.toml",
               fmt::format("model = \"stub\"\nmodel_provider = \"stub\"\n"
                           "[model_providers.stub]\nname = \"stub\"\nbase_url = \"{}/v1\"\n"
                           "env_key = \"STUB_KEY\"\nwire_api = \"responses\"\n"
                           "[analytics]\nenabled = false\n[features]\nplugins = false\n"
                           "plugin_discovery_prefetch = false\napps = false\n",
                           url));
  } else {
    all.insert({{"GEMINI_API_KEY", "fake"}, {"GOOGLE_GEMINI_BASE_URL", url}});
    write_file(
        home + "/.gemini/settings.json",
        R"({"general":{"enableAutoUpdate":false},"privacy":{"usageStatisticsEnabled":false},)"
        R"("telemetry":{"enabled":false},)"
        R"("security":{"auth":{"selectedType":"gemini-api-key"}}})");
  }
  return all;
}

}  // namespace

StubModel::StubModel() {
  Pipe output = make_pipe();
  Pipe input = make_pipe();
  auto started =
      real_.env().processes.spawn({.argv = {"python3", TYER_SOURCE "/tests/agents/stub_model.py"},
                                   .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}},
                                   .directory = "",
                                   .input = input.out.get(),
                                   .output = output.in.get(),
                                   .errors = STDERR_FILENO,
                                   .ignored = {}});
  TYER_CHECK(started.has_value(), "the model can be started");
  process_ = *std::move(started);
  input_ = std::move(input.in);
  output.in = env::Fd();
  output_ = std::move(output.out);
  const std::string port = read_some(output_.get());
  url_ = "http://127.0.0.1:" + port.substr(0, port.find('\n'));
}

StubModel::~StubModel() = default;

RealAgent::RealAgent(const std::string& name, const StubModel& model)
    : backend_(*backend::find_backend(name)), model_(model), place_(make_place()) {
  mark_ = "TYER_RUN=test-" + std::filesystem::path(place_).filename().string();
  environment_ = surroundings(name, place_ + "/home", model.url());
  environment_["TYER_RUN"] = mark_.substr(mark_.find('=') + 1);
  // Its place is in the checkout of tyer itself, whose workspace is not the tests'.
  environment_["TYER_STORE"] = "sqlite:" + place_ + "/tyer.db";
  std::filesystem::create_directories(place_ + "/tree");
}

RealAgent::~RealAgent() {
  env::end_marked(mark_);
  std::error_code ignored;
  std::filesystem::remove_all(place_, ignored);
}

std::optional<std::string> RealAgent::version() const {
  const std::string path = fmt::format("{}/node_modules/.bin/{}", installed(), backend_.program);
  if (::access(path.c_str(), X_OK) != 0) return std::nullopt;
  return backend::read_features(ask(backend_.version_arguments), "").version;
}

backend::Task RealAgent::task(const std::string& prompt) {
  const env::Env& env = real_.env();
  return {.prompt = "This is a test.\n" + prompt,
          .new_conversation = uuid7(env.clock.now(), env.random.bits()),
          .permission = backend::Permission::all,
          .folder = place_ + "/run"};
}

std::string RealAgent::ask(std::span<const std::string_view> arguments) const {
  Pipe output = make_pipe();
  env::Spawn spawn{.argv = {std::string(backend_.program)}, .directory = place_};
  spawn.environment.insert(environment_.begin(), environment_.end());
  spawn.argv.insert(spawn.argv.end(), arguments.begin(), arguments.end());
  spawn.output = output.in.get();
  const auto child = real_.env().processes.spawn(spawn);
  output.in = env::Fd();
  std::string all;
  for (std::string some = "x"; child && !some.empty(); all += some) {
    some = read_some(output.out.get());
  }
  return all;
}

// Long because it is one story from the call to the report.
Drive RealAgent::run(const backend::Task& task) {
  const backend::Features features =
      backend::read_features(ask(backend_.version_arguments), ask(backend_.help_arguments));
  Drive drive;
  const auto call = backend_.prepare(task, features);
  if (!call) {
    ADD_FAILURE() << call.error().what;
    return drive;
  }
  std::filesystem::create_directories(task.folder);
  std::filesystem::permissions(task.folder, std::filesystem::perms::owner_all);
  for (const backend::CallFile& file : call->files) {
    write_file(task.folder + "/" + file.name, file.content);
  }
  write_file(place_ + "/input", call->input);
  const env::Fd input(::open((place_ + "/input").c_str(), O_RDONLY | O_CLOEXEC));
  const env::Fd errors(
      ::open((place_ + "/errors").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  Pipe output = make_pipe();
  env::Spawn spawn{.argv = call->argv, .directory = place_ + "/tree"};
  const backend::Environment environment = backend::call_environment(environment_, *call);
  spawn.environment.insert(environment.begin(), environment.end());
  spawn.input = input.get();
  spawn.output = output.in.get();
  spawn.errors = errors.get();
  const auto child = real_.env().processes.spawn(spawn);
  if (!child) {
    ADD_FAILURE() << child.error().what;
    return drive;
  }
  output.in = env::Fd();

  backend::Ending ending;
  const auto reader = backend_.read(task, [&](const backend::Note& note) {
    drive.notes.push_back(note);
    if (note.kind == backend::Note::Kind::hopeless) ending.cut = backend::Ending::Cut::hopeless;
  });
  const Span until = real_.env().clock.mono() + run_max;
  bool asked = false;
  while (real_.env().clock.mono() < until) {
    const std::array either{output.out.get(), asked ? -1 : model_.hangs_fd()};
    if (!env::wait_any(either, run_max).value_or(false)) break;
    if (env::wait_readable(output.out.get(), Span::zero()).value_or(false)) {
      const std::string bytes = read_some(output.out.get());
      if (bytes.empty()) break;
      reader->feed(bytes);
    } else {
      ending.cut = backend::Ending::Cut::asked;
    }
    if (ending.cut == backend::Ending::Cut::no || asked) continue;
    asked = true;
    ::kill(static_cast<pid_t>((*child)->pid()), call->gentle_signal);
  }
  const auto exit = (*child)->wait(run_max);
  if (!exit || !*exit) {
    ADD_FAILURE() << "it did not end";
    return drive;
  }
  ending.code = (*exit)->code;
  ending.signal = (*exit)->signal;
  ending.errors = read_file(place_ + "/errors");
  drive.report = reader->finish(ending);
  return drive;
}

bool RealAgent::has_file(const std::string& name) const {
  return std::filesystem::exists(place_ + "/tree/" + name);
}

std::size_t RealAgent::left() const {
  return env::marked_processes(mark_).size();
}

}  // namespace tyer::testing
