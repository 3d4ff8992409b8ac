#include "run/features.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "backend/limits.h"
#include "base/json.h"
#include "env/find_program.h"
#include "env/os_error.h"
#include "run/limits.h"

namespace tyer::run {
namespace {

// Into a file without a name: it cannot be kept waiting, and neither can we.
Result<std::string> ask(env::Env& env, const std::string& program,
                        std::span<const std::string_view> arguments,
                        const backend::Environment& environment) {
  if (arguments.empty()) return "";
  const env::Fd file(::memfd_create("features", MFD_CLOEXEC));
  if (!file) return std::unexpected(env::os_error(errno, "make", "a file in memory"));
  env::Spawn spawn{.argv = {program}, .output = file.get()};
  spawn.argv.insert(spawn.argv.end(), arguments.begin(), arguments.end());
  spawn.environment.insert(environment.begin(), environment.end());
  TYER_TRY(const auto child, env.processes.spawn(spawn));
  // One that does not answer in time is ended when `child` goes, and has said nothing.
  TYER_TRY(const std::optional<env::Exit> exit, child->wait(limits::feature_wait));
  if (!exit) return "";
  std::string text(limits::agent_help_bytes_max, '\0');
  const ssize_t got =
      env::uninterrupted([&] { return ::pread(file.get(), text.data(), text.size(), 0); });
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// What it said, and of which file.
struct Answer {
  env::ProgramFile file;
  Time asked{};
  std::string version;
  std::string help;
};

std::string answers_path(const std::string& folder) {
  return folder + "/features.json";
}

// None if they cannot be read: then they are asked for again.
std::vector<Answer> read_answers(env::Env& env, const std::string& folder) {
  const auto text = env.files.read(answers_path(folder), limits::features_file_bytes_max);
  const auto json = text ? parse_json_object(*text, text->size()) : std::unexpected(text.error());
  std::vector<Answer> answers;
  if (!json) return answers;
  for (const Json& one : json->value("programs", Json::array())) {
    if (!one.is_object()) continue;
    answers.push_back({.file = {.path = text_or(one, "path"),
                                .device = int_or(one, "device"),
                                .inode = int_or(one, "inode"),
                                .size = int_or(one, "size"),
                                .changed_ns = int_or(one, "changed_ns")},
                       .asked = from_micros(int_or(one, "asked_us")),
                       .version = text_or(one, "version"),
                       .help = text_or(one, "help")});
  }
  return answers;
}

// The newest first. Of two that write at the same time one is forgotten: it is asked again.
void keep_answer(env::Env& env, const std::string& folder, Answer answer) {
  std::vector<Answer> answers = read_answers(env, folder);
  std::erase_if(answers, [&](const Answer& old) { return old.file.path == answer.file.path; });
  answers.insert(answers.begin(), std::move(answer));
  answers.resize(std::min(answers.size(), limits::features_kept_max));
  Json programs = Json::array();
  for (const Answer& one : answers) {
    programs.push_back({{"path", one.file.path},
                        {"device", one.file.device},
                        {"inode", one.file.inode},
                        {"size", one.file.size},
                        {"changed_ns", one.file.changed_ns},
                        {"asked_us", to_micros(one.asked)},
                        {"version", one.version},
                        {"help", one.help}});
  }
  // Nothing but time is lost if it cannot be written.
  (void)env.files.replace(answers_path(folder), dump_json({{"programs", programs}}));
}

std::optional<Answer> find_answer(env::Env& env, const std::string& folder,
                                  const env::ProgramFile& file) {
  const Time now = env.clock.now();
  for (Answer& answer : read_answers(env, folder)) {
    const bool is_fresh = answer.asked <= now && now - answer.asked < limits::features_good_for;
    if (answer.file == file && is_fresh) return std::move(answer);
  }
  return std::nullopt;
}

}  // namespace

Result<backend::Features> ask_features(env::Env& env, const backend::Backend& backend,
                                       const backend::Task& task,
                                       const backend::Environment& environment,
                                       const std::string& folder) {
  if (!backend.asks()) return {};
  const std::string program = task.program.empty() ? std::string(backend.program) : task.program;
  const backend::Environment clean = backend::call_environment(environment, {});
  const auto search = clean.find("PATH");
  TYER_TRY(const env::ProgramFile file,
           env::identify_program(program, search == clean.end() ? "" : search->second));
  if (const auto known = find_answer(env, folder, file)) {
    return backend::read_features(known->version, known->help);
  }
  Answer answer{.file = file, .asked = env.clock.now()};
  TYER_TRY(answer.version, ask(env, program, backend.version_arguments, clean));
  TYER_TRY(answer.help, ask(env, program, backend.help_arguments, clean));
  backend::Features features = backend::read_features(answer.version, answer.help);
  // One that said nothing may be slow today.
  if (!answer.version.empty() && !answer.help.empty()) keep_answer(env, folder, std::move(answer));
  return features;
}

}  // namespace tyer::run
