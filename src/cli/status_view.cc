#include "cli/status_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "cli/columns.h"

namespace tyer::cli {
namespace {

constexpr std::size_t cell_bytes_max = 400;
constexpr std::size_t state_width = 14;

using Cells = std::vector<std::string>;

std::size_t widest(const std::vector<Cells>& lines, std::size_t column) {
  std::size_t width = 0;
  for (const Cells& cells : lines) width = std::max(width, display_width(cells[column]));
  return width;
}

// What is long shares what names and states leave over; what is short takes no more than it needs.
void fit(std::vector<Cells>& lines, std::size_t width) {
  const std::size_t session = std::min(widest(lines, 0), width * 3 / 10);
  const std::size_t state = std::min(widest(lines, 1), state_width);
  const std::size_t gaps = std::string_view("  ").size() * 3;
  const std::size_t rest = width - std::min(width, session + state + gaps);
  const std::size_t last = std::min(widest(lines, 3), rest);
  const std::size_t item = std::min(widest(lines, 2), std::max(rest - rest / 2, rest - last));
  const std::size_t widths[] = {session, state, item, std::min(last, rest - item)};
  for (Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = clip(cells[i], widths[i]);
  }
}

}  // namespace

std::vector<std::string> status_lines(std::vector<work::Row> rows, std::size_t width,
                                      std::size_t height) {
  const std::size_t room = std::max<std::size_t>(height, 3) - 1;  // Below the head.
  const std::size_t left_out = rows.size() > room ? rows.size() - (room - 1) : 0;
  if (left_out > 0) {
    std::ranges::stable_partition(rows, [](const work::Row& row) { return row.state != "idle"; });
    rows.resize(rows.size() - left_out);
  }
  std::vector<Cells> lines{{"session", "state", "working on", "last result"}};
  for (const work::Row& row : rows) {
    Cells& cells = lines.emplace_back();
    for (const std::string* text : {&row.session, &row.state, &row.item, &row.last}) {
      cells.push_back(printable(*text, cell_bytes_max));
    }
  }
  fit(lines, width);
  std::vector<std::string> shown;
  std::string text = table(lines);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    shown.push_back(clip(text.substr(at, end - at), width));
    at = end + 1;
  }
  if (left_out > 0) shown.push_back(clip(fmt::format("and {} more", left_out), width));
  return shown;
}

std::string leaving_words(std::size_t runs, Span time) {
  if (runs == 0) return "Leaving.";
  return fmt::format("Leaving: {} first, at most {}. Ctrl+C again ends {} now.",
                     count(runs, "run") + (runs == 1 ? " finishes" : " finish"), format_span(time),
                     runs == 1 ? "it" : "them");
}

void StatusView::show(const std::vector<work::Row>& rows) {
  // A full line would wrap, and one more than the screen has would scroll.
  const std::size_t width = world_.output.width() - 1;
  shown_ = status_lines(rows, width, world_.output.height() - 1);
  print(to_its_beginning());
}

void StatusView::say(const std::string& line) {
  print(to_its_beginning() + line + "\x1b[K\n");
}

// A terminal shows ^C where the cursor is, so that need not be the beginning of a line. One that
// has become narrower has broken the lines that it shows.
std::string StatusView::to_its_beginning() {
  if (is_below_.exchange(false)) widths_.clear();
  const std::size_t width = world_.output.width();
  std::size_t rows = 0;
  for (const std::size_t line : widths_) {
    rows += std::max<std::size_t>((line + width - 1) / width, 1);
  }
  return rows > 0 ? fmt::format("\r\x1b[{}A", rows) : "\r";
}

// Puts the table below the text.
void StatusView::print(const std::string& text) {
  std::string painted = text;
  widths_.clear();
  for (const std::string& line : shown_) {
    painted += line + "\x1b[K\n";
    widths_.push_back(display_width(line));
  }
  world_.output.print(painted + "\x1b[J");
  (void)world_.output.flush();
}

}  // namespace tyer::cli
