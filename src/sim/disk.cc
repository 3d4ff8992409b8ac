#include "sim/disk.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "env/beneath_by_name.h"

namespace tyer::sim {
namespace {

constexpr int lock_waits_max = 100'000;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::unexpected<Error> missing(const std::string& path) {
  return fail(Fault::not_found, fmt::format("{} is not there", path));
}

}  // namespace

// A handle; it does not outlive its process's SimFiles.
class SimFile final : public env::File {
 public:
  SimFile(SimFiles& files, Disk& disk, Disk::NodeId id, std::string path)
      : files_(files), disk_(disk), id_(id), path_(std::move(path)) {}
  ~SimFile() override { release(); }
  SimFile(const SimFile&) = delete;
  SimFile& operator=(const SimFile&) = delete;

  Result<std::uint64_t> size() const override {
    TYER_TRY_OK(files_.call());
    return node().content.size();
  }

  Result<std::string> read(std::uint64_t offset, std::size_t bytes) const override {
    TYER_TRY_OK(files_.call());
    const std::string& content = node().content;
    return offset >= content.size() ? std::string() : content.substr(offset, bytes);
  }

  Result<> write(std::uint64_t offset, std::string_view bytes) override {
    return files_.write(id_, offset, bytes);
  }

  Result<> truncate(std::uint64_t size) override {
    TYER_TRY_OK(files_.call());
    if (size < node().content.size()) disk_.give_back(id_, node().content.size() - size);
    disk_.edit(id_, {size, std::nullopt});
    return {};
  }

  Result<> sync() override {
    TYER_TRY_OK(files_.call());
    if (files_.syncs_work) disk_.sync(id_);
    return {};
  }

  Result<> lock() override {
    for (int i = 0; i < lock_waits_max; ++i) {
      TYER_TRY(const bool locked, try_lock());
      if (locked) return {};
      TYER_CHECK(files_.wait_for_lock, "a process that waits for itself waits for ever");
      files_.wait_for_lock();
    }
    TYER_CHECK(false, "a lock is given back some time");
  }

  Result<bool> try_lock() override {
    TYER_TRY_OK(files_.call());
    if (!files_.locks_work) return true;
    if (node().lock_file != nullptr && node().lock_file != this) return false;
    node().lock_file = this;
    node().lock_owner = &files_;
    return true;
  }

  void unlock() override {
    if (files_.call()) release();
  }

  bool is_current() const override {
    if (!files_.call()) return false;
    const auto found = disk_.names_.find(path_);
    return found != disk_.names_.end() && found->second == id_;
  }
  Result<std::optional<std::uint64_t>> current_size() const override {
    if (!is_current()) return std::nullopt;
    TYER_TRY(const std::uint64_t bytes, size());
    return bytes;
  }

 private:
  Disk::Node& node() const { return disk_.nodes_[id_]; }

  void release() {
    if (node().lock_file == this) node().lock_file = nullptr;
  }

  SimFiles& files_;
  Disk& disk_;
  const Disk::NodeId id_;
  const std::string path_;
};

void Disk::power_loss(env::Random& random) {
  const std::uint64_t survive = random.below(unsynced_names_.size() + 1);
  for (std::uint64_t i = 0; i < survive; ++i) apply(unsynced_names_[i], durable_names_);
  unsynced_names_.clear();
  names_ = durable_names_;
  for (auto& [id, node] : nodes_) {
    node.content = surviving(node, random);
    node.durable = node.content;
    node.unsynced.clear();
    node.lock_file = nullptr;
  }
}

void Disk::put(const std::string& path, std::string content) {
  make_parents(path);
  change_name({path, "", next_});
  nodes_[next_++].content = std::move(content);
  sync_all();
}

void Disk::remove(const std::string& path) {
  change_name({path, "", std::nullopt});
  sync_all();
}

std::optional<std::string> Disk::content(const std::string& path) const {
  const auto found = names_.find(path);
  if (found == names_.end() || found->second == 0) return std::nullopt;
  return nodes_.at(found->second).content;
}

std::vector<std::string> Disk::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, id] : names_) {
    if (id != 0) paths.push_back(path);
  }
  return paths;
}

