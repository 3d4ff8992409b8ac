#include "support/program.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/check.h"
#include "env/linux_clock.h"

namespace tyer::testing {
namespace {

constexpr Span time_max = 60s;

Time now() {
  return env::LinuxClock().now();
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  TYER_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "a pipe can be made");
  return ends;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

Program::Program(const ProgramCall& call) {
  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.words.begin(), call.words.end());
  std::vector<std::string> variables;
  if (!call.environment.contains("PATH")) {
    variables.push_back(std::string("PATH=") + std::getenv("PATH"));
  }
  for (const auto& [name, value] : call.environment) variables.push_back(name + "=" + value);

  const auto [out_read, out_write] = make_pipe();
  const auto [err_read, err_write] = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // Who leads a session and opens a terminal that nobody has gets it.
  const bool leads = !call.terminal.empty();
  posix_spawn_file_actions_addopen(&actions, 0, leads ? call.terminal.c_str() : "/dev/null",
                                   leads ? O_RDWR : O_RDONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (leads) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  if (call.out_to.empty()) {
    posix_spawn_file_actions_adddup2(&actions, out_write, 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, call.out_to.c_str(), O_WRONLY, 0);
  }
  if (call.err_to.empty()) {
    posix_spawn_file_actions_adddup2(&actions, err_write, 2);
  } else {
    posix_spawn_file_actions_addopen(&actions, 2, call.err_to.c_str(), O_WRONLY, 0);
  }
  if (!call.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, call.directory.c_str());
  }
  pid_t pid = -1;
  const int failed = ::posix_spawnp(&pid, call.program.c_str(), &actions, &attributes,
                                    pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(out_write);
  ::close(err_write);
  TYER_CHECK(failed == 0, "the program can be started");
  pid_ = pid;
  out_ = out_read;
  err_ = err_read;
}

Program::~Program() {
  close_fd(out_);
  close_fd(err_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) const {
  ::kill(pid_, number);
}

bool Program::wait_for(const std::string& text) {
  const Time until = now() + time_max;
  while (!result_.out.contains(text)) {
    if (!read_some(until)) return false;
  }
  return true;
}

void Program::close_output() {
  close_fd(out_);
}

ProgramResult Program::finish() {
  const Time until = now() + time_max;
  while (read_some(until)) {
  }
  if (now() >= until) {
    ADD_FAILURE() << "the program did not end within " << describe_span(time_max);
    ::kill(pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  result_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result_;
}

// False once both ends are closed, or at `until`.
bool Program::read_some(Time until) {
  if (out_ < 0 && err_ < 0) return false;
  std::array<pollfd, 2> waiting{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
  if (left <= 0) return false;
  if (::poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) return false;
  std::array<char, 65536> buffer{};
  const auto take = [&](const pollfd& ready, int& fd, std::string& text) {
    if (fd < 0 || ready.revents == 0) return;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) {
      close_fd(fd);
    } else {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  };
  take(waiting[0], out_, result_.out);
  take(waiting[1], err_, result_.err);
  return true;
}

ProgramResult run_program(const ProgramCall& call) {
  return Program(call).finish();
}

}  // namespace tyer::testing
