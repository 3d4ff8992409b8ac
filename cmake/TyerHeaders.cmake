# tyer_headers compiles every header by itself, twice in one file, so that each
# includes what it uses. Only `./dev lint` asks for it.

file(GLOB tyer_all_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  src/*/*.h tests/support/*.h)
set(tyer_alone "")
foreach(path IN LISTS tyer_all_headers)
  string(REGEX REPLACE "^(src|tests)/" "" include ${path})
  string(REPLACE "/" "_" name ${include})
  set(alone ${CMAKE_BINARY_DIR}/headers/${name}.cc)
  file(CONFIGURE OUTPUT ${alone} CONTENT "#include \"${include}\"\n#include \"${include}\"\n")
  list(APPEND tyer_alone ${alone})
endforeach()

add_library(tyer_headers OBJECT EXCLUDE_FROM_ALL ${tyer_alone})
target_include_directories(tyer_headers PRIVATE src tests)
set_target_properties(tyer_headers PROPERTIES UNITY_BUILD OFF CXX_CLANG_TIDY "")
# The tests' own paths; what they are does not matter here.
target_compile_definitions(tyer_headers PRIVATE TYER_PROGRAM="" TYER_SOURCE="")
