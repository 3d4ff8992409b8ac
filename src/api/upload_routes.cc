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
#include "feed/usage.h"

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

// What its author has stored, if that is counted: with a change of it the event that says so.
using CountFile = Result<> (*)(feed::Usage& usage, std::uint64_t bytes, Time now);

Result<> count_file(const core::View& view, const std::string& agent, std::uint64_t bytes, Time now,
                    CountFile count, core::Change& change) {
  TYER_TRY(feed::Usage usage, feed::read_usage(view, agent));
  TYER_TRY_OK(count(usage, bytes, now));
  change.events.push_back(feed::count_usage(agent, usage));
  return {};
}

// Before it is kept, so that nothing is written for what is refused anyway.
Result<> check_room(Call& call) {
  if (!call.caller.actor.is_agent) return {};
  engine::Engine& engine = call.hub.engine();
  TYER_TRY(const Time now, engine.store_time());
  return engine.read([&](const core::View& view) -> Result<> {
    core::Change unused;
    return count_file(view, call.caller.actor.id, 1, now, feed::add_file, unused);
  });
}

Result<http::Response> add_upload(Call& call) {
  TYER_TRY(store::Uploads* const uploads, uploads_of(call));
  const std::string name(call.request.query_of("name"));
  TYER_TRY_OK(check_upload_name(name));
  TYER_TRY_OK(check_room(call));
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
      call.hub.apply(actor, [&](const core::View& view, Time now) -> Result<core::Change> {
        core::Change change{
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
        if (!actor.is_agent) return change;
        TYER_TRY_OK(count_file(view, actor.id, kept->size, now, feed::add_file, change));
        return change;
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

// The event comes first: a file that nothing tells of any more is only in the way.
Result<http::Response> remove_upload(Call& call) {
  TYER_TRY(store::Uploads* const uploads, uploads_of(call));
  const auto remove = [&](const core::View& view, Time now) -> Result<core::Change> {
    TYER_TRY(const core::Subject upload, feed::find(view, "upload", call.id()));
    TYER_TRY(const Json state, parse_json_object(upload.state));
    const bool is_bots = text_or(state, "author_type") == "bot";
    const std::string author = text_or(state, "created_by");
    const auto& actor = call.caller.actor;
    if (actor.is_agent && (!is_bots || author != actor.id)) {
      return fail(Fault::denied, upload.key + " was sent by somebody else");
    }
    core::Change change{
        .events = {{upload.key, "upload.deleted", dump_json({{"deleted_at", format_time(now)}})}}};
    if (!is_bots) return change;
    const auto size = static_cast<std::uint64_t>(int_or(state, "size"));
    const CountFile take_off = [](feed::Usage& usage, std::uint64_t bytes, Time) -> Result<> {
      feed::remove_file(usage, bytes);
      return {};
    };
    TYER_TRY_OK(count_file(view, author, size, now, take_off, change));
    return change;
  };
  TYER_TRY_OK(call.hub.apply(call.caller.actor, remove));
  TYER_TRY_OK(uploads->remove(call.id()));
  return answer("", 204);
}

}  // namespace

std::vector<Route> upload_routes() {
  return {
      {.method = "POST",
       .path = "/api/uploads",
       .summary = "Keeps a file, which is the body as it is, up to 50 MB. An agent has 1,000 of "
                  "2 GB together, and sends 500 MB a day. `url` of the answer is "
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
      {.method = "DELETE",
       .path = "/api/uploads/{id}",
       .summary =
           "Deletes a file that the caller has sent; people may delete any. What links to it "
           "finds nothing then",
       .reply = "Nothing",
       .status = 204,
       .handle = remove_upload,
       .writes_feed = true},
  };
}

}  // namespace tyer::api
