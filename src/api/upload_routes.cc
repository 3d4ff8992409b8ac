// Files: sent and fetched (H6).

#include <fmt/format.h>

#include "api/answer.h"
#include "api/hub.h"
#include "api/limits.h"
#include "api/uploads.h"
#include "base/id.h"
#include "base/json.h"
#include "base/json_text.h"
#include "feed/kinds.h"

namespace tyer::api {
namespace {

Result<store::Uploads*> uploads_of(Call& call) {
  store::Uploads* const uploads = call.hub.options().uploads.get();
  if (uploads == nullptr) return fail(Fault::not_found, "this hub has no place for files");
  return uploads;
}

std::string shown_upload(const core::Subject& upload, const std::string& name) {
  return with(shown(upload), fmt::format(R"("url":"/api/uploads/{}/{}")", feed::id_of(upload),
                                         percent_encoded(name)));
}

Result<http::Response> add_upload(Call& call) {
  TYER_TRY(store::Uploads* const uploads, uploads_of(call));
  const std::string name(call.request.query_of("name"));
  TYER_TRY_OK(check_upload_name(name));
  env::Env& env = call.hub.engine().env();
  const std::string id = sortable_id("up_", env.clock.now(), env.random.bits());
  const auto kept = keep_upload(*uploads, id, call.request);
  if (!kept) {
    http::Response response = answer(kept.error());
    if (kept.error().fault == Fault::limit) response.status = 507;
    return response;
  }
  const std::string key = feed::key_of("upload", id);
  const auto& actor = call.caller.actor;
  const auto written =
      call.hub.apply(actor, [&](const core::View&, Time now) -> Result<core::Change> {
        return core::Change{
            .events = {
                {key, "upload.created",
                 dump_json({{"name", name},
                            {"content_type", plain_type(call.request.header("content-type"))},
                            {"size", kept->size},
                            {"sha256", kept->sha256},
                            {"author_type", actor.type()},
                            {"created_by", actor.id},
                            {"author_name", actor.name},
                            {"created_at", format_time(now)}})}}};
      });
  if (!written) {
    // Unless it may have been committed after all: then the file is needed.
    const Fault fault = written.error().fault;
    if (fault != Fault::unavailable && fault != Fault::timeout) {
      (void)uploads->remove(id);
    }
    return std::unexpected(written.error());
  }
  TYER_TRY(const core::Subject upload, call.hub.look(key));
  return answer(shown_upload(upload, name), 201);
}

Result<http::Response> show_file(Call& call) {
  TYER_TRY(store::Uploads* const uploads, uploads_of(call));
  TYER_TRY(const core::Subject upload, call.hub.look(feed::key_of("upload", call.id())));
  TYER_TRY(const Json state, parse_json_object(upload.state));
  const std::string name = text_or(state, "name");
  if (call.path.at("name") != name) return fail(Fault::not_found, "there is no such file");
  auto opened = uploads->open(feed::id_of(upload));
  if (!opened && opened.error().fault == Fault::not_found) {
    return fail(Fault::not_found, fmt::format("the file of {} is missing: 'tyer store check' tells "
                                              "what else is",
                                              upload.key));
  }
  if (!opened) return std::unexpected(opened.error());
  if (opened->size != static_cast<std::uint64_t>(int_or(state, "size"))) {
    return fail(Fault::broken, fmt::format("the file of {} is not as long as it was", upload.key));
  }
  Showing showing = show_upload(name, text_or(state, "content_type"));
  http::Response response{.headers = {{"content-type", std::move(showing.content_type)},
                                      {"content-disposition", std::move(showing.disposition)},
                                      {"content-security-policy", "sandbox; default-src 'none'"},
                                      {"cache-control", "private, max-age=3600"}},
                          .file_fd = opened->file.release(),
                          .file_size = opened->size};
  return response;
}

}  // namespace

std::vector<Route> upload_routes() {
  return {
      {.method = "POST",
       .path = "/api/uploads",
       .summary = "Keeps a file, which is the body as it is, up to 50 MB. `url` of the answer is "
                  "where it is; put it into a text as a Markdown link or image",
       .query = {{"name", Type::text, true, "what the file is called, without a path"}},
       .reply = "Upload",
       .status = 201,
       .handle = add_upload,
       .writes_feed = true,
       .takes_file = true},
      {.method = "GET",
       .path = "/api/uploads/{id}/{name}",
       .summary = "The file. Pictures (png, jpeg, gif, webp) can be shown, all else is a download",
       .reply = "File",
       .handle = show_file},
  };
}

}  // namespace tyer::api
