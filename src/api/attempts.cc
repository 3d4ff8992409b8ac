#include "api/attempts.h"

#include "api/limits.h"
#include "http/guests.h"

namespace tyer::api {
namespace {

// Null: there is none.
std::shared_ptr<void> take_place(std::counting_semaphore<>& places) {
  if (!places.try_acquire()) return nullptr;
  return {&places, [&places](void*) { places.release(); }};
}

}  // namespace

Attempts::Attempts()
    : strangers_(limits::guesses_at_once, limits::guess_pause),
      known_(limits::guesses_at_once, limits::guess_pause),
      places_(limits::hash_places),
      known_places_(limits::hash_places) {}

Attempts::Attempt Attempts::begin(std::string_view peer, const std::string& known, Span now) {
  const bool is_known = !known.empty();
  Attempt attempt{.count = is_known ? &known_ : &strangers_,
                  .name = is_known ? known : network_of(peer)};
  attempt.wait = attempt.count->take(attempt.name, now);
  if (attempt.wait > Span::zero()) return attempt;
  attempt.place = take_place(is_known ? known_places_ : places_);
  if (!attempt.place) {
    forgive(attempt);
    attempt.wait = limits::hash_pause;
  }
  return attempt;
}

void Attempts::forgive(const Attempt& attempt) {
  attempt.count->give_back(attempt.name);
}

std::string network_of(std::string_view peer) {
  std::string_view host = peer.substr(0, peer.rfind(':'));
  if (host.starts_with('[')) host = host.substr(1, host.find(']') - 1);
  return http::network_of(host);
}

}  // namespace tyer::api
