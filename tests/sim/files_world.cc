#include "sim/files_world.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "env/beneath_by_name.h"
#include "sim/files_turns.h"
#include "store/files_layout.h"
#include "store/files_record.h"
#include "store/txn.h"

namespace tyer::files_sim {
namespace {

using store::Durability;
using store::Txn;

constexpr int attempts_each = 6;
constexpr int faults_max = 8;

// Throws the journal away when recovery would need it.
class ForgetfulFile final : public env::File {
 public:
  explicit ForgetfulFile(std::unique_ptr<env::File> file, std::uint64_t boot)
      : file_(std::move(file)), boot_(boot) {}

  Result<std::uint64_t> size() const override { return file_->size(); }
  Result<std::string> read(std::uint64_t offset, std::size_t bytes) const override {
    return file_->read(offset, bytes);
  }
  Result<> write(std::uint64_t offset, std::string_view bytes) override {
    return file_->write(offset, bytes);
  }
  Result<> truncate(std::uint64_t size) override { return file_->truncate(size); }
  Result<> sync() override { return file_->sync(); }
  Result<> lock() override {
    TYER_TRY_OK(file_->lock());
    TYER_TRY(const std::uint64_t size, file_->size());
    if (size < store::files::stamp_bytes) return {};
    TYER_TRY(const std::string bytes,
             file_->read(size - store::files::stamp_bytes, store::files::stamp_bytes));
    const auto stamp = store::files::decode_stamp(bytes, size);
    const bool clean =
        stamp && stamp->stage == store::files::Stage::applied && stamp->boot == boot_;
    return clean ? Result<>() : file_->truncate(0);
  }
  Result<bool> try_lock() override { return file_->try_lock(); }
  void unlock() override { file_->unlock(); }
  bool is_current() const override { return file_->is_current(); }
  Result<std::optional<std::uint64_t>> current_size() const override {
    return file_->current_size();
  }

 private:
  std::unique_ptr<env::File> file_;
  const std::uint64_t boot_;
};

class ForgetfulFiles final : public env::Files {
 public:
  ForgetfulFiles(env::Files*& files, std::uint64_t boot) : files_(files), boot_(boot) {}

  Result<std::unique_ptr<env::File>> open(const std::string& path, env::Open mode) override {
    TYER_TRY(auto file, files_->open(path, mode));
    const bool is_journal = path.ends_with(store::files::journal_name);
    if (!is_journal || mode != env::Open::write) return file;
    return std::make_unique<ForgetfulFile>(std::move(file), boot_);
  }
  Result<std::string> read(const std::string& path, std::size_t bytes_max) override {
    return files_->read(path, bytes_max);
  }
  Result<> replace(const std::string& path, std::string_view content) override {
    return files_->replace(path, content);
  }
  Result<> remove(const std::string& path) override { return files_->remove(path); }
  Result<> make_directory(const std::string& path) override { return files_->make_directory(path); }
  Result<std::vector<env::Entry>> list(const std::string& path) override {
    return files_->list(path);
  }
  Result<> sync_all(const std::string& path) override { return files_->sync_all(path); }
  std::unique_ptr<env::Files> beneath(const std::string& root) override {
    return std::make_unique<env::BeneathByName>(*this, root);
  }

 private:
  env::Files*& files_;
  const std::uint64_t boot_;
};

class World {
 public:
  World(std::uint64_t seed, FilesFlaw flaw, std::string* trace)
      : random_(seed), turns_(random_), flaw_(flaw), trace_(trace) {
    durability_ = random_.below(3) == 0 ? Durability::normal : Durability::full;
    // Where syncing is what matters, power loss has to be likely.
    calls_per_fault_ = 20 + random_.below(200);
    faults_left_ = static_cast<int>(random_.below(faults_max + 1));
    journal_max_ = 1'000 + random_.below(20'000);
  }

  std::optional<std::string> run();

 private:
  struct Look {
    core::Head head;
    std::optional<core::Subject> a;
    std::optional<core::Subject> b;
    std::optional<core::Lease> lease;
    core::Cursor cursor;
    std::vector<core::Event> last;
  };

  // One life of a process, from start to death or end.
  struct Life {
    Life(World& world, const std::string& boot);

    env::Files* plain = nullptr;
    ForgetfulFiles forgetful;
    Process process;
  };

  void act(std::size_t actor);
  void live(std::size_t actor, int& attempts);
  void before_call(Process& process);
  void cut_power();
  void count_up(store::Store& store, const std::string& tag);
  void look_from_outside(store::Store& store);
  void check_end();

