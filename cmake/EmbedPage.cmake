# cmake -DDIST=folder -DOUT=page.cc -P EmbedPage.cmake: all files of a built page, compressed, as
# one C++ source. The compiler never sees their bytes: the assembler takes them in. Without a
# folder there are no files.

cmake_minimum_required(VERSION 3.25)

set(files "")
if(DIST)
  file(GLOB_RECURSE files RELATIVE ${DIST} ${DIST}/*)
  list(FILTER files EXCLUDE REGEX "\\.map$")
  list(SORT files)
endif()
string(REGEX REPLACE "\\.cc$" "" packed ${OUT})
file(REMOVE_RECURSE ${packed})
file(MAKE_DIRECTORY ${packed})

set(bytes "")
set(symbols "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  set(gzip ${packed}/${number}.gz)
  execute_process(COMMAND gzip -9nc ${DIST}/${file} OUTPUT_FILE ${gzip}
    COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 ${DIST}/${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND bytes
    "asm(\".pushsection .rodata.tyer_page,\\\"a\\\",%progbits\\n\"\n"
    "    \".global tyer_page_${number}, tyer_page_${number}_end\\n\"\n"
    "    \"tyer_page_${number}:\\n.incbin \\\"${gzip}\\\"\\n\"\n"
    "    \"tyer_page_${number}_end:\\n.popsection\\n\");\n")
  string(APPEND symbols
    "extern \"C\" const char tyer_page_${number}[];\n"
    "extern \"C\" const char tyer_page_${number}_end[];\n")
  string(APPEND rows
    "      {\"/${file}\", page_type(\"/${file}\"), \"\\\"${hash}\\\"\",\n"
    "       {tyer_page_${number}, tyer_page_${number}_end}},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUT} "#include \"api/page.h\"

#include <array>

${bytes}
${symbols}
namespace tyer::api {

std::span<const PageFile> page_files() {
  static const std::array<PageFile, ${number}> files{{
${rows}  }};
  return files;
}

}  // namespace tyer::api
")
