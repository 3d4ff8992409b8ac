#include "env/interrupt.h"

#include <unistd.h>
#include <csignal>

namespace tyer::env {
namespace {

constexpr Span repeat_every = 20ms;

int interrupt_signal() {
  return SIGRTMIN + 4;
}

timespec to_timespec(Span span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((span - seconds).count() * 1000)};
}

void install_handler() {
  struct sigaction action{};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);  // And no SA_RESTART: the call is to end.
  sigaction(interrupt_signal(), &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(Span at_most) {
  install_handler();
  sigset_t ours{};
  sigemptyset(&ours);
  sigaddset(&ours, interrupt_signal());
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  struct sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = interrupt_signal();
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
  const itimerspec when{to_timespec(repeat_every), to_timespec(std::max(at_most, Span(1)))};
  armed_ = timer_settime(timer_, 0, &when, nullptr) == 0;
  if (!armed_) timer_delete(timer_);
}

Interrupt::~Interrupt() {
  if (armed_) timer_delete(timer_);
}

bool Interrupt::is_over() const {
  if (!armed_) return true;
  itimerspec left{};
  timer_gettime(timer_, &left);
  // From the first signal on, what is left is at most one repetition.
  return left.it_value.tv_sec == 0 && left.it_value.tv_nsec <= to_timespec(repeat_every).tv_nsec;
}

}  // namespace tyer::env