void Disk::change_name(NameChange change) {
  apply(change, names_);
  unsynced_names_.push_back(std::move(change));
}

void Disk::apply(const NameChange& change, std::map<std::string, NodeId>& names) {
  if (!change.from.empty()) {
    names[change.path] = names.at(change.from);
    names.erase(change.from);
  } else if (change.node) {
    names[change.path] = *change.node;
  } else {
    names.erase(change.path);
  }
}

void Disk::apply(const Edit& edit, std::string& content) {
  if (!edit.bytes) {
    content.resize(edit.offset);
    return;
  }
  if (content.size() < edit.offset + edit.bytes->size()) {
    content.resize(edit.offset + edit.bytes->size());
  }
  content.replace(edit.offset, edit.bytes->size(), *edit.bytes);
}

void Disk::edit(NodeId id, Edit edit) {
  Node& node = nodes_[id];
  apply(edit, node.content);
  node.unsynced.push_back(std::move(edit));
}

Result<> Disk::write(NodeId id, std::uint64_t offset, std::string_view bytes) {
  const std::uint64_t size = nodes_[id].content.size();
  const std::uint64_t end = offset + bytes.size();
  const std::uint64_t growth = end > size ? end - size : 0;
  if (!space_left || growth <= *space_left) {
    if (space_left) *space_left -= growth;
    edit(id, {offset, std::string(bytes)});
    return {};
  }
  if (size + *space_left > offset) {
    edit(id, {offset, std::string(bytes.substr(0, size + *space_left - offset))});
    space_left = 0;
  }
  return fail(Fault::limit, "the disk is full; make room");
}

void Disk::give_back(NodeId id, std::uint64_t bytes) {
  if (id != 0 && space_left) *space_left += bytes;
}

void Disk::make_parents(const std::string& path) {
  const std::string parent = parent_of(path);
  if (parent.empty() || names_.contains(parent)) return;
  make_parents(parent);
  change_name({parent, "", 0});
}

void Disk::sync(NodeId id) {
  Node& node = nodes_[id];
  node.durable = node.content;
  node.unsynced.clear();
}

void Disk::sync_all() {
  for (const NameChange& change : unsynced_names_) apply(change, durable_names_);
  unsynced_names_.clear();
  // What has no name any more needs no care.
  for (const auto& [path, id] : names_) {
    if (id != 0 && !nodes_[id].unsynced.empty()) sync(id);
    if (id != 0) nodes_[id].durable = nodes_[id].content;
  }
}

std::string Disk::surviving(const Node& node, env::Random& random) {
  enum : std::uint64_t { lost, kept, cut_off, zero_filled, in_part, outcomes };
  if (node.unsynced.empty()) return node.durable;
  const std::uint64_t outcome = random.below(outcomes);
  if (outcome == kept) return node.content;
  std::string content = node.durable;
  if (outcome == lost) return content;
  if (outcome == in_part) {
    for (const Edit& edit : node.unsynced) {
      if (random.below(2) == 0) apply(edit, content);
    }
    return content;
  }
  const std::uint64_t whole = random.below(node.unsynced.size());
  for (std::uint64_t i = 0; i < whole; ++i) apply(node.unsynced[i], content);
  Edit torn = node.unsynced[whole];
  if (torn.bytes) {
    const std::size_t length = torn.bytes->size();
    torn.bytes->resize(random.below(length + 1));
    if (outcome == zero_filled) torn.bytes->resize(length);
  }
  apply(torn, content);
  for (std::uint64_t i = whole + 1; outcome == zero_filled && i < node.unsynced.size(); ++i) {
    Edit blank = node.unsynced[i];
    if (blank.bytes) std::ranges::fill(*blank.bytes, '\0');
    apply(blank, content);
  }
  return content;
}

void SimFiles::kill(std::size_t torn_bytes) {
  dead_ = true;
  torn_bytes_ = torn_bytes;
  release_locks();
}

