// Passwords and keys: made here, shown once, kept as hashes.

#pragma once

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

// In the same time, whatever differs.
[[nodiscard]] bool fits(std::string_view secret, std::string_view hash);
[[nodiscard]] bool same_text(std::string_view a, std::string_view b);

// Argon2id. Slow on purpose, and large: one at a time.
[[nodiscard]] Result<std::string> hash_password(const std::string& password);
[[nodiscard]] bool password_fits(const std::string& password, const std::string& hash);

}  // namespace tyer::api
