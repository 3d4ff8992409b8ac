#include "store/files_store.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "store/files_codec.h"
#include "store/files_journal.h"
#include "store/files_journal_read.h"
#include "store/files_layout.h"
#include "store/files_log.h"
#include "store/files_view.h"

namespace tyer::store {
namespace {

using files::FilesView;
using files::Holds;
using files::Record;
using files::Standing;

constexpr int format_newest = 1;
constexpr std::uint64_t trimmed_log_bytes_max = 256 << 20;

class FilesStore final : public Store {
 public:
  FilesStore(std::string directory, env::Env& env, Durability durability, std::size_t journal_max)
      : directory_(std::move(directory)),
        files_(env.files.beneath(directory_)),
        env_{env.clock, *files_, env.processes, env.random},
        journal_(env_, directory_, durability, journal_max) {}

  Result<Begun> begin(std::span<const std::string> keys) override;
  Result<> commit(const Writes& writes) override;
  void rollback() override;
  Result<Time> now() override;
  Result<> read(const std::function<Result<>(const core::View&)>& reader) override;
  Result<std::unique_ptr<Watch>> watch() override { return files::watch_directory(directory_); }
  Result<std::vector<std::string>> check() override;
  std::string name() const override { return "files:" + directory_; }

 private:
  Result<> read_picture(const std::function<Result<>(const FilesView&)>& reader);
  Result<Record> record_of(const Writes& writes) const;
  Result<> add_log(const Writes& writes, Record& record) const;

  const std::string directory_;
  const std::unique_ptr<env::Files> files_;  // Nothing beyond the directory is touched.
  env::Env env_;
  std::timed_mutex writing_;