Result<std::unique_ptr<env::File>> SimFiles::open(const std::string& path, env::Open mode) {
  TYER_TRY_OK(call());
  const auto found = disk_.names_.find(path);
  if (found != disk_.names_.end()) {
    if (mode == env::Open::create_new) {
      return fail(Fault::conflict, fmt::format("{} is there already", path));
    }
    return std::make_unique<SimFile>(*this, disk_, found->second, path);
  }
  if (mode == env::Open::read || !disk_.names_.contains(parent_of(path))) return missing(path);
  const Disk::NodeId id = disk_.next_++;
  disk_.nodes_[id] = {};
  disk_.change_name({path, "", id});
  return std::make_unique<SimFile>(*this, disk_, id, path);
}

Result<std::string> SimFiles::read(const std::string& path, std::size_t bytes_max) {
  TYER_TRY_OK(call());
  std::optional<std::string> content = disk_.content(path);
  if (!content) return missing(path);
  if (content->size() > bytes_max) return fail(Fault::limit, fmt::format("{} is too long", path));
  return std::move(*content);
}

Result<> SimFiles::replace(const std::string& path, std::string_view content) {
  TYER_TRY_OK(call());
  if (!disk_.names_.contains(parent_of(path))) return missing(path);
  const std::string temporary =
      fmt::format("{}/.{:020x}.tmp", parent_of(path), ++disk_.temporaries_);
  const Disk::NodeId id = disk_.next_++;
  disk_.nodes_[id] = {};
  disk_.change_name({temporary, "", id});

  if (const Result<> written = write(id, 0, content); !written) {
    if (!dead_) {
      disk_.give_back(id, disk_.nodes_[id].content.size());
      disk_.change_name({temporary, "", std::nullopt});
    }
    return written;
  }
  TYER_TRY_OK(call());
  if (!disk_.names_.contains(temporary)) return missing(temporary);
  const std::optional<std::string> before = disk_.content(path);
  if (before) disk_.give_back(id, before->size());
  disk_.change_name({path, temporary, id});
  return {};
}

Result<> SimFiles::remove(const std::string& path) {
  TYER_TRY_OK(call());
  const auto found = disk_.names_.find(path);
  if (found == disk_.names_.end()) return {};
  disk_.give_back(found->second, disk_.nodes_[found->second].content.size());
  disk_.change_name({path, "", std::nullopt});
  return {};
}

Result<> SimFiles::make_directory(const std::string& path) {
  TYER_TRY_OK(call());
  disk_.make_parents(path + "/x");
  return {};
}

Result<std::vector<env::Entry>> SimFiles::list(const std::string& path) {
  TYER_TRY_OK(call());
  std::vector<env::Entry> entries;
  const std::string prefix = path + "/";
  for (auto name = disk_.names_.lower_bound(prefix);
       name != disk_.names_.end() && name->first.starts_with(prefix); ++name) {
    std::string rest = name->first.substr(prefix.size());
    if (rest.find('/') == std::string::npos)
      entries.push_back({std::move(rest), name->second == 0});
  }
  return entries;
}

Result<> SimFiles::sync_all(const std::string&) {
  TYER_TRY_OK(call());
  if (syncs_work) disk_.sync_all();
  return {};
}

std::unique_ptr<env::Files> SimFiles::beneath(const std::string& root) {
  return std::make_unique<env::BeneathByName>(*this, root);
}

Result<> SimFiles::call() {
  if (!dead_ && before_call) before_call();
  if (dead_) return fail(Fault::unavailable, "the process is dead");
  ++calls_;
  return {};
}

Result<> SimFiles::write(Disk::NodeId id, std::uint64_t offset, std::string_view bytes) {
  const bool was_alive = !dead_;
  Result<> alive = call();
  if (alive) return disk_.write(id, offset, bytes);
  if (was_alive && torn_bytes_ > 0 && bytes.size() > 0) {
    const std::size_t arrived = std::min(torn_bytes_, bytes.size());
    torn_bytes_ = 0;
    (void)disk_.write(id, offset, bytes.substr(0, arrived));
  }
  return alive;
}

void SimFiles::release_locks() {
  for (auto& [id, node] : disk_.nodes_) {
    if (node.lock_file != nullptr && node.lock_owner == this) node.lock_file = nullptr;
  }
}

}  // namespace tyer::sim
