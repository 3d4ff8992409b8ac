#include "env/proc_use.h"

#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "env/proc_stat.h"

namespace tyer::env {
namespace {

// Fields 14 and 15 of proc(5), user and system time in ticks.
Span cpu_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return {};
  std::istringstream words(text.substr(name_end + 2));
  std::string word;
  for (int field = 3; field < 14; ++field) words >> word;
  std::int64_t user = 0;
  std::int64_t system = 0;
  words >> user >> system;
  return Span(1s) * (user + system) / ::sysconf(_SC_CLK_TCK);
}

std::uint64_t io_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/io", pid));
  std::uint64_t sum = 0;
  for (std::string name; file >> name;) {
    std::uint64_t bytes = 0;
    file >> bytes;
    if (name == "rchar:" || name == "wchar:") sum += bytes;
  }
  return sum;
}

}  // namespace

Use use_below(std::int64_t pid) {
  const std::vector<ProcEntry> table = read_proc_table();
  std::set<std::int64_t> below{pid};
  // Parents may stand behind their children where numbers have begun anew.
  for (std::size_t before = 0; before != below.size();) {
    before = below.size();
    for (const ProcEntry& entry : table) {
      if (below.contains(entry.stat.parent)) below.insert(entry.pid);
    }
  }
  Use use;
  for (const ProcEntry& entry : table) {
    if (entry.pid == pid || !below.contains(entry.pid) || entry.stat.is_over()) continue;
    ++use.processes;
    if (entry.stat.state == 'T' || entry.stat.state == 't') ++use.stopped;
    use.cpu += cpu_of(entry.pid);
    use.io += io_of(entry.pid);
  }
  return use;
}

}  // namespace tyer::env
