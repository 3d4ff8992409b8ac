// `tyer serve`: the hub with everything that moves (H17): the server, the writer, the streams, and
// the engine's loops.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/hub.h"
#include "base/log.h"
#include "core/kind.h"
#include "http/server.h"
#include "store/store.h"

namespace tyer::api {

struct ServiceOptions {
  std::string listen = "127.0.0.1:7420";
  HubOptions hub;
  std::optional<http::Tls> tls = {};
  http::Limits limits = {};
  bool serves_all = false;  // This process is a worker, too, for all agents.
};

class Service {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(env::Env& env, store::Store& store,
                                                              const core::Catalog& catalog,
                                                              const Log& log,
                                                              ServiceOptions options);
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  [[nodiscard]] std::string address() const;  // With the real port.

  // Certificate and key are read again: see http::Server::renew_tls.
  [[nodiscard]] Result<> renew_certificate();

  // No new requests; those under way finish within `grace`, streams are told and end.
  void stop(Span grace);

 private:
  class Running;
  explicit Service(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace tyer::api
