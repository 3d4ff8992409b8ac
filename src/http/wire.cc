#include "http/wire.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "env/fd.h"

namespace tyer::http {
namespace {

std::string openssl_says() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "TLS failed" : std::string("TLS: ") + reason;
}

bool is_again() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

// OpenSSL's own socket BIO uses write(2), which raises SIGPIPE.
int write_quietly(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const int fd = static_cast<int>(BIO_get_fd(bio, nullptr));
  const ssize_t sent = env::uninterrupted(
      [&] { return ::send(fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL); });
  if (sent < 0 && is_again()) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

// That BIO with our write. Made once and never freed.
BIO_METHOD* quiet_socket() {
  static BIO_METHOD* const method = [] {
    const BIO_METHOD* socket = BIO_s_socket();
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOCKET, "quiet socket");
    BIO_meth_set_write(made, write_quietly);
    BIO_meth_set_read(made, BIO_meth_get_read(socket));
    BIO_meth_set_ctrl(made, BIO_meth_get_ctrl(socket));
    BIO_meth_set_create(made, BIO_meth_get_create(socket));
    BIO_meth_set_destroy(made, BIO_meth_get_destroy(socket));
    return made;
  }();
  return method;
}

ssl_st* make_ssl(int fd, TlsContext& tls) {
  ssl_st* ssl = SSL_new(tls.get());
  BIO* bio = BIO_new(quiet_socket());
  BIO_set_fd(bio, fd, BIO_NOCLOSE);
  SSL_set_bio(ssl, bio, bio);
  return ssl;
}

ssl_ctx_st* make_context(const SSL_METHOD* method) {
  ssl_ctx_st* context = SSL_CTX_new(method);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // TLS 1.3 has no others.
  TYER_CHECK(SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1,
             "OpenSSL has ciphers that are good");
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection gives its 34 KB of buffers back.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  return context;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::for_server(const Tls& tls) {
  std::shared_ptr<TlsContext> made(new TlsContext(make_context(TLS_server_method())));
  SSL_CTX_set_session_cache_mode(made->get(), SSL_SESS_CACHE_OFF);
  if (SSL_CTX_use_certificate_chain_file(made->get(), tls.certificate_file.c_str()) != 1) {
    return fail(Fault::invalid, tls.certificate_file + ": no certificate: " + openssl_says());
  }
  if (SSL_CTX_use_PrivateKey_file(made->get(), tls.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(made->get()) != 1) {
    return fail(Fault::invalid,
                tls.key_file + ": not the key of that certificate: " + openssl_says());
  }
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::for_client(const std::string& ca_file) {
  std::shared_ptr<TlsContext> made(new TlsContext(make_context(TLS_client_method())));
  SSL_CTX_set_verify(made->get(), SSL_VERIFY_PEER, nullptr);
  const int loaded = ca_file.empty() ? SSL_CTX_set_default_verify_paths(made->get())
                                     : SSL_CTX_load_verify_file(made->get(), ca_file.c_str());
  if (loaded != 1) return fail(Fault::invalid, ca_file + ": no certificates: " + openssl_says());
  return made;
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

Wire::Wire(int fd, TlsContext& tls) : fd_(fd), ssl_(make_ssl(fd, tls)) {
  SSL_set_accept_state(ssl_);
}

Wire::Wire(int fd, TlsContext& tls, const std::string& host) : fd_(fd), ssl_(make_ssl(fd, tls)) {
  SSL_set_connect_state(ssl_);
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), host.c_str()) == 1) return;
  SSL_set1_host(ssl_, host.c_str());
  SSL_set_tlsext_host_name(ssl_, host.c_str());
}

Wire::Wire(Wire&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      ssl_(std::exchange(other.ssl_, nullptr)),
      error_(other.error_),
      reason_(other.reason_) {}

Wire& Wire::operator=(Wire&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(ssl_, other.ssl_);
  std::swap(error_, other.error_);
  std::swap(reason_, other.reason_);
  return *this;
}

Wire::~Wire() {
  SSL_free(ssl_);
}

Moved Wire::handshake() {
  if (ssl_ == nullptr) return {};
  ERR_clear_error();
  return judge(SSL_do_handshake(ssl_));
}

Moved Wire::read(std::span<char> into) {
  if (ssl_ != nullptr) {
    ERR_clear_error();
    return judge(
        SSL_read(ssl_, into.data(), static_cast<int>(std::min<std::size_t>(into.size(), INT_MAX))));
  }
  const ssize_t got = env::uninterrupted([&] { return ::recv(fd_, into.data(), into.size(), 0); });
  if (got > 0) return {.io = Io::done, .bytes = static_cast<std::size_t>(got)};
  if (got == 0) return {.io = Io::closed};
  if (is_again()) return {.io = Io::want_read};
  error_ = errno;
  return {.io = Io::failed};
}

Moved Wire::write(std::string_view bytes) {
  if (ssl_ != nullptr) {
    ERR_clear_error();
    return judge(SSL_write(ssl_, bytes.data(),
                           static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX))));
  }
  const ssize_t sent =
      env::uninterrupted([&] { return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
  if (sent >= 0) return {.io = Io::done, .bytes = static_cast<std::size_t>(sent)};
  if (is_again()) return {.io = Io::want_write};
  error_ = errno;
  return {.io = Io::failed};
}

void Wire::say_goodbye() {
  if (ssl_ != nullptr && SSL_is_init_finished(ssl_) == 1) {
    ERR_clear_error();
    (void)SSL_shutdown(ssl_);
    ERR_clear_error();
  }
  (void)::shutdown(fd_, SHUT_WR);
}

std::string Wire::why() const {
  if (error_ != 0) return std::generic_category().message(error_);
  if (ssl_ != nullptr && SSL_get_verify_result(ssl_) != X509_V_OK) {
    return std::string("its certificate is not accepted: ") +
           X509_verify_cert_error_string(SSL_get_verify_result(ssl_));
  }
  if (reason_ == SSL_R_WRONG_VERSION_NUMBER) {
    return "it does not speak TLS; write http:// in place of https://";
  }
  const char* reason =
      reason_ == 0 ? nullptr : ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason_));
  if (reason != nullptr) return std::string("TLS: ") + reason;
  return ssl_ != nullptr ? "TLS failed" : "the connection failed";
}

Moved Wire::judge(int result) {
  if (result > 0) return {.io = Io::done, .bytes = static_cast<std::size_t>(result)};
  const int number = errno;
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return {.io = Io::want_read};
    case SSL_ERROR_WANT_WRITE: return {.io = Io::want_write};
    case SSL_ERROR_ZERO_RETURN: return {.io = Io::closed};
    case SSL_ERROR_SYSCALL: error_ = number; return {.io = Io::failed};
    default: reason_ = ERR_GET_REASON(ERR_peek_error()); return {.io = Io::failed};
  }
}

}  // namespace tyer::http
