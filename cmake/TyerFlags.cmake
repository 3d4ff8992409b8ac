# How everything is compiled and linked. Warnings are errors; checks stay on in release.

option(TYER_TESTS "Build the tests and benchmarks" ON)
option(TYER_FUZZ "Build the fuzzers, with clang" OFF)
set(TYER_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")

add_compile_options(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  # Members that a designated initialiser leaves out have their defaults on purpose.
  -Wno-missing-field-initializers
  -fstack-protector-strong -fno-plt -fPIE)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
# Tables that the loader fills are read-only before the program's first step, and jumps lead only to
# marked places where the processor checks that.
add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-fcf-protection=full)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # stable_sort of libstdc++ 12 uses what it deprecates.
  add_compile_options(-Wthread-safety -Wno-deprecated-declarations)
else()
  # False alarms of g++ 12 in the standard library once it inlines.
  add_compile_options(
    -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  add_compile_definitions(_FORTIFY_SOURCE=2)
endif()

if(TYER_SANITIZE)
  add_compile_options(-fsanitize=${TYER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TYER_SANITIZE})
  set(TYER_STATIC_LINK "")
else()
  # Everything but libc is in the binary; libpq is opened at run time.
  set(TYER_STATIC_LINK -static-libstdc++ -static-libgcc)
endif()

find_program(TYER_CCACHE ccache)
if(TYER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TYER_CCACHE})
endif()
find_program(TYER_MOLD mold)
if(TYER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_library(TYER_SQLITE NAMES libsqlite3.a REQUIRED)
find_library(TYER_SODIUM NAMES libsodium.a REQUIRED)
find_library(TYER_SSL NAMES libssl.a REQUIRED)
find_library(TYER_CRYPTO NAMES libcrypto.a REQUIRED)
find_package(Threads REQUIRED)
link_libraries(Threads::Threads m)
