// Bad news as a value.
//
// An operating error is a `Result` that carries one of eleven faults and one
// sentence for a person. A fault exists only because some caller branches on
// it; the table in error.cc says what each means to HTTP, to a shell and to a
// retry loop. A bug is not an Error: see check.h.

#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace tyer {

enum class Fault : std::uint8_t {
  invalid,      // The request itself is wrong; the same request will always fail.
  denied,       // Not allowed.
  not_found,    // There is no such thing.
  conflict,     // It moved on since the caller looked, or its status forbids this.
  fenced,       // Written under a lease that was lost.
  limit,        // A size or a count is at its bound; also a full disk.
  gone,         // Older than what the log still keeps.
  unavailable,  // The store or hub cannot be reached now; later it may.
  timeout,      // A wait reached its bound.
  cancelled,    // The caller withdrew.
  broken,       // Stored data cannot be trusted. Nothing was changed.
};

inline constexpr int fault_count = 11;

struct FaultInfo {
  std::string_view name;  // As on the wire.
  int http_status;
  int exit_code;
  bool retry_helps;
};

[[nodiscard]] const FaultInfo& info(Fault fault);

struct Error {
  Fault fault = Fault::broken;
  std::string what;  // One sentence for a person, without a full stop.

  // Says where it happened. Added once, where the key or path becomes known.
  [[nodiscard]] Error in(std::string_view where) const {
    return {fault, std::string(where) + ": " + what};
  }

  friend bool operator==(const Error&, const Error&) = default;
};

// std::expected under a class of its own: the bare alias can be dropped
// silently, this cannot.
template <class T = void>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
};

[[nodiscard]] inline std::unexpected<Error> fail(Fault fault, std::string what) {
  return std::unexpected(Error{fault, std::move(what)});
}

}  // namespace tyer

#define TYER_JOIN_(a, b) a##b
#define TYER_JOIN(a, b) TYER_JOIN_(a, b)

// `TYER_TRY(auto lease, find(key));` declares `lease`, or returns the error.
#define TYER_TRY(declaration, expression) \
  TYER_TRY_AS_(TYER_JOIN(tyer_try_, __COUNTER__), declaration, expression)
#define TYER_TRY_AS_(name, declaration, expression)           \
  auto name = (expression);                                   \
  if (!name) return std::unexpected(std::move(name).error()); \
  declaration = std::move(*name)

// The same for a Result<> or for a value that is not wanted.
#define TYER_TRY_OK(expression) TYER_TRY_OK_AS_(TYER_JOIN(tyer_try_, __COUNTER__), expression)
#define TYER_TRY_OK_AS_(name, expression)                                                 \
  do {                                                                                    \
    if (auto name = (expression); !name) return std::unexpected(std::move(name).error()); \
  } while (false)
