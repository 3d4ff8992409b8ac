// Files that people and agents send (H6): each is kept under its id with the store, and its name is
// only a text.
//
// What is sent is hostile. Nothing is shown but pictures of four kinds; all else is a download that
// says it is one, in a sandbox, and never under a type that a browser would run.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/hub.h"
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

struct KeptUpload {
  std::uint64_t size = 0;
  std::string sha256;
};

// Keeps the body of `request` as `id`.
[[nodiscard]] Result<KeptUpload> keep_upload(store::Uploads& uploads, const std::string& id,
                                             const http::Request& request);

// Makes the folder where the server puts large bodies, and removes uploads that were never
// finished.
[[nodiscard]] Result<> prepare_uploads(env::Files& files, const HubOptions& hub,
                                       http::Limits& limits);

// Brings what lies in the folders `hub.old_uploads` into the store's uploads, if the store knows of
// it. How many they were.
[[nodiscard]] Result<std::size_t> take_over_uploads(env::Files& files, const HubOptions& hub,
                                                    store::Store& store);

}  // namespace tyer::api
