#include "store/files_journal_read.h"

#include <fmt/format.h>

#include "store/files_layout.h"

namespace tyer::store::files {
namespace {

constexpr std::uint64_t journal_read_max = std::uint64_t{1} << 30;

}  // namespace

std::uint64_t boot_here(const env::Env& env) {
  return boot_number(env.processes.here().boot);
}

Result<std::optional<Stamp>> newest_stamp(const env::File& file, std::uint64_t size) {
  if (size < stamp_bytes) return std::nullopt;
  TYER_TRY(const std::string bytes, file.read(size - stamp_bytes, stamp_bytes));
  return decode_stamp(bytes, size);
}

Result<std::string> read_journal(const env::File& file, std::uint64_t size) {
  if (size > journal_read_max) {
    return fail(Fault::broken,
                fmt::format("{} has {} bytes, which it never should", journal_name, size));
  }
  // What does not begin like a journal need not be read to its end.
  TYER_TRY(std::string base, file.read(0, stamp_bytes));
  if (!decode_stamp(base, stamp_bytes)) return base;
  return file.read(0, static_cast<std::size_t>(size));
}

Result<std::optional<Standing>> peek(env::Env& env, const std::string& directory) {
  const auto file = env.files.open(fmt::format("{}/{}", directory, journal_name), env::Open::read);
  if (!file && file.error().fault == Fault::not_found) return Standing{};
  if (!file) return std::unexpected(file.error());
  TYER_TRY(const std::uint64_t size, (*file)->size());
  TYER_TRY(const std::optional<Stamp> newest, newest_stamp(**file, size));
  const std::uint64_t boot = boot_here(env);
  if (!newest || newest->boot != boot) return std::nullopt;
  if (newest->stage == Stage::applied || newest->stage == Stage::folded) return newest->standing;
  if (newest->stage == Stage::applying || newest->start < stamp_bytes) return std::nullopt;

  TYER_TRY(const std::string bytes, (*file)->read(newest->start - stamp_bytes, stamp_bytes));
  const std::optional<Stamp> before = decode_stamp(bytes, newest->start);
  if (!before || before->stage != Stage::applied || before->boot != boot) return std::nullopt;
  return before->standing;
}

Result<std::vector<std::string>> check_journal(env::Files& files, const std::string& directory) {
  const auto file = files.open(fmt::format("{}/{}", directory, journal_name), env::Open::read);
  if (!file && file.error().fault == Fault::not_found) return std::vector<std::string>();
  if (!file) return std::unexpected(file.error());
  TYER_TRY(const std::uint64_t size, (*file)->size());
  TYER_TRY(const std::string bytes, read_journal(**file, size));
  std::vector<std::string> damage;
  const Result<Scan> scanned = scan_journal(bytes);
  if (!scanned) return std::vector<std::string>{scanned.error().what};
  const Scan& scan = *scanned;
  TYER_TRY(const std::optional<Stamp> newest, newest_stamp(**file, size));
  if (newest && newest->stage == Stage::folded) return damage;  // About to be emptied.
  if (!scan.base) {
    damage.push_back(fmt::format("{}: it does not begin like a journal", journal_name));
  } else if (!scan.last || scan.last->end != size) {
    damage.push_back(fmt::format("{}: it is not whole from byte {} on", journal_name,
                                 scan.last ? scan.last->end : scan.stamp_start));
  }
  return damage;
}

}  // namespace tyer::store::files
