#include "store/sqlite_version.h"

#include <sqlite3.h>

namespace tyer::store {

std::string_view sqlite_version() {
  return sqlite3_libversion();
}

}  // namespace tyer::store
