#include "run/berth.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/json.h"
#include "env/marked.h"
#include "env/os_error.h"
#include "run/limits.h"

namespace tyer::run {
namespace {

std::string waiting_folder(const std::string& runs) {
  return runs + "/waiting";
}

std::string word_path(const std::string& runs, const std::string& mark) {
  return fmt::format("{}/{}", waiting_folder(runs), mark);
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// What a run said is kept. One that never began has said nothing.
void remove_unless_said(const std::string& folder) {
  std::error_code none;
  for (const char* name : {"transcript.jsonl", "output.log", "errors.log"}) {
    const auto size = std::filesystem::file_size(fmt::format("{}/{}", folder, name), none);
    if (!none && size > 0) return;
  }
  remove_folder(folder);
}

bool is_gone(const env::Env& env, const Json& word, const char* who) {
  const auto holder = core::read_guard(word, who, "");
  return holder && env.processes.look(*holder).liveness == core::Liveness::gone;
}

}  // namespace

Berth::Berth(env::Env& env, std::string runs, std::string mark, const Guards& guards)
    : env_(env), runs_(std::move(runs)), mark_(std::move(mark)), guards_(guards), name_(mark_) {}

Result<std::unique_ptr<Berth>> Berth::make(env::Env& env, const std::string& runs,
                                           const std::string& mark, const Guards& guards) {
  std::unique_ptr<Berth> berth(new Berth(env, runs, mark, guards));
  const std::string folder = fmt::format("{}/{}", runs, mark);
  TYER_TRY(berth->transcript, Transcript::make(env.files, env.clock, folder));
  TYER_TRY(berth->kin, env.files.open(kin_path(folder), env::Open::write));
  TYER_TRY_OK(env.files.make_directory(folder + "/call"));
  TYER_TRY_OK(env.files.make_directory(waiting_folder(runs)));
  TYER_TRY(berth->word_, env.files.open(word_path(runs, mark), env::Open::write));
  TYER_TRY_OK(berth->leave_word());
  return berth;
}

Berth::~Berth() {
  is_recorded();
  if (run_.empty()) remove_folder(folder());
}

Result<> Berth::leave_word() {
  Json word = guards_json(guards_);
  if (name_ != mark_) word["run"] = name_;
  return word_->write(0, dump_json(word));
}

void Berth::put(const std::string& name, std::string content) {
  const std::string path = fmt::format("{}/call/{}", folder(), name);
  if (!env_.files.replace(path, content)) return;
  file_ = name;
  content_ = std::move(content);
}

Result<> Berth::expect(const std::string& id) {
  const std::string before = folder();
  if (std::rename(before.c_str(), fmt::format("{}/{}", runs_, id).c_str()) != 0) {
    return std::unexpected(env::os_error(errno, "rename", name_));
  }
  name_ = id;
  transcript->move_to(folder());
  return leave_word();
}

Result<> Berth::take(const std::string& id) {
  if (name_ != id) TYER_TRY_OK(expect(id));
  run_ = id;
  return {};
}

void Berth::give_up() {
  if (!run_.empty()) remove_folder(folder());
  run_.clear();
}

void Berth::is_recorded() {
  if (!word_) return;
  word_.reset();
  (void)env_.files.remove(word_path(runs_, mark_));
}

void end_unrecorded(env::Env& env, const std::string& runs, const std::string& own) {
  const auto waiting = env.files.list(waiting_folder(runs));
  if (!waiting) return;
  for (const env::Entry& entry : *waiting) {
    if (entry.name == own) continue;
    const std::string path = word_path(runs, entry.name);
    const auto text = env.files.read(path, limits::word_bytes_max);
    if (!text) continue;
    const auto word = parse_json_object(*text, text->size());
    // One that is being written is somebody's who lives.
    if (!word || !is_gone(env, *word, "keeper") || !is_gone(env, *word, "front")) continue;
    // First what is not the agent yet, then what is.
    env::end_marked(keeper_mark_of(entry.name));
    const std::string run = text_or(*word, "run");
    if (!run.empty()) env::end_marked(mark_of(run));
    remove_folder(fmt::format("{}/{}", runs, entry.name));
    if (!run.empty()) remove_unless_said(fmt::format("{}/{}", runs, run));
    (void)env.files.remove(path);
  }
}

}  // namespace tyer::run
