#include "env/processor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "env/fd.h"
#include "env/limits.h"
#include "env/sched_attr.h"

namespace tyer::env {
namespace {

// None on a machine with more processors than a set has room for.
std::optional<cpu_set_t> our_processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return std::nullopt;
  return set;
}

void stay_on(const cpu_set_t& set, int pid = 0) {
  (void)::sched_setaffinity(pid, sizeof set, &set);
}

// But the one that we run on.
cpu_set_t others_of(cpu_set_t all) {
  CPU_CLR(static_cast<std::size_t>(::sched_getcpu()), &all);
  return all;
}

// "0.07 0.10 0.15 2/341 9876": of 341 threads 2 run or wait for a processor.
int count_running() {
  static const Fd file(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t size = ::pread(file.get(), text, sizeof text, 0);
  std::string_view line(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  line = line.substr(0, line.find('/'));
  line.remove_prefix(line.rfind(' ') + 1);
  int count = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), count);
  return error == std::errc() ? count : 0;
}

bool set_policy(int policy, int pid = 0) {
  const sched_param none{};
  return ::sched_setscheduler(pid, policy, &none) == 0;
}

// One end of a connection, its host only.
std::string_view host_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    return {reinterpret_cast<const char*>(&four.sin_addr), sizeof four.sin_addr};
  }
  if (address.ss_family != AF_INET6) return {};
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  return {reinterpret_cast<const char*>(&six.sin6_addr), sizeof six.sin6_addr};
}

}  // namespace

bool is_quiet() {
  const int running = count_running();
  return running > 0 && running <= limits::quiet_threads_max;
}

void give_way() {
  if (is_quiet()) ::sched_yield();
}

void step_aside() {
  const auto all = our_processors();
  if (!all || CPU_COUNT(&*all) < 2) return;
  stay_on(others_of(*all));
  stay_on(*all);
}

void be_prompt() {
  SchedAttr ours{};
  if (!get_attr(ours) || ours.policy != SCHED_OTHER) return;
  ours.flags |= SchedAttr::reset_on_fork;
  ours.runtime = static_cast<std::uint64_t>(std::chrono::nanoseconds(limits::prompt_turn).count());
  (void)set_attr(ours);
}

bool was_sent_from_here(int socket) {
  int sender = -1;
  socklen_t size = sizeof sender;
  if (::getsockopt(socket, SOL_SOCKET, SO_INCOMING_CPU, &sender, &size) != 0) return false;
  if (sender != ::sched_getcpu()) return false;
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
  socklen_t our_size = sizeof ours;
  socklen_t their_size = sizeof theirs;
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &our_size) == 0 &&
         ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &their_size) == 0 &&
         !host_of(ours).empty() && host_of(ours) == host_of(theirs);
}

Patient::Patient() : is_new_(::sched_getscheduler(0) == SCHED_OTHER && set_policy(SCHED_BATCH)) {}

Patient::~Patient() {
  release(0);
}

void Patient::release(int pid) const {
  if (is_new_) set_policy(SCHED_OTHER, pid);
}

OnOneProcessor::OnOneProcessor() : before_(our_processors()) {
  if (!before_) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  stay_on(one);
}

OnOneProcessor::~OnOneProcessor() {
  release();
}

void OnOneProcessor::release(int pid) const {
  if (before_) stay_on(*before_, pid);
}

}  // namespace tyer::env
