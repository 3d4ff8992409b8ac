#include "api/secrets.h"

#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>
#include <sodium.h>

#include "api/limits.h"
#include "base/check.h"
#include "base/text.h"
#include "feed/names.h"

namespace tyer::api {
namespace {

constexpr std::size_t id_chars = 26;
constexpr std::size_t chance_bytes = 25;  // 40 characters of base 32.
constexpr std::size_t secret_chars = 3 + id_chars + 40;

void start_sodium() {
  static const int started = sodium_init();
  TYER_CHECK(started >= 0, "libsodium starts");
}

// 64 MiB each: more than a few at a time would be a way to fill the memory.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

std::string digest(std::string_view text) {
  start_sodium();
  std::array<unsigned char, crypto_generichash_BYTES> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), nullptr, 0);
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

struct Sha256::State {
  crypto_hash_sha256_state hash{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->hash);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view piece) {
  crypto_hash_sha256_update(&state_->hash, reinterpret_cast<const unsigned char*>(piece.data()),
                            piece.size());
}

std::string Sha256::finish() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256_final(&state_->hash, hash.data());
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

Secret make_secret(std::string_view kind, std::string_view credential, env::Random& random) {
  constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  std::array<std::uint8_t, chance_bytes> chance{};
  random.fill(chance);
  Secret secret;
  secret.text = std::string(kind) + "_" + std::string(credential.substr(credential.find('_') + 1));
  std::uint64_t bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : chance) {
    bits = bits << 8U | byte;
    for (count += 8; count >= 5; count -= 5) secret.text += alphabet[bits >> (count - 5) & 31U];
  }
  secret.hash = digest(secret.text);
  secret.prefix = secret.text.substr(0, 3) + secret.text.substr(3 + id_chars - 6, 6);
  return secret;
}

std::string credential_of(std::string_view secret) {
  const auto is_plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  const bool is_one = secret.size() == secret_chars && secret[0] == 't' && secret[2] == '_' &&
                      std::ranges::all_of(secret.substr(3), is_plain);
  return is_one ? "cr_" + std::string(secret.substr(3, id_chars)) : "";
}

bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool fits(std::string_view secret, std::string_view hash) {
  return same_text(digest(secret), hash);
}

Result<> check_password(const std::string& password) {
  const std::size_t chars = is_utf8(password) ? feed::count_chars(password) : 0;
  if (chars >= limits::password_chars_min && chars <= limits::password_chars_max) return {};
  return fail(Fault::invalid, fmt::format("a password has {} to {} characters",
                                          limits::password_chars_min, limits::password_chars_max));
}

Result<std::string> hash_password(const std::string& password) {
  start_sodium();
  const std::lock_guard lock(one_at_a_time());
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (crypto_pwhash_str(hash.data(), password.data(), password.size(),
                        crypto_pwhash_OPSLIMIT_INTERACTIVE,
                        crypto_pwhash_MEMLIMIT_INTERACTIVE) != 0) {
    return fail(Fault::limit, "there is not enough memory to hash a password");
  }
  return std::string(hash.data());
}

bool password_fits(const std::string& password, const std::string& hash) {
  start_sodium();
  const std::lock_guard lock(one_at_a_time());
  return crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

}  // namespace tyer::api
