#include "env/proc_stat.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "env/fd.h"

namespace tyer::env {
namespace {

// Positions after the name; proc(5) counts pid and name as 1 and 2.
constexpr std::size_t parent_at = 4 - 3;
constexpr std::size_t group_at = 5 - 3;
constexpr std::size_t session_at = 6 - 3;
constexpr std::size_t threads_at = 20 - 3;
constexpr std::size_t start_at = 22 - 3;
constexpr std::size_t flags_at = 9 - 3;
constexpr std::size_t environment_start_at = 50 - 3;
constexpr std::size_t environment_end_at = 51 - 3;
constexpr std::string_view asleep = "StT";
constexpr std::int64_t of_the_kernel = 0x00200000;  // PF_KTHREAD

bool take_number(std::string_view word, std::int64_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

std::optional<ProcStat> read_stat_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::array<char, 2048> text;
  const ssize_t got = uninterrupted([&] { return ::read(fd.get(), text.data(), text.size()); });
  if (got <= 0) return std::nullopt;
  return parse_proc_stat({text.data(), static_cast<std::size_t>(got)});
}

bool proc_is_of_our_namespace() {
  std::array<char, 24> target;
  const ssize_t length = readlink("/proc/self", target.data(), target.size());
  std::int64_t pid = 0;
  return length > 0 && take_number({target.data(), static_cast<std::size_t>(length)}, pid) &&
         pid == getpid();
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 2);

  ProcStat stat;
  std::int64_t flags = 0;
  std::string_view environment_start = "0";
  for (std::size_t i = 0; i <= environment_end_at; ++i) {
    const std::size_t space = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, space);
    if (word.empty() && i > start_at) break;
    if (word.empty()) return std::nullopt;
    if (i == 0) stat.state = word.front();
    if (i == parent_at && !take_number(word, stat.parent)) return std::nullopt;
    if (i == group_at && !take_number(word, stat.group)) return std::nullopt;
    if (i == session_at && !take_number(word, stat.session)) return std::nullopt;
    if (i == threads_at && !take_number(word, stat.threads)) return std::nullopt;
    if (i == start_at && !take_number(word, stat.start)) return std::nullopt;
    if (i == flags_at && !take_number(word, flags)) return std::nullopt;
    if (i == environment_start_at) environment_start = word;
    if (i == environment_end_at && word != "0") {
      // It may look so in an exec as well, but nothing sleeps at that point.
      stat.has_no_environment = word == environment_start && asleep.contains(stat.state);
    }
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  if ((flags & of_the_kernel) != 0 || stat.is_over()) stat.has_no_environment = true;
  return stat;
}

std::optional<ProcStat> read_proc_stat(std::int64_t pid) {
  if (!proc_is_of_our_namespace()) return std::nullopt;
  return read_stat_file(fmt::format("/proc/{}/stat", pid));
}

std::optional<ProcStat> read_own_proc_stat() {
  return read_stat_file("/proc/self/stat");
}

std::vector<std::int64_t> read_pids() {
  std::vector<std::int64_t> pids;
  if (!proc_is_of_our_namespace()) return pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
  if (!directory) return pids;
  while (const dirent* entry = readdir(directory.get())) {
    std::int64_t pid = 0;
    if (take_number(std::data(entry->d_name), pid)) pids.push_back(pid);
  }
  return pids;
}

std::optional<std::vector<std::int64_t>> read_own_children() {
  std::vector<std::int64_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir("/proc/self/task"), closedir);
  if (!threads || !proc_is_of_our_namespace()) return std::nullopt;
  while (const dirent* entry = readdir(threads.get())) {
    std::int64_t thread = 0;
    if (!take_number(std::data(entry->d_name), thread)) continue;
    // "12 345 " of each thread's children.
    std::ifstream file(fmt::format("/proc/self/task/{}/children", thread));
    if (!file) return std::nullopt;
    for (std::int64_t pid = 0; file >> pid;) pids.push_back(pid);
  }
  return pids;
}

std::vector<ProcEntry> read_proc_table() {
  std::vector<ProcEntry> table;
  for (const std::int64_t pid : read_pids()) {
    const std::optional<ProcStat> stat = read_stat_file(fmt::format("/proc/{}/stat", pid));
    if (stat) table.push_back({pid, *stat});
  }
  return table;
}

}  // namespace tyer::env
