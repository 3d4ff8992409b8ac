// What a benchmark prints: the machine, a table, and for each requirement OK or
// MISSED. With `--json` the same for programs.
//
// A figure of one run says little, because disks and neighbours drift. So a
// requirement is always a ratio of two things that were measured in the same
// rounds, and a missed one is told, never an error.

#pragma once

#include <sys/utsname.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace tyer::bench {

// "2 cores, Linux 6.1, ext4"; no names of hosts.
[[nodiscard]] inline std::string machine(const std::string& directory) {
  utsname system{};
  ::uname(&system);
  struct statfs place{};
  ::statfs(directory.c_str(), &place);
  std::string_view type = "another file system";
  switch (static_cast<unsigned long>(place.f_type)) {
    case 0xEF53: type = "ext4"; break;
    case 0x58465342: type = "xfs"; break;
    case 0x9123683E: type = "btrfs"; break;
    case 0x794C7630: type = "overlayfs"; break;
    case 0x01021994: type = "tmpfs, where a sync costs nothing"; break;
    default: break;
  }
  const std::string_view release = system.release;
  const std::string_view version = release.substr(0, release.find_first_not_of("0123456789."));
  return fmt::format("{} cores, {} {}, {}", std::thread::hardware_concurrency(), system.sysname,
                     version, type);
}

// Every row is a list of cells: words on the left, figures to the right.
class Report {
 public:
  Report(std::string_view name, std::string_view what, const std::string& directory)
      : name_(name), what_(what), machine_(machine(directory)) {}

  void columns(std::vector<std::string> titles) { rows_ = {std::move(titles)}; }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // `ratio` must be at least `bound`; the other way round if `at_most`.
  void require(std::string_view text, double ratio, double bound, bool at_most = false) {
    requirements_.push_back({std::string(text), ratio, bound, at_most});
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  void print(bool json) const {
    const std::string text = json ? as_json() : as_table();
    std::fwrite(text.data(), 1, text.size(), stdout);
  }

 private:
  struct Requirement {
    std::string text;
    double ratio;
    double bound;
    bool at_most;

    [[nodiscard]] bool met() const { return at_most ? ratio <= bound : ratio >= bound; }
  };

  [[nodiscard]] std::string as_table() const {
    std::string out = fmt::format("{} ({})\n\n", what_, machine_);
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows_) {
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        line += i == 0 ? fmt::format("{:<{}}", row[i], widths[i])
                       : fmt::format("  {:>{}}", row[i], widths[i]);
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    if (!notes_.empty() || !requirements_.empty()) out += "\n";
    for (const std::string& note : notes_) out += note + "\n";
    for (const Requirement& wanted : requirements_) {
      out += fmt::format("{:<6}  {}: {:.2f}, wanted {} {:.2f}\n", wanted.met() ? "OK" : "MISSED",
                         wanted.text, wanted.ratio, wanted.at_most ? "at most" : "at least",
                         wanted.bound);
    }
    return out;
  }

  [[nodiscard]] std::string as_json() const {
    const std::vector<std::string>& titles = rows_.front();
    std::string rows;
    for (auto row = std::next(rows_.begin()); row != rows_.end(); ++row) {
      rows += rows.empty() ? "\n  {" : ",\n  {";
      for (std::size_t i = 0; i < row->size(); ++i) {
        rows += fmt::format("{}{}: {}", i == 0 ? "" : ", ", quoted(titles[i]), value((*row)[i]));
      }
      rows += "}";
    }
    std::string wanted;
    for (const Requirement& one : requirements_) {
      wanted += fmt::format(
          "{}\n  {{\"requirement\": {}, \"ratio\": {:.4f}, \"{}\": {:.4f}, "
          "\"met\": {}}}",
          wanted.empty() ? "" : ",", quoted(one.text), one.ratio,
          one.at_most ? "at_most" : "at_least", one.bound, one.met());
    }
    return fmt::format(
        "{{\"benchmark\": {}, \"what\": {}, \"machine\": {},\n\"rows\": [{}],\n"
        "\"requirements\": [{}]}}\n",
        quoted(name_), quoted(what_), quoted(machine_), rows, wanted);
  }

  // All texts are this program's own: nothing in them needs more.
  [[nodiscard]] static std::string quoted(std::string_view text) {
    return fmt::format("\"{}\"", text);
  }

  // A figure without the spaces that make it readable; anything else as text.
  [[nodiscard]] static std::string value(std::string cell) {
    const bool figure = !cell.empty() && cell.find_first_not_of("0123456789. ") == cell.npos;
    if (!figure) return cell == "-" ? "null" : quoted(cell);
    std::erase(cell, ' ');
    return cell;
  }

  std::string name_;
  std::string what_;
  std::string machine_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::string> notes_;
  std::vector<Requirement> requirements_;
};

// "47 200": three digits count, the rest is noise.
[[nodiscard]] inline std::string figure(double value) {
  if (value < 100) return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : 1);
  double unit = 1;
  while (value / unit >= 1000) unit *= 10;
  std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), " ");
  }
  return digits;
}

[[nodiscard]] inline std::string times(double ratio) {
  return fmt::format("{:.2f}", ratio);
}

}  // namespace tyer::bench
