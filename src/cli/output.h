// Where commands write: answers to standard output, the rest to standard error.
//
// Text for standard output is gathered and written in large pieces. A reader
// that went away (`tyer log | head`) is no error: `closed` turns true and what
// is printed after that is dropped. Any other failure is kept for `flush`,
// because an answer that did not arrive must not end in exit code 0.

#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "env/clock.h"

namespace tyer::cli {

class Output {
 public:
  // Writes to these file descriptors, which stay open.
  Output(int out, int err) : out_(out), err_(err) {}

  void print(std::string_view text);
  [[nodiscard]] Result<> flush();

  // Whether nobody reads standard output any more.
  [[nodiscard]] bool closed();

  // To wait for that; not to write to.
  [[nodiscard]] int fd() const { return out_; }

  // To standard error, at once, after what was printed before.
  void warn(std::string_view text);

  // A sentence about what is done, to standard error, the same one only once: a line for people, or
  // an object on a line once `speak_json` was called.
  void remark(const std::string& sentence);
  void speak_json() { speaks_json_ = true; }

  // To standard error from any thread; what was printed before may come later.
  void warn_from_aside(std::string_view text) const;
  // Whether a line to standard error would not have to wait for its reader.
  [[nodiscard]] bool takes_warnings() const;

  [[nodiscard]] bool on_terminal() const;
  [[nodiscard]] bool errors_on_terminal() const;

  // Columns of the terminal; 80 if there is none.
  [[nodiscard]] std::size_t width() const;
  // Its lines; 24 if there is none.
  [[nodiscard]] std::size_t height() const;

 private:
  void write_out();

  const int out_;
  const int err_;
  std::string waiting_;
  std::set<std::string> remarks_;
  bool speaks_json_ = false;
  bool closed_ = false;
  Result<> failed_;
};

// A log on standard error, a line each. Nobody ever waits for its reader: what is too much is left
// out, and how much that was is told as soon as there is room again. `on_line` is called by any
// thread, after each.
[[nodiscard]] Log make_log(const Output& output, const env::Clock& clock, Log::Form form,
                           Level least, std::function<void()> on_line = {});

// One line on a terminal's standard error that says how far long work has come.
// It is gone when the work is done; elsewhere it is never there.
class Progress {
 public:
  Progress(Output& output, const env::Clock& clock);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view text);

 private:
  Output& output_;
  const env::Clock& clock_;
  const bool wanted_;
  Span last_;
  bool shown_ = false;
};

enum class Style { plain, dim, bold, key, good, bad };

// `text` with the terminal codes of `style` around it, if `color`.
[[nodiscard]] std::string paint(bool color, Style style, std::string_view text);

}  // namespace tyer::cli
