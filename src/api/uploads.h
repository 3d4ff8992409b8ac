// Files that people and agents send (H6): each lies under its id in one folder, which nobody but
// the hub reads, and its name is only a text.
//
// What is sent is hostile. Nothing is shown but pictures of four kinds; all else is a download that
// says it is one, in a sandbox, and never under a type that a browser would run.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/hub.h"
#include "env/fd.h"
#include "env/files.h"
#include "http/server.h"

namespace tyer::api {

// A name to download a file by: no path, no control characters, nothing that turns text around.
[[nodiscard]] Result<> check_upload_name(std::string_view name);

// "image/png" of "Image/PNG; x=y"; "application/octet-stream" if it is not a plain type.
[[nodiscard]] std::string plain_type(std::string_view content_type);

// How a file of this name and type is answered.
struct Showing {
  std::string content_type;
  std::string disposition;
};
[[nodiscard]] Showing show_upload(std::string_view name, std::string_view plain_type);

// "%EA%B0%80.png", as a part of a path or of a header.
[[nodiscard]] std::string percent_encoded(std::string_view text);

// Keeps the body of `request` as `folder`/`id`: whole and on the disk, or not at all. How long it
// is.
[[nodiscard]] Result<std::uint64_t> keep_upload(env::Files& files, const std::string& folder,
                                                const std::string& id,
                                                const http::Request& request);

struct OpenedUpload {
  env::Fd file;
  std::uint64_t size = 0;
};
[[nodiscard]] Result<OpenedUpload> open_upload(const std::string& folder, const std::string& id);

// Makes the folder, clears it of what was never finished, and lets the server take large bodies
// where files are sent.
[[nodiscard]] Result<> prepare_uploads(env::Files& files, const HubOptions& hub,
                                       http::Limits& limits);

}  // namespace tyer::api