  static Result<Look> look(const core::View& view);
  void judge(const Look& seen, std::uint64_t newest, std::string_view where);
  [[nodiscard]] std::uint64_t known() const {
    return confirmed_.empty() ? seen_ : std::max(seen_, confirmed_.rbegin()->first);
  }
  void broken(std::string what) {
    if (!broken_) broken_ = std::move(what);
  }
  void note(std::string line) {
    if (trace_ != nullptr) *trace_ += line + "\n";
  }

  SeededRandom random_;
  Turns turns_;
  const FilesFlaw flaw_;
  std::string* const trace_;
  Durability durability_;
  std::uint64_t calls_per_fault_;
  int faults_left_;
  std::size_t journal_max_;

  sim::Disk disk_;
  SetClock clock_;
  int boots_ = 0;
  std::set<Process*> living_;

  std::uint64_t seen_ = 0;                          // The newest number anybody saw.
  std::map<std::uint64_t, std::string> confirmed_;  // What was answered yes.
  std::set<std::string> refused_;                   // What was answered `limit`.
  std::optional<std::string> broken_;
};

World::Life::Life(World& world, const std::string& boot)
    : forgetful(plain, store::files::boot_number(boot)),
      process(world.flaw_ == FilesFlaw::no_replay ? &forgetful : nullptr, world.disk_, world.clock_,
              boot) {
  plain = &process.files;
  process.files.locks_work = world.flaw_ != FilesFlaw::no_lock;
  process.files.syncs_work = world.flaw_ != FilesFlaw::no_sync;
}

std::optional<std::string> World::run() {
  std::vector<std::function<void()>> actors;
  const std::size_t count = 2 + random_.below(2);
  for (std::size_t i = 0; i < count; ++i) actors.emplace_back([this, i] { act(i); });
  turns_.run(actors);
  if (!broken_) check_end();
  return broken_;
}

void World::act(std::size_t actor) {
  int attempts = 0;
  for (int life = 0; life <= faults_max && attempts < attempts_each && !broken_; ++life) {
    live(actor, attempts);
  }
}

void World::live(std::size_t actor, int& attempts) {
  Life life(*this, fmt::format("boot-{}", boots_));
  Process& process = life.process;
  living_.insert(&process);
  process.files.before_call = [this, &process] { before_call(process); };
  process.files.wait_for_lock = [this] { turns_.wait(); };
  if (process.open(durability_, journal_max_)) {
    while (attempts < attempts_each && !process.files.is_dead() && !broken_) {
      count_up(*process.store, fmt::format("p{}-{}", actor, ++attempts));
      look_from_outside(*process.store);
    }
  }
  process.store.reset();
  living_.erase(&process);
}

void World::before_call(Process& process) {
  clock_.time += 10us;
  turns_.perhaps_switch();
  if (process.files.is_dead() || faults_left_ == 0) return;
  if (random_.below(calls_per_fault_) != 0) return;
  --faults_left_;
  const std::uint64_t fault = random_.below(4);
  if (fault == 0 && durability_ == Durability::full) {
    cut_power();
  } else if (fault == 1) {
    disk_.space_left = disk_.space_left ? std::nullopt : std::optional(random_.below(1'500));
  } else {
    process.files.kill(random_.below(3) == 0 ? random_.below(600) : 0);
  }
}

void World::cut_power() {
  for (Process* process : living_) process->files.kill();
  disk_.power_loss(random_);
  ++boots_;
  note("power");
}

Result<World::Look> World::look(const core::View& view) {
  Look seen;
  TYER_TRY(seen.head, view.head());
  TYER_TRY(seen.a, view.subject("pair/a"));
  TYER_TRY(seen.b, view.subject("pair/b"));
  TYER_TRY(seen.lease, view.lease("lock/x"));
  TYER_TRY(seen.cursor, view.cursor("counter"));
  if (seen.head.seq == 0) return seen;
  core::EventQuery query;
  query.after = seen.head.seq - 1;
  TYER_TRY(seen.last, view.events(query));
  return seen;
}

// `newest` is the newest number that was seen or confirmed before the look began.
void World::judge(const Look& seen, std::uint64_t newest, std::string_view where) {
  const std::uint64_t count = seen.head.seq;
  if (count < newest) broken(fmt::format("{}: number {} came after {}", where, count, newest));
  seen_ = std::max(seen_, count);
  const std::uint64_t a = seen.a ? seen.a->rev : 0;
  const std::uint64_t b = seen.b ? seen.b->rev : 0;
  if (a != count || b != count || seen.cursor.seq != count) {
    broken(fmt::format("{}: head {}, a {}, b {}, cursor {}", where, count, a, b, seen.cursor.seq));
  }
  if (count == 0) return;
  const std::uint64_t token = seen.lease ? seen.lease->token : 0;
  if (token != (count % 3 == 0 ? 0 : count)) {
    broken(fmt::format("{}: head {} with token {}", where, count, token));
  }
  if (seen.last.size() != 1 || !seen.a || seen.last.front().body != seen.a->state) {
    broken(fmt::format("{}: the newest event is not what made {}", where, count));
  }
}

void World::count_up(store::Store& store, const std::string& tag) {
  std::uint64_t seq = 0;
  const Result<> result = store::write(store, [&](Txn& txn) -> Result<> {
    TYER_TRY(const Look seen, look(txn));
    judge(seen, known(), "inside");
    const std::string body = fmt::format(R"({{"by":"{}"}})", tag);
    seq = txn.append(event_of("pair/a", "pair.counted", body));
    txn.put(core::Subject{"pair/a", "", "counted", std::nullopt, seq, body});
    txn.put(core::Subject{"pair/b", "", "counted", std::nullopt, seq, body});
    txn.put(core::Cursor{"counter", seq});
    if (seq % 3 == 0) {
      txn.drop_lease("lock/x");
    } else {
      core::Lease lease;
      lease.key = "lock/x";
      lease.token = seq;
      txn.put(lease);
    }
    if (seq % 5 == 0) txn.trim(seq - 2);
    return {};
  });
  note(fmt::format("{} {} {}", tag, seq, result ? "yes" : info(result.error().fault).name));
  if (result) {
    const auto [found, is_new] = confirmed_.emplace(seq, tag);
    if (!is_new) broken(fmt::format("number {} went to {} and to {}", seq, found->second, tag));
    return;
  }
  const Fault fault = result.error().fault;
  if (fault == Fault::limit) refused_.insert(tag);
  if (fault != Fault::limit && fault != Fault::unavailable) {
    broken(fmt::format("{}: {}", tag, result.error().what));
  }
}

void World::look_from_outside(store::Store& store) {
  Look seen;
  const std::uint64_t before = known();
  const Result<> read = store.read([&](const core::View& view) -> Result<> {
    TYER_TRY(seen, look(view));
    return {};
  });
  if (read) {
    judge(seen, before, "outside");
  } else if (read.error().fault != Fault::limit && read.error().fault != Fault::unavailable) {
    broken(fmt::format("outside: {}", read.error().what));
  }
}

void World::check_end() {
  faults_left_ = 0;
  disk_.space_left.reset();
  Life life(*this, fmt::format("boot-{}", boots_));
  store::Store* store = nullptr;
  if (const Result<> opened = life.process.open(durability_, journal_max_); !opened) {
    return broken("at the end: " + opened.error().what);
  }
  store = life.process.store.get();
  count_up(*store, "last");
  look_from_outside(*store);
  if (confirmed_.empty() || confirmed_.rbegin()->second != "last") {
    return broken("at the end nothing can be written");
  }
  const Result<> read = store->read([&](const core::View& view) -> Result<> {
    TYER_TRY(const core::Head head, view.head());
    TYER_TRY(const auto events, view.events({}));
    std::uint64_t next = head.first;
    std::set<std::string> bodies;
    for (const core::Event& event : events) {
      if (event.seq != next++) broken(fmt::format("event {} is out of order", event.seq));
      if (!bodies.insert(event.body).second) broken("an event is there twice: " + event.body);
      const auto found = confirmed_.find(event.seq);
      if (found != confirmed_.end() && !event.body.contains("\"" + found->second + "\"")) {
        broken(
            fmt::format("event {} is {}, {} was confirmed", event.seq, event.body, found->second));
      }
      for (const std::string& tag : refused_) {
        if (event.body.contains("\"" + tag + "\"")) broken(tag + " was refused and is there");
      }
    }
    return {};
  });
  if (!read) broken("at the end: " + read.error().what);
  const auto damage = store->check();
  if (!damage) broken("at the end: " + damage.error().what);
  if (damage && !damage->empty()) broken("at the end: " + damage->front());
}

}  // namespace

std::optional<std::string> run_files_world(std::uint64_t seed, FilesFlaw flaw, std::string* trace) {
  return World(seed, flaw, trace).run();
}

}  // namespace tyer::files_sim
