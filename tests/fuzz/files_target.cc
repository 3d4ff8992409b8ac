// A files store in a directory that strangers have prepared, on a disk in memory.

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "env/beneath.h"
#include "fuzz/targets.h"
#include "sim/files_env.h"
#include "store/files_codec.h"
#include "store/files_layout.h"
#include "store/files_record.h"

namespace tyer::fuzz {
namespace {

namespace files = store::files;

const std::string root = files_sim::store_directory;
constexpr const char* outside = "/disk/precious";
constexpr const char* lease_text =
    R"({"pid":1,"startedAt":"2025-12-15T10:30:00.000Z","heartbeatAt":"2025-12-15T10:30:00.000Z"})";

// Whether a files store may make, change or remove the file.
bool may_be_written(const std::string& path) {
  constexpr std::array own{files::journal_name, files::queue_name, files::log_name,
                           files::format_name};
  const auto names = env::names_beneath(root, path);
  if (!names || names->empty()) return false;
  if (names->size() == 1 && std::ranges::find(own, names->front()) != own.end()) return true;
  return files::is_temporary(names->back()) || files::read_path(path.substr(root.size() + 1));
}

// Passes everything on, and remembers what no store has to do. What is beneath its root is not
// refused here, or nothing would be seen.
class Watched final : public env::Files {
 public:
  Watched(env::Files& files, std::string& complaint) : files_(files), complaint_(complaint) {}

  Result<std::unique_ptr<env::File>> open(const std::string& path, env::Open mode) override {
    mode == env::Open::read ? looks_at(path) : writes(path);
    return files_.open(path, mode);
  }
  Result<std::string> read(const std::string& path, std::size_t bytes_max) override {
    looks_at(path);
    return files_.read(path, bytes_max);
  }
  Result<> replace(const std::string& path, std::string_view content) override {
    writes(path);
    return files_.replace(path, content);
  }
  Result<> remove(const std::string& path) override {
    writes(path);
    return files_.remove(path);
  }
  Result<> make_directory(const std::string& path) override {
    looks_at(path);
    return files_.make_directory(path);
  }
  Result<std::vector<env::Entry>> list(const std::string& path) override {
    looks_at(path);
    return files_.list(path);
  }
  Result<> sync_all(const std::string& path) override { return files_.sync_all(path); }
  std::unique_ptr<env::Files> beneath(const std::string&) override {
    return std::make_unique<Watched>(files_, complaint_);
  }

 private:
  void looks_at(const std::string& path) {
    if (!env::names_beneath(root, path)) complaint_ = "it uses " + path;
  }
  void writes(const std::string& path) {
    if (!may_be_written(path)) complaint_ = "it writes " + path;
  }

  env::Files& files_;
  std::string& complaint_;
};

// A directory with the lease of lock/a.
struct Directory {
  Directory() {
    disk.put(outside, "mine");
    disk.put(root + "/locks/a.lock.json", lease_text);
  }

  // Opens, lists and checks it, as commands that only read do, and a writer that changes nothing.
  // Answers are of no interest, nor are errors.
  void use() {
    std::string complaint;
    sim::SimFiles plain(disk);
    Watched watched(plain, complaint);
    files_sim::SetClock clock;
    files_sim::Process process(&watched, disk, clock, "boot-1");
    if (process.open(store::Durability::normal, limits::journal_bytes_max)) {
      store::Store& store = *process.store;
      lists_leases = false;
      (void)store.read([&](const core::View& view) -> Result<> {
        const auto leases = view.leases("", 10);
        lists_leases = leases && leases->size() == 1;
        (void)view.subjects({});
        (void)view.cursors();
        (void)view.head();
        (void)view.events({});
        return {};
      });
      (void)store.now();
      (void)store.check();
      if (store.begin({})) store.rollback();
    }
    process.store.reset();
    if (!complaint.empty()) wrong = complaint;
    if (disk.content(outside) != "mine") wrong = "a file outside of the store is another one";
    for (const std::string& path : disk.paths()) {
      if (path != outside && !may_be_written(path)) wrong = path + " was made";
    }
  }

  sim::Disk disk;
  bool lists_leases = false;
  std::string wrong;
};

std::string use_journal(std::string_view bytes) {
  Directory directory;
  directory.disk.put(root + "/journal", std::string(bytes));
  directory.use();
  directory.use();  // After what the first has mended.
  return directory.wrong;
}

// A journal of another boot with the input as its only record, whose sums are right: no mutation
// would ever find them. The input begins with its number.
std::string with_sums(std::string_view input) {
  std::uint64_t number = 0;
  if (input.size() < 16) return "";
  const auto read = std::from_chars(input.data(), input.data() + 16, number, 16);
  if (read.ec != std::errc() || read.ptr != input.data() + 16) return "";
  files::Stamp base{.stage = files::Stage::applied, .end = files::stamp_bytes, .boot = 1};
  base.standing.number = number - 1;
  files::Stamp last{.stage = files::Stage::applying, .start = base.end, .boot = 1};
  last.standing.number = number;
  std::string bytes = encode(base);
  bytes +=
      fmt::format("record {:016x} {:016x} {:016x}\n", number, input.size(), files::checksum(input));
  bytes += input;
  last.end = bytes.size() + files::stamp_bytes;
  return bytes + encode(last);
}

}  // namespace

std::string read_files_journal(std::string_view input) {
  const std::string complaint = use_journal(input);
  const std::string summed = with_sums(input);
  return complaint.empty() && !summed.empty() ? use_journal(summed) : complaint;
}

std::string read_files_log(std::string_view input) {
  Directory directory;
  directory.disk.put(root + "/log.jsonl", std::string(input));
  directory.use();
  if (!directory.lists_leases) return "leases are not listed for what is in the log";
  return directory.wrong;
}

}  // namespace tyer::fuzz
