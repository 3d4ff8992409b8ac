#include "cli/output.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/limits.h"

namespace tyer::cli {
namespace {

constexpr std::size_t piece_bytes = 64 << 10;

// 0, or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void Output::print(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= piece_bytes) write_out();
}

Result<> Output::flush() {
  write_out();
  return failed_;
}

bool Output::closed() {
  pollfd reader{out_, 0, 0};
  if (!closed_ && ::poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0) closed_ = true;
  return closed_;
}

void Output::warn(std::string_view text) {
  write_out();
  // There is nowhere left to tell of a failure here.
  (void)write_all(err_, text);
}

void Output::remark(const std::string& sentence) {
  if (!remarks_.insert(sentence).second) return;
  warn(speaks_json_ ? fmt::format("{{\"note\":{}}}\n", json_string(sentence))
                    : fmt::format("tyer: {}\n", printable(sentence, limits::remark_bytes_max)));
}

void Output::warn_from_aside(std::string_view text) const {
  (void)write_all(err_, text);
}

bool Output::takes_warnings() const {
  pollfd reader{err_, POLLOUT, 0};
  return ::poll(&reader, 1, 0) == 1;
}

bool Output::on_terminal() const {
  return ::isatty(out_) == 1;
}

bool Output::errors_on_terminal() const {
  return ::isatty(err_) == 1;
}

std::size_t Output::width() const {
  winsize size{};
  if (::ioctl(out_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::size_t Output::height() const {
  winsize size{};
  if (::ioctl(out_, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

void Output::write_out() {
  if (!closed_ && failed_ && !waiting_.empty()) {
    const int problem = write_all(out_, waiting_);
    if (problem == EPIPE) {
      closed_ = true;
    } else if (problem != 0) {
      const Fault fault =
          problem == ENOSPC || problem == EDQUOT ? Fault::limit : Fault::unavailable;
      failed_ =
          fail(fault, fmt::format("cannot write to standard output: {}", std::strerror(problem)));
    }
  }
  waiting_.clear();
}

Log make_log(const Output& output, const env::Clock& clock, Log::Form form, Level least,
             std::function<void()> on_line) {
  const auto now = [&clock] { return clock.now(); };
  const auto write = [&output, on_line = std::move(on_line)](std::string_view line) {
    output.warn_from_aside(std::string(line) + "\n");
    if (on_line) on_line();
  };
  const auto left_out = std::make_shared<std::atomic<std::size_t>>(0);
  return Log(form, least, now,
             [&output, write, left_out, own = Log(form, least, now, write)](std::string_view line) {
               if (!output.takes_warnings()) {
                 ++*left_out;
                 return;
               }
               if (const std::size_t lines = left_out->exchange(0); lines > 0) {
                 own.warn("left out what nobody has read", {{"lines", std::to_string(lines)}});
               }
               write(line);
             });
}

Progress::Progress(Output& output, const env::Clock& clock)
    : output_(output), clock_(clock), wanted_(output.errors_on_terminal()), last_(clock.mono()) {}

Progress::~Progress() {
  if (shown_) output_.warn("\r\x1b[K");
}

void Progress::show(std::string_view text) {
  if (!wanted_) return;
  const Span now = clock_.mono();
  if (now - last_ < limits::progress_every) return;
  last_ = now;
  shown_ = true;
  output_.warn(fmt::format("\r{}\x1b[K", text));
}

std::string paint(bool color, Style style, std::string_view text) {
  if (!color || style == Style::plain || text.empty()) return std::string(text);
  std::string_view code;
  switch (style) {
    case Style::plain: break;
    case Style::dim: code = "2"; break;
    case Style::bold: code = "1"; break;
    case Style::key: code = "36"; break;
    case Style::good: code = "32"; break;
    case Style::bad: code = "31"; break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace tyer::cli
