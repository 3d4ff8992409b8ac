# The page of web/ as a part of the program: TYER_PAGE is a source with all its files.
# It is built here if Node and npm are new enough, or taken from TYER_UI_DIST. Without either the
# program says how to get it.

set(TYER_UI_DIST "" CACHE PATH "A page that is built already; empty: it is built here, with Node")
option(TYER_UI "Put the page into the program" ON)
set(tyer_node_least 20.19)

set(TYER_PAGE ${CMAKE_BINARY_DIR}/page.cc)
set(page_dist ${CMAKE_BINARY_DIR}/web)
set(page_inputs "")
set(page_build "")
set(page_version "")
find_program(TYER_NPM npm)
find_program(TYER_NODE node)
if(TYER_NPM AND TYER_NODE)
  execute_process(COMMAND ${TYER_NODE} --version OUTPUT_VARIABLE page_version
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "v" "" page_version "${page_version}")
endif()

if(NOT TYER_UI)
  set(page_dist "")
elseif(TYER_UI_DIST)
  if(NOT EXISTS ${TYER_UI_DIST}/index.html)
    message(FATAL_ERROR "TYER_UI_DIST: there is no ${TYER_UI_DIST}/index.html")
  endif()
  set(page_dist ${TYER_UI_DIST})
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS ${TYER_UI_DIST}/*)
elseif(page_version VERSION_GREATER_EQUAL tyer_node_least)
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS web/src/* web/public/*)
  list(FILTER page_inputs EXCLUDE REGEX "/api/routes\\.ts$")  # Made by the build itself.
  file(GLOB page_settings CONFIGURE_DEPENDS web/*.json web/*.ts web/*.html)
  list(APPEND page_inputs ${page_settings} ${PROJECT_SOURCE_DIR}/tools/web)
  set(page_build COMMAND ${PROJECT_SOURCE_DIR}/tools/web --or-none ${page_dist})
else()
  message(STATUS "No Node ${tyer_node_least} with npm: tyer is built without its page")
  set(page_dist "")
endif()

add_custom_command(OUTPUT ${TYER_PAGE}
  ${page_build}
  COMMAND ${CMAKE_COMMAND} -DDIST=${page_dist} -DOUT=${TYER_PAGE}
    -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${page_inputs} cmake/EmbedPage.cmake
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "The page" VERBATIM)
