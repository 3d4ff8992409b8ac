#include "run/features.h"

#include <sys/mman.h>
#include <unistd.h>

#include "backend/limits.h"
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

}  // namespace

Result<backend::Features> ask_features(env::Env& env, const backend::Backend& backend,
                                       const backend::Task& task,
                                       const backend::Environment& environment) {
  if (!backend.asks()) return {};
  const std::string program = task.program.empty() ? std::string(backend.program) : task.program;
  const backend::Environment clean = backend::call_environment(environment, {});
  TYER_TRY(const std::string version, ask(env, program, backend.version_arguments, clean));
  TYER_TRY(const std::string help, ask(env, program, backend.help_arguments, clean));
  return backend::read_features(version, help);
}

}  // namespace tyer::run
