// The page for people: files of web/ as they were built into the program, or of a folder while
// somebody works on them.
//
// What is asked for is looked up by its whole path, so nothing else can be reached. A browser that
// goes to a path that is nobody's gets the page too: it knows its own paths.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "env/files.h"
#include "http/message.h"

namespace tyer::api {

struct PageFile {
  std::string_view path;  // "/assets/index-DxRC2Wqm.js"; those in /assets/ never change.
  std::string_view type;  // "text/css; charset=utf-8"
  std::string_view etag;  // With its quotes.
  std::string_view gzip;
};

// Of this program, made by cmake/EmbedPage.cmake; none if it was built without Node.
[[nodiscard]] std::span<const PageFile> page_files();

// The content type of a file by its name; empty if the page has no such files.
[[nodiscard]] std::string_view page_type(std::string_view path);

// What to answer to a request that no route is for; nothing if the page does not know it either.
// Without files: how to get some.
[[nodiscard]] Result<std::optional<http::Response>> show_page(const http::Request& request,
                                                              std::span<const PageFile> files);

// The same from `folder`, which is nobody's but the developer's: read anew each time, and what
// leads out of it is not found.
[[nodiscard]] Result<std::optional<http::Response>> show_page(const http::Request& request,
                                                              env::Files& files,
                                                              const std::string& folder);

}  // namespace tyer::api
