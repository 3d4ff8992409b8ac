#include "run/transcript.h"

#include <cstdio>

#include "backend/limits.h"
#include "base/json.h"
#include "env/os_error.h"
#include "run/limits.h"

namespace tyer::run {
namespace {

static_assert(8 * limits::note_bytes_max < limits::transcript_page_bytes, "a page has a line");

// The newest piece of a rolling file has the name, the older one a number.
std::string older_path(const std::string& path) {
  return path.substr(0, path.rfind('.')) + ".1.log";
}

std::string output_path(const std::string& folder) {
  return folder + "/output.log";
}

std::string errors_path(const std::string& folder) {
  return folder + "/errors.log";
}

std::string line_of(const backend::Note& note, std::uint64_t number, Time now) {
  Json line{{"n", number},
            {"at", format_time(now, 3)},
            {"kind", backend::name(note.kind)},
            {"text", note.text}};
  if (!note.tool.empty()) line["tool"] = note.tool;
  if (note.failed) line["failed"] = true;
  if (note.wait) line["wait_ms"] = *note.wait / 1ms;
  return dump_json(line) + "\n";
}

// Whoever commits everything in a project must not commit what agents said.
Result<> hide_from_git(env::Files& files, const std::string& folder) {
  const std::string path = folder.substr(0, folder.rfind('/')) + "/.gitignore";
  const auto there = files.open(path, env::Open::read);
  return there ? Result<>() : files.replace(path, "*\n");
}

}  // namespace

Result<> RollingFile::add(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (bytes.size() > half_) bytes.remove_prefix(bytes.size() - half_);
  if (size_ + bytes.size() > half_) TYER_TRY_OK(roll());
  if (!file_) {
    TYER_TRY(file_, files_.open(path_, env::Open::write));
  }
  TYER_TRY_OK(file_->write(size_, bytes));
  size_ += bytes.size();
  return {};
}

Result<> RollingFile::roll() {
  file_.reset();
  size_ = 0;
  if (std::rename(path_.c_str(), older_path(path_).c_str()) != 0 && errno != ENOENT) {
    return std::unexpected(env::os_error(errno, "rename", path_));
  }
  return {};
}

Transcript::Transcript(env::Files& files, const env::Clock& clock, const std::string& folder,
                       std::unique_ptr<env::File> file)
    : clock_(clock),
      file_(std::move(file)),
      output_(files, output_path(folder), limits::raw_output_bytes_max),
      errors_(files, errors_path(folder), limits::raw_errors_bytes_max) {}

Result<std::unique_ptr<Transcript>> Transcript::make(env::Files& files, const env::Clock& clock,
                                                     const std::string& folder) {
  TYER_TRY_OK(files.make_directory(folder));
  TYER_TRY_OK(hide_from_git(files, folder));
  TYER_TRY(auto file, files.open(folder + "/transcript.jsonl", env::Open::create_new));
  return std::unique_ptr<Transcript>(new Transcript(files, clock, folder, std::move(file)));
}

void Transcript::add(const backend::Note& note) {
  if (is_full_) return;
  std::string line = line_of(note, ++number_, clock_.now());
  is_full_ = size_ + waiting_.size() + line.size() > limits::transcript_bytes_max;
  if (is_full_) {
    line = line_of({.kind = backend::Note::Kind::warning,
                    .text = "the transcript is full; what follows is not in it"},
                   number_, clock_.now());
  }
  waiting_ += line;
  // One piece of output may be thousands of notes.
  if (waiting_.size() >= limits::transcript_page_bytes) flush();
}

void Transcript::flush() {
  if (waiting_.empty()) return;
  const Result<> written = file_->write(size_, waiting_);
  keep(written);
  size_ += waiting_.size();
  // What was written in part may have been read already: nothing is put in its place.
  if (!written) is_full_ = true;
  waiting_.clear();
}

void Transcript::keep(const Result<>& written) {
  if (!written && trouble_.empty()) trouble_ = written.error().what;
}

Result<std::vector<std::string>> TranscriptReader::next() {
  std::vector<std::string> lines;
  if (!file_) {
    auto opened = files_.open(path_, env::Open::read);
    if (!opened && opened.error().fault == Fault::not_found) return lines;
    TYER_TRY(file_, std::move(opened));
  }
  TYER_TRY(const std::string text, file_->read(offset_, limits::transcript_page_bytes));
  std::string_view rest = text;
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  offset_ += text.size() - rest.size();
  return lines;
}

int TranscriptReader::fd() {
  // Its folder may come later, and hints may not be had at all.
  if (!watch_) {
    if (auto opened = env::FileWatch::open({path_})) watch_ = *std::move(opened);
  }
  return watch_ ? watch_->fd() : -1;
}

void TranscriptReader::forget_hints() {
  if (watch_) (void)watch_->wait(Span::zero());
}

}  // namespace tyer::run
