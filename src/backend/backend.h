// A back end: one agent program as data, and the reader of its output.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/report.h"
#include "backend/task.h"
#include "base/error.h"

namespace tyer::backend {

using Sink = std::function<void(const Note&)>;

// Reads what a program writes to standard output, in pieces cut anywhere: the
// notes and the report do not depend on where. No input is refused, and memory
// stays bounded whatever comes.
class Reader {
 public:
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  virtual void feed(std::string_view bytes) = 0;

  // Once, when the process is gone and its output is read to the end.
  [[nodiscard]] virtual Report finish(const Ending& ending) = 0;

 protected:
  Reader() = default;
};

struct Backend {
  std::string_view name;     // "claude"
  std::string_view program;  // Looked for in PATH; empty: the task brings its own.
  // What to ask it once for its Features; empty: nothing.
  std::span<const std::string_view> version_arguments;
  std::span<const std::string_view> help_arguments;

  [[nodiscard]] bool asks() const { return !version_arguments.empty() || !help_arguments.empty(); }

  // `invalid` or `limit`: the task cannot be done by anybody, or not by this
  // agent. `not_found`: the conversation cannot be one of this agent's; go on as
  // after a stale one.
  Result<Call> (*prepare)(const Task& task, const Features& features);

  // A reader for one run of `task`, whose notes go to `sink` as they are read.
  std::unique_ptr<Reader> (*read)(const Task& task, Sink sink);
};

[[nodiscard]] std::span<const Backend> backends();

// The one called `name`, or nothing.
[[nodiscard]] const Backend* find_backend(std::string_view name);

}  // namespace tyer::backend