  // Guarded by writing_.
  files::Journal journal_;
  Standing standing_;
  std::optional<FilesView> view_;
};

Result<> add_file(Record& record, Holds holds, const std::string& key,
                  std::optional<std::string> content, std::size_t bytes_max) {
  if (content && content->size() > bytes_max) {
    return fail(Fault::limit, fmt::format("{}: its file would have {} bytes, the limit is {}",
                                          printable(key), content->size(), bytes_max));
  }
  TYER_TRY(std::string path, files::path_of({holds, key}));
  record.changes.push_back({std::move(path), std::move(content)});
  return {};
}

Result<Begun> FilesStore::begin(std::span<const std::string> /*keys*/) {
  if (!writing_.try_lock_for(limits::store_wait_max)) {
    return fail(Fault::timeout, fmt::format("{}: another transaction takes too long", name()));
  }
  const Result<Standing> entered = journal_.enter();
  if (!entered) {
    writing_.unlock();
    return std::unexpected(entered.error());
  }
  standing_ = *entered;
  view_.emplace(env_.files, directory_, standing_, &journal_.log());
  return Begun{&*view_, standing_.head, std::max(env_.clock.now(), standing_.head.at)};
}

Result<> FilesStore::commit(const Writes& writes) {
  TYER_CHECK(view_.has_value(), "a commit needs a begin");
  Result<Record> record = record_of(writes);
  const Result<> committed =
      record ? journal_.commit(std::move(*record)) : Result<>(std::unexpected(record.error()));
  rollback();
  return committed;
}

void FilesStore::rollback() {
  view_.reset();
  journal_.leave();
  writing_.unlock();
}

Result<Time> FilesStore::now() {
  Time newest{};
  TYER_TRY_OK(read_picture([&](const FilesView& view) -> Result<> {
    TYER_TRY(newest, view.newest_time());
    return {};
  }));
  return std::max(env_.clock.now(), newest);
}

Result<> FilesStore::read(const std::function<Result<>(const core::View&)>& reader) {
  return read_picture([&](const FilesView& view) { return reader(view); });
}

Result<> FilesStore::read_picture(const std::function<Result<>(const FilesView&)>& reader) {
  for (int i = 0; i < limits::snapshot_tries_max; ++i) {
    TYER_TRY(const std::optional<Standing> before, files::peek(env_, directory_));
    if (!before) continue;
    const FilesView view(env_.files, directory_, *before);
    const Result<> result = reader(view);
    TYER_TRY(const std::optional<Standing> after, files::peek(env_, directory_));
    if (after && after->number == before->number) return result;
  }
  // The writers are too quick, or one has died in the middle: go in their place.
  TYER_TRY_OK(begin({}));
  const Result<> result = reader(*view_);
  rollback();
  return result;
}

Result<std::vector<std::string>> FilesStore::check() {
  std::vector<std::string> damage;
  TYER_TRY_OK(read_picture([&](const FilesView& view) -> Result<> {
    TYER_TRY(damage, view.damage());
    TYER_TRY(const std::vector<std::string> more, files::check_journal(env_.files, directory_));
    damage.insert(damage.end(), more.begin(), more.end());
    return {};
  }));
  // Nobody has read it: only who writes needs it.
  const auto queue =
      files_->open(fmt::format("{}/{}", directory_, files::queue_name), env::Open::read);
  if (!queue && queue.error().fault == Fault::broken) damage.push_back(queue.error().what);
  return damage;
}

Result<Record> FilesStore::record_of(const Writes& writes) const {
  Record record;
  record.after = standing_;
  for (const auto& [key, subject] : writes.subjects) {
    TYER_TRY_OK(add_file(record, Holds::subject, key, files::encode_subject(subject),
                         limits::record_file_bytes_max));
  }
  for (const auto& [key, lease] : writes.leases) {
    std::optional<std::string> content;
    if (lease) content = core::encode(*lease) + "\n";
    TYER_TRY_OK(
        add_file(record, Holds::lease, key, std::move(content), limits::lock_file_bytes_max));
  }
  for (const auto& [reader, cursor] : writes.cursors) {
    TYER_TRY_OK(add_file(record, Holds::cursor, reader, files::encode_cursor(cursor),
                         limits::record_file_bytes_max));
  }
  TYER_TRY_OK(add_log(writes, record));
  return record;
}

Result<> FilesStore::add_log(const Writes& writes, Record& record) const {
  record.log_offset = standing_.log_end;
  core::Head& head = record.after.head;
  if (writes.trim_before > head.first) {
    TYER_TRY(const std::uint64_t from,
             files::find_after(journal_.log(), standing_.log_end, writes.trim_before - 1));
    const std::uint64_t kept = standing_.log_end - from;
    if (kept > trimmed_log_bytes_max) {
      return fail(Fault::limit, fmt::format("{}: what is left of the log has {} bytes and is too "
                                            "long to be rewritten; keep less of it",
                                            name(), kept));
    }
    TYER_TRY(record.log, journal_.log().read(from, static_cast<std::size_t>(kept)));
    record.log_whole = true;
    record.log_offset = 0;
    head.first = files::event_seq(record.log).value_or(0);
  }
  for (const core::Event& event : writes.events) {
    if (event.seq < writes.trim_before) continue;
    const std::string line = files::encode_event(event);
    if (line.size() > limits::record_file_bytes_max) {
      return fail(Fault::limit,
                  fmt::format("{}: its event has {} bytes, the limit is {}", printable(event.key),
                              line.size(), limits::record_file_bytes_max));
    }
    if (head.first == 0) head.first = event.seq;
    if (record.log_first == 0) record.log_first = event.seq;
    record.log += line;
  }
  if (!writes.events.empty()) {
    head.seq = std::max(head.seq, writes.events.back().seq);
    head.at = std::max(head.at, writes.events.back().at);
  }
  record.after.log_end = record.log_offset + record.log.size();
  return {};
}

// Nothing there is fine: it is new, or other tools made the directory.
Result<> check_format(env::Files& files, const std::string& path) {
  const Result<std::string> text = files.read(path, limits::lock_file_bytes_max);
  if (!text && text.error().fault == Fault::not_found) return {};
  if (!text) return std::unexpected(text.error());
  if (!text->ends_with('\n')) return {};  // Cut off with the power; it is made anew.
  constexpr std::string_view prefix = "tyer files ";
  int number = 0;
  if (text->starts_with(prefix)) {
    std::from_chars(text->data() + prefix.size(), text->data() + text->size(), number);
  }
  if (number > format_newest) {
    return fail(Fault::conflict,
                fmt::format("{} says {}: it was made by a newer tyer; use that one", path, number));
  }
  if (number < 1) {
    return fail(Fault::broken, fmt::format("{} does not say 'tyer files {}'; if this directory is "
                                           "a store of tyer's, put that in it",
                                           path, format_newest));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Store>> open_files(const std::string& directory, env::Env& env,
                                          const Options& options, std::size_t journal_max) {
  std::string place = directory;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();
  if (options.create) {
    TYER_TRY_OK(env.files.make_directory(place));
  } else {
    TYER_TRY_OK(env.files.open(place, env::Open::read));
  }
  const auto inside = env.files.beneath(place);
  TYER_TRY_OK(check_format(*inside, fmt::format("{}/{}", place, files::format_name)));
  return std::make_unique<FilesStore>(std::move(place), env, options.durability, journal_max);
}

}  // namespace tyer::store
