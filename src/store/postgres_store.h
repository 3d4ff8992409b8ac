// The store in a PostgreSQL database, for work on many machines.
//
// A database holds any number of spaces that do not see each other and do not
// wait for each other. Within a space one writer at a time holds an advisory
// lock (law 9), so commit order is sequence order; its time is the database's.
// Beginning is one round trip, each read is one, committing is one.
//
// When the connection is lost, the next begin or read makes a new one. When it
// is lost during a commit, the store asks the database what became of it and
// answers by that; only if the database cannot be asked the answer is
// `unavailable` and says that it may or may not have been committed. A writer
// that stalls with its transaction open for half of the time that others wait
// is thrown out by the server; its commit then fails.
//
// Commits are told by NOTIFY, right after them. Statements are prepared per connection: a pooler
// between us and the server must keep sessions apart, and one that is seen not to is refused.

#pragma once

#include <memory>
#include <string>

#include "env/env.h"
#include "store/limits.h"
#include "store/open.h"
#include "store/store.h"

namespace tyer::store {

// Connects and brings the tables up to date. `wait_max` is how long a writer
// waits for others. Messages and names never have the URL's password in them.
[[nodiscard]] Result<std::unique_ptr<Store>> open_postgres(const std::string& url, env::Env& env,
                                                           const Options& options,
                                                           Span wait_max = limits::store_wait_max);

}  // namespace tyer::store
