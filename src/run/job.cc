#include "run/job.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"

namespace tyer::run {
namespace {

constexpr std::array<const char*, 3> permission_names{"read", "edit", "all"};

std::vector<std::string> words_of(const Json& object, const char* name) {
  std::vector<std::string> words;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return words;
  for (const Json& word : *found) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

Span span_of(const Json& object, const char* name) {
  return Span(1ms) * int_or(object, name);
}

// Variables may hold any bytes, and JSON only text: what is none is a list of its bytes.
Json environment_json(const backend::Environment& environment) {
  Json all = Json::object();
  for (const auto& [name, value] : environment) {
    if (is_utf8(value)) {
      all[name] = value;
    } else {
      all[name] = std::vector<unsigned char>(value.begin(), value.end());
    }
  }
  return all;
}

backend::Environment read_environment(const Json& job) {
  backend::Environment environment;
  const auto found = job.find("environment");
  if (found == job.end() || !found->is_object()) return environment;
  for (const auto& [name, value] : found->items()) {
    std::string& text = environment[name];
    if (value.is_string()) text = value.get<std::string>();
    for (const Json& byte : value.is_array() ? value : Json::array()) {
      if (byte.is_number_integer()) text += static_cast<char>(byte.get<int>());
    }
  }
  return environment;
}

}  // namespace

std::string encode(const Job& job) {
  const backend::Task& task = job.task;
  return dump_json({{"id", job.id},
                    {"mark", job.mark},
                    {"backend", job.backend},
                    {"prompt", task.prompt},
                    {"conversation", task.conversation},
                    {"system", task.system},
                    {"model", task.model},
                    {"permission", permission_names[static_cast<std::size_t>(task.permission)]},
                    {"program", task.program},
                    {"argv", task.argv},
                    {"extra", task.extra},
                    {"session", job.session},
                    {"about", job.about},
                    {"directory", job.directory},
                    {"worktree", job.worktree},
                    {"base", job.base},
                    {"repository", job.repository},
                    {"folder", job.folder},
                    {"kept", job.kept},
                    {"wall_ms", job.bounds.wall / 1ms},
                    {"idle_ms", job.bounds.idle / 1ms},
                    {"output_bytes", job.bounds.output},
                    {"environment", environment_json(job.environment)},
                    {"store", job.store},
                    {"space", job.space},
                    {"durable", job.is_durable},
                    {"heartbeat_ms", job.heartbeat / 1ms},
                    {"silence_ms", job.silence / 1ms}});
}

Result<Job> decode_job(std::string_view text) {
  TYER_TRY(const Json json, parse_json_object(text, limits::job_bytes_max));
  Job job{.id = text_or(json, "id"),
          .mark = text_or(json, "mark"),
          .backend = text_or(json, "backend"),
          .task = {.prompt = text_or(json, "prompt"),
                   .conversation = text_or(json, "conversation"),
                   .system = text_or(json, "system"),
                   .model = text_or(json, "model"),
                   .program = text_or(json, "program"),
                   .argv = words_of(json, "argv"),
                   .extra = words_of(json, "extra")},
          .session = text_or(json, "session"),
          .about = text_or(json, "about"),
          .directory = text_or(json, "directory"),
          .worktree = text_or(json, "worktree"),
          .base = text_or(json, "base"),
          .repository = text_or(json, "repository"),
          .folder = text_or(json, "folder"),
          .kept = static_cast<std::size_t>(int_or(json, "kept", limits::run_folders_kept)),
          .bounds = {.wall = span_of(json, "wall_ms"),
                     .idle = span_of(json, "idle_ms"),
                     .output = static_cast<std::uint64_t>(int_or(json, "output_bytes"))},
          .environment = read_environment(json),
          .store = text_or(json, "store"),
          .space = text_or(json, "space"),
          .is_durable = json.value("durable", Json(true)) == Json(true),
          .heartbeat = span_of(json, "heartbeat_ms"),
          .silence = span_of(json, "silence_ms")};
  const auto permission = std::ranges::find(permission_names, text_or(json, "permission"));
  const bool is_whole = !job.id.empty() && !job.store.empty() && job.directory.starts_with('/') &&
                        job.folder.starts_with('/') && job.kept > 0 &&
                        (job.worktree.empty() || job.repository.starts_with('/')) &&
                        job.bounds.wall > Span::zero() && job.silence > Span::zero() &&
                        job.heartbeat > Span::zero() && permission != permission_names.end();
  if (!is_whole) return fail(Fault::invalid, "the job is not whole; 'tyer agent run' makes them");
  job.task.permission = static_cast<backend::Permission>(permission - permission_names.begin());
  return job;
}

}  // namespace tyer::run
