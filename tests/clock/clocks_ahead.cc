// Loaded into a program before everything else, it sets all clocks of that program ahead by
// LD_CLOCKS_AHEAD seconds: as if so much time had passed on this machine. Waits that name a time
// by such a clock are still as long as they were meant to be.

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

time_t ahead() {
  static const time_t seconds = [] {
    const char* text = std::getenv("LD_CLOCKS_AHEAD");
    return text == nullptr ? 0 : std::atol(text);
  }();
  return seconds;
}

bool is_set_ahead(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC ||
         clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

timespec as_the_kernel_has_it(const timespec& time) {
  return {.tv_sec = time.tv_sec - ahead(), .tv_nsec = time.tv_nsec};
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = ::syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && is_set_ahead(clock)) time->tv_sec += ahead();
  return static_cast<int>(result);
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static const auto real = next<decltype(&pthread_cond_timedwait)>("pthread_cond_timedwait");
  const timespec then = as_the_kernel_has_it(*until);
  return real(condition, mutex, &then);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static const auto real = next<decltype(&pthread_cond_clockwait)>("pthread_cond_clockwait");
  const timespec then = as_the_kernel_has_it(*until);
  return real(condition, mutex, clock, &then);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  static const auto real = next<decltype(&pthread_mutex_timedlock)>("pthread_mutex_timedlock");
  const timespec then = as_the_kernel_has_it(*until);
  return real(mutex, &then);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                            const timespec* until) noexcept {
  static const auto real = next<decltype(&pthread_mutex_clocklock)>("pthread_mutex_clocklock");
  const timespec then = as_the_kernel_has_it(*until);
  return real(mutex, clock, &then);
}
}
