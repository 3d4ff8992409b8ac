#include "run/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "env/os_error.h"
#include "env/process_tree.h"

namespace tyer::run {
namespace {

struct Pipe {
  env::Fd ours;  // Never waits; the other one is what a program expects.
  env::Fd its;
};

Result<Pipe> make_pipe(bool it_reads) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return std::unexpected(env::os_error(errno, "make", "a pipe"));
  }
  Pipe pipe{.ours = env::Fd(ends[it_reads ? 1 : 0]), .its = env::Fd(ends[it_reads ? 0 : 1])};
  ::fcntl(pipe.ours.get(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// One stream of what it says.
struct Ear {
  env::Fd fd;
  const std::function<void(std::string_view)>& tell;
  std::uint64_t bytes = 0;

  // Whether something came.
  bool read(int reads_max, std::uint64_t bytes_max) {
    std::array<char, limits::read_bytes> buffer;
    bool came = false;
    for (int i = 0; fd && i < reads_max; ++i) {
      const ssize_t got =
          env::uninterrupted([&] { return ::read(fd.get(), buffer.data(), buffer.size()); });
      if (got < 0 && errno == EAGAIN) break;
      if (got <= 0) {
        fd = env::Fd();
        break;
      }
      came = true;
      // What is too much is counted and dropped.
      const auto size = static_cast<std::uint64_t>(got);
      const std::uint64_t room = bytes < bytes_max ? bytes_max - bytes : 0;
      bytes += size;
      if (room > 0) tell({buffer.data(), static_cast<std::size_t>(std::min(size, room))});
    }
    return came;
  }
};

class Watch {
 public:
  Watch(env::Env& env, env::Child& child, const backend::Call& call, const Bounds& bounds,
        Span grace, const Watching& watching)
      : output{.fd = {}, .tell = watching.output},
        errors{.fd = {}, .tell = watching.errors},
        env_(env),
        child_(child),
        call_(call),
        bounds_(bounds),
        grace_(grace),
        watching_(watching),
        began_(env.clock.mono()),
        heard_(began_) {}

  env::Fd input;
  Ear output;
  Ear errors;
  std::optional<Cut> cut;

  // Until it has ended, or was asked to and did not.
  Result<> watch() {
    while (true) {
      TYER_TRY_OK(wait());
      write();
      read(limits::turn_reads_max);
      TYER_TRY(const std::optional<env::Exit> exit, child_.wait(Span::zero()));
      if (exit) return {};
      if (!cut && (cut = reason())) ask();
      if (cut && env_.clock.mono() >= kill_at_) return {};
    }
  }

  // What is left when nobody writes any more.
  void drain() { read(limits::drain_reads_max); }

 private:
  Result<> wait() const {
    std::vector<pollfd> entries{{.fd = child_.fd(), .events = POLLIN, .revents = 0},
                                {.fd = input.get(), .events = POLLOUT, .revents = 0},
                                {.fd = output.fd.get(), .events = POLLIN, .revents = 0},
                                {.fd = errors.fd.get(), .events = POLLIN, .revents = 0}};
    // Once it was asked to end, no other reason matters.
    for (const int fd : watching_.fds) {
      if (!cut) entries.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    }
    const Span left = std::clamp<Span>(next_limit() - env_.clock.mono(), Span::zero(), 1h);
    const timespec timeout{.tv_sec = left / 1s, .tv_nsec = (left % 1s) / 1us * 1000};
    if (::ppoll(entries.data(), entries.size(), &timeout, nullptr) >= 0 || errno == EINTR) {
      return {};
    }
    return std::unexpected(env::os_error(errno, "wait for", "an agent"));
  }

  [[nodiscard]] Span next_limit() const {
    if (cut) return kill_at_;
    const Span wall = began_ + bounds_.wall;
    return bounds_.idle > Span::zero() ? std::min(wall, heard_ + bounds_.idle) : wall;
  }

  void write() {
    while (input) {
      const std::string_view rest = std::string_view(call_.input).substr(written_);
      const ssize_t put = rest.empty() ? 0 : env::uninterrupted([&] {
        return ::write(input.get(), rest.data(), rest.size());
      });
      if (put < 0 && errno == EAGAIN) return;
      written_ += put > 0 ? static_cast<std::size_t>(put) : 0;
      // All of it, or nobody reads it.
      if (put <= 0 || written_ == call_.input.size()) input = env::Fd();
    }
  }

  void read(int reads_max) {
    const bool said = output.read(reads_max, bounds_.output);
    const bool complained = errors.read(reads_max, bounds_.output);
    if (said || complained) heard_ = env_.clock.mono();
  }

  std::optional<Cut> reason() const {
    if (const auto given = watching_.cut()) return given;
    const Span now = env_.clock.mono();
    if (output.bytes + errors.bytes > bounds_.output) return Cut::output;
    if (now >= began_ + bounds_.wall) return Cut::wall;
    if (bounds_.idle > Span::zero() && now >= heard_ + bounds_.idle) return Cut::idle;
    return std::nullopt;
  }

  void ask() {
    // Somebody else may have begun with its work already.
    const bool may_go_on = *cut != Cut::lost && *cut != Cut::front_gone;
    kill_at_ = env_.clock.mono() + (may_go_on ? grace_ : Span::zero());
    if (!may_go_on) return;
    // Not reaped yet, so its number is its own. One that is stopped could not answer.
    const auto pid = static_cast<pid_t>(child_.pid());
    ::kill(call_.signals_group ? -pid : pid, call_.gentle_signal);
    ::kill(-pid, SIGCONT);
  }

  env::Env& env_;
  env::Child& child_;
  const backend::Call& call_;
  const Bounds& bounds_;
  const Span grace_;
  const Watching& watching_;
  const Span began_;
  Span heard_;
  Span kill_at_{};
  std::size_t written_ = 0;
};

}  // namespace

Result<Finished> run_agent(env::Env& env, const Plan& plan, const Bounds& bounds, Span grace,
                           const Watching& watching) {
  TYER_TRY(Pipe input, make_pipe(true));
  TYER_TRY(Pipe output, make_pipe(false));
  TYER_TRY(Pipe errors, make_pipe(false));
  env::Spawn spawn = plan.spawn;
  spawn.input = input.its.get();
  spawn.output = output.its.get();
  spawn.errors = errors.its.get();
  TYER_TRY(const auto child, env.processes.spawn(spawn));
  // Or we would never see the end of what it says.
  for (Pipe* pipe : {&input, &output, &errors}) pipe->its = env::Fd();
  Watch watch(env, *child, plan.call, bounds, grace, watching);
  watch.input = std::move(input.ours);
  watch.output.fd = std::move(output.ours);
  watch.errors.fd = std::move(errors.ours);
  const Result<> watched = watch.watch();
  TYER_TRY(const std::optional<env::Exit> ended, child->wait(Span::zero()));
  // One that was asked in vain is not asked again, what another left behind is.
  const env::TreeEnd end = env::end_descendants(
      ended ? std::min(grace, limits::leftover_grace) : Span::zero(), {.unreaped = child->pid()});
  watch.drain();
  TYER_TRY_OK(watched);
  TYER_TRY(const std::optional<env::Exit> exit, child->wait(Span::zero()));
  return Finished{.exit = exit.value_or(env::Exit{.signal = SIGKILL}),
                  .cut = watch.cut,
                  .output_bytes = watch.output.bytes,
                  .error_bytes = watch.errors.bytes,
                  .killed = end.killed};
}

}  // namespace tyer::run
