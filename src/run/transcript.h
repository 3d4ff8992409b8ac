// What an agent said, on disk: the folder `<runs>/<id>`, for its user alone.
//
//   transcript.jsonl  one object per note, numbered, with its time; whole lines only
//   output.log        standard output as it came; the newest of it, with output.1.log
//   errors.log        standard error, the same way
//
// Whoever follows a run reads transcript.jsonl, so nothing is shown that was not
// written. At its bound the transcript says so and takes no more notes.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/report.h"
#include "base/error.h"
#include "env/clock.h"
#include "env/file_watch.h"
#include "env/files.h"

namespace tyer::run {

// A file of which the newest bytes are kept, in two halves.
class RollingFile {
 public:
  RollingFile(env::Files& files, std::string path, std::uint64_t bytes_max)
      : files_(files), path_(std::move(path)), half_(bytes_max / 2) {}

  [[nodiscard]] Result<> add(std::string_view bytes);

 private:
  [[nodiscard]] Result<> roll();

  env::Files& files_;
  const std::string path_;
  const std::uint64_t half_;
  std::unique_ptr<env::File> file_;
  std::uint64_t size_ = 0;
};

class Transcript {
 public:
  // The folder is made. A disk that fails later does not end the run: see `trouble`.
  [[nodiscard]] static Result<std::unique_ptr<Transcript>> make(env::Files& files,
                                                                const env::Clock& clock,
                                                                const std::string& folder);

  void output(std::string_view bytes) { keep(output_.add(bytes)); }
  void errors(std::string_view bytes) { keep(errors_.add(bytes)); }

  // Waits to be written, until `flush` or until it is a page.
  void add(const backend::Note& note);
  void flush();

  // What went wrong first, or nothing.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  Transcript(env::Files& files, const env::Clock& clock, const std::string& folder,
             std::unique_ptr<env::File> file);
  void keep(const Result<>& written);

  const env::Clock& clock_;
  std::unique_ptr<env::File> file_;
  RollingFile output_;
  RollingFile errors_;
  std::string waiting_;
  std::uint64_t size_ = 0;
  std::uint64_t number_ = 0;
  bool is_full_ = false;
  std::string trouble_;
};

// Reads a transcript while it is being written, also one that is not there yet.
class TranscriptReader {
 public:
  TranscriptReader(env::Files& files, const std::string& folder)
      : files_(files), path_(folder + "/transcript.jsonl") {}

  // Whole lines that were not read before, some at a time; none if there are none now.
  [[nodiscard]] Result<std::vector<std::string>> next();

  // Readable when there may be more; -1 if that cannot be told.
  [[nodiscard]] int fd();
  void forget_hints();

 private:
  env::Files& files_;
  const std::string path_;
  std::unique_ptr<env::File> file_;
  std::unique_ptr<env::FileWatch> watch_;
  std::uint64_t offset_ = 0;
};

}  // namespace tyer::run
