// Uploads in a PostgreSQL database, in pieces: every hub of the database has the same.

#pragma once

#include <memory>
#include <string>

#include "env/clock.h"
#include "store/uploads.h"

namespace tyer::store {

[[nodiscard]] Result<std::unique_ptr<Uploads>> open_postgres_uploads(const std::string& url,
                                                                     const env::Clock& clock,
                                                                     const std::string& space,
                                                                     const std::string& scratch);

}  // namespace tyer::store
