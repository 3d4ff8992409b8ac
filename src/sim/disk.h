// A disk that can be stopped between any two system calls, filled, and robbed
// of its power.
//
// Disk is what is there; each simulated process has a SimFiles of its own on
// it. Before every call SimFiles asks `before_call`, in which a test may let
// another process run, kill this one or cut the power: a dead process's calls
// fail as `unavailable` and touch nothing, so that its code unwinds by itself,
// and its locks are free. `replace` is three calls: made, written, renamed.
//
// Power loss is as unkind as a journalling file system may be. What a file got
// since its last sync is lost, kept, cut off, zero-filled or kept in part,
// each file for itself, also when it was renamed over one that was whole.
// Names made, changed and removed since the last sync_all survive up to some
// point in their order; the sync of a file saves its content, not its name.
//
// Nothing here has threads or chance of its own: who calls at the same time
// must take turns.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/files.h"
#include "env/random.h"

namespace tyer::sim {

class SimFiles;

class Disk {
 public:
  // Bytes that still fit; nothing: as many as you like. A write that does not
  // fit is done as far as it does, then refused as `limit`.
  std::optional<std::uint64_t> space_left;

  // All processes on it must be dead or killed by the caller.
  void power_loss(env::Random& random);

  // By hand, past all processes, and durable at once.
  void put(const std::string& path, std::string content);
  void remove(const std::string& path);
  [[nodiscard]] std::optional<std::string> content(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> paths() const;  // Of files, ordered.

 private:
  friend class SimFiles;
  friend class SimFile;

  using NodeId = std::uint64_t;  // 0 is every directory.

  // A write, or a truncation if it has no bytes.
  struct Edit {
    std::uint64_t offset = 0;
    std::optional<std::string> bytes;
  };

  struct Node {
    std::string content;
    std::string durable;
    std::vector<Edit> unsynced;
    const env::File* lock_file = nullptr;
    const SimFiles* lock_owner = nullptr;
  };

  // `from` is renamed to `path`, or if empty `path` is made, or removed if node is nothing.
  struct NameChange {
    std::string path;
    std::string from;
    std::optional<NodeId> node;
  };

  void change_name(NameChange change);
  static void apply(const NameChange& change, std::map<std::string, NodeId>& names);
  static void apply(const Edit& edit, std::string& content);
  void edit(NodeId id, Edit edit);
  [[nodiscard]] Result<> write(NodeId id, std::uint64_t offset, std::string_view bytes);
  void give_back(NodeId id, std::uint64_t bytes);
  void make_parents(const std::string& path);
  void sync(NodeId id);
  void sync_all();
  static std::string surviving(const Node& node, env::Random& random);

  NodeId next_ = 1;
  std::map<NodeId, Node> nodes_;
  std::map<std::string, NodeId> names_;
  std::map<std::string, NodeId> durable_names_;
  std::vector<NameChange> unsynced_names_;
  std::uint64_t temporaries_ = 0;
};

class SimFiles final : public env::Files {
 public:
  explicit SimFiles(Disk& disk) : disk_(disk) {}
  ~SimFiles() override { release_locks(); }
  SimFiles(const SimFiles&) = delete;
  SimFiles& operator=(const SimFiles&) = delete;

  std::function<void()> before_call;
  std::function<void()> wait_for_lock;  // Lets others run; called until the lock is free.
  bool locks_work = true;               // False: a protection taken out,
  bool syncs_work = true;               // to see what it protects from.

  // The process is dead. If it was about to write, `torn_bytes` of that arrive.
  void kill(std::size_t torn_bytes = 0);
  [[nodiscard]] bool is_dead() const { return dead_; }

  // How many calls were made; those of a dead process do not count.
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

  Result<std::unique_ptr<env::File>> open(const std::string& path, env::Open mode) override;
  Result<std::string> read(const std::string& path, std::size_t bytes_max) override;
  Result<> replace(const std::string& path, std::string_view content) override;
  Result<> remove(const std::string& path) override;
  Result<> make_directory(const std::string& path) override;
  Result<std::vector<env::Entry>> list(const std::string& path) override;
  Result<> sync_all(const std::string& path) override;
  std::unique_ptr<env::Files> beneath(const std::string& root) override;

 private:
  friend class SimFile;

  [[nodiscard]] Result<> call();
  [[nodiscard]] Result<> write(Disk::NodeId id, std::uint64_t offset, std::string_view bytes);
  void release_locks();

  Disk& disk_;
  bool dead_ = false;
  std::size_t torn_bytes_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace tyer::sim
