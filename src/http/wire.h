// The bytes of one connection: a non-blocking socket, plain or under TLS.
//
// Nothing here waits. Who is told `want_read` or `want_write` waits for that and
// makes the same call again; under TLS a read may want to write and the reverse.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

struct ssl_st;
struct ssl_ctx_st;

namespace tyer::http {

struct Tls {
  std::string certificate_file;  // PEM, the chain behind it.
  std::string key_file;
};

// What all TLS connections of a server or a client share. At least TLS 1.2, and of that only what
// encrypts and proves in one (AEAD), with keys that nobody can find out later.
class TlsContext {
 public:
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> for_server(const Tls& tls);
  // Trusts `ca_file`, or what the system trusts if that is empty.
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> for_client(const std::string& ca_file);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  [[nodiscard]] ssl_ctx_st* get() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;
};

enum class Io : std::uint8_t { done, want_read, want_write, closed, failed };

struct Moved {
  Io io = Io::done;
  std::size_t bytes = 0;
};

class Wire {
 public:
  Wire() = default;
  explicit Wire(int fd) : fd_(fd) {}  // Plain; not owned.
  Wire(int fd, TlsContext& tls);      // The server's end.
  Wire(int fd, TlsContext& tls,
       const std::string& host);  // The client's; `host` must prove itself.
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;
  ~Wire();

  [[nodiscard]] bool is_secure() const { return ssl_ != nullptr; }
  [[nodiscard]] Moved handshake();  // Done at once if plain.
  [[nodiscard]] Moved read(std::span<char> into);
  // After `want_…` the next call begins with the same bytes and at least as many.
  [[nodiscard]] Moved write(std::string_view bytes);
  void say_goodbye();  // No more will be written.

  // Why the last call failed.
  [[nodiscard]] std::string why() const;

 private:
  [[nodiscard]] Moved judge(int result);

  int fd_ = -1;
  ssl_st* ssl_ = nullptr;
  int error_ = 0;   // An errno, if it was not TLS that failed.
  int reason_ = 0;  // OpenSSL's, if it was.
};

}  // namespace tyer::http
