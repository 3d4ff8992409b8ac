# Turns src/store/migrations/DIALECT_NNNN_NAME.sql into one C++ table, in order.

file(GLOB tyer_sql CONFIGURE_DEPENDS src/store/migrations/*.sql)
list(SORT tyer_sql)
set(rows "")
foreach(path IN LISTS tyer_sql)
  get_filename_component(name ${path} NAME_WE)
  if(NOT name MATCHES "^([a-z]+)_([0-9][0-9][0-9][0-9])_[a-z_]+$")
    message(FATAL_ERROR "${path}: a migration is called DIALECT_NNNN_NAME.sql")
  endif()
  set(dialect ${CMAKE_MATCH_1})
  string(REGEX REPLACE "^0+" "" number ${CMAKE_MATCH_2})
  file(READ ${path} text)
  string(APPEND rows "    {\"${dialect}\", ${number}, R\"sql(${text})sql\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
endforeach()
set(TYER_MIGRATIONS ${CMAKE_BINARY_DIR}/migrations.cc)
file(CONFIGURE OUTPUT ${TYER_MIGRATIONS} @ONLY CONTENT
"#include \"store/migrations.h\"

#include <array>

namespace tyer::store {
namespace {

constexpr Migration table[] = {
@rows@};

}  // namespace

std::span<const Migration> migrations() { return table; }

}  // namespace tyer::store
")
