// Passwords and keys: made here, shown once, kept as hashes.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "env/random.h"

namespace tyer::api {

// A secret names its credential, so that it is found without a search: "ty_", the 26 characters of
// the credential's id, and 40 of chance.
struct Secret {
  std::string text;
  std::string hash;
  std::string prefix;  // To tell keys apart.
};
[[nodiscard]] Secret make_secret(std::string_view kind, std::string_view credential,
                                 env::Random& random);

// "cr_…" of a secret; empty if it is none.
[[nodiscard]] std::string credential_of(std::string_view secret);

// A hash of any text, as 64 hexadecimal digits.
[[nodiscard]] std::string digest(std::string_view text);

// The SHA-256 of what comes in pieces, as 64 hexadecimal digits: what `sha256sum` says.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view piece);
  [[nodiscard]] std::string finish();  // Once, after all pieces.

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// In the same time, whatever differs.
[[nodiscard]] bool fits(std::string_view secret, std::string_view hash);
[[nodiscard]] bool same_text(std::string_view a, std::string_view b);

// Whether it may be one: `invalid` says what it must have.
[[nodiscard]] Result<> check_password(const std::string& password);

// Argon2id. Slow on purpose, and large: one at a time.
[[nodiscard]] Result<std::string> hash_password(const std::string& password);
[[nodiscard]] bool password_fits(const std::string& password, const std::string& hash);

}  // namespace tyer::api
