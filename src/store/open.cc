#include "store/open.h"

#include <fmt/format.h>

#include "base/text.h"
#include "store/files_store.h"
#include "store/postgres_store.h"
#include "store/private_modes.h"
#include "store/sqlite_store.h"

namespace tyer::store {

Result<std::unique_ptr<Store>> open(const std::string& url, env::Env& env, const Options& options) {
  if (url.starts_with("postgres://") || url.starts_with("postgresql://")) {
    return open_postgres(url, env, options);
  }
  const std::size_t colon = url.find(':');
  const std::string scheme = url.substr(0, colon);
  const std::string path = colon == std::string::npos ? "" : url.substr(colon + 1);
  if ((scheme == "sqlite" || scheme == "files") && path.empty()) {
    return fail(Fault::invalid, fmt::format("the store '{}' names no path", printable(url)));
  }
  if (scheme == "sqlite") {
    TYER_TRY(auto store, open_sqlite(path, env, options));
    // Only now is it known to be a store.
    if (options.create && path != ":memory:") TYER_TRY_OK(make_sqlite_private(path));
    return store;
  }
  if (scheme == "files") {
    TYER_TRY(auto store, open_files(path, env, options));
    if (options.create) TYER_TRY_OK(make_files_private(path));
    return store;
  }
  // Only the scheme is repeated: there may be a password in the rest.
  return fail(Fault::invalid, fmt::format("a store cannot begin with '{}'; write sqlite:PATH, "
                                          "files:DIR or postgres://HOST/DATABASE",
                                          printable(scheme, 20)));
}

}  // namespace tyer::store
