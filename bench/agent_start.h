// Where an agent tells of its start (peers/agent.cc), and a server that does nothing but start it.

#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>

#include "bare_server.h"
#include "env/wait_readable.h"

namespace tyer::bench {

// Where agents tell it: a name that needs no file, so that the directory may be any.
class StartBell {
 public:
  StartBell() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{.sun_family = AF_UNIX};
    name().copy(address.sun_path + 1, sizeof address.sun_path - 1);
    ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  [[nodiscard]] static std::string name() { return fmt::format("tyer-bench-{}", ::getpid()); }

  // When the next agent has told of its start.
  [[nodiscard]] Result<Span> wait(const env::Clock& clock) const {
    TYER_TRY(const bool rang, env::wait_readable(fd_.get(), answer_millis_max * 1ms));
    const Span now = clock.mono();
    if (!rang) return fail(Fault::timeout, "the agent was not started");
    char word = 0;
    if (::recv(fd_.get(), &word, 1, 0) != 1)
      return fail(Fault::broken, "an agent has told nothing");
    return now;
  }

 private:
  env::Fd fd_;
};

// Starts the agent for every request before it answers, and stores nothing. Serves until it is
// killed.
[[nodiscard]] inline Result<> serve_spawns(std::vector<std::string> agent) {
  std::signal(SIGCHLD, SIG_IGN);  // Nobody waits for them.
  std::vector<char*> argv;
  for (std::string& word : agent) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  return BareServer::serve([&](int fd, std::string& in) -> Result<> {
    // A request and an answer are framed alike.
    const auto post = read_answer(in);
    if (!post) return {};
    in.erase(0, post->end);
    pid_t pid = -1;
    if (::posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) {
      return fail(Fault::unavailable, fmt::format("{} does not run", agent[0]));
    }
    return send_all(fd, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  });
}

}  // namespace tyer::bench
