// Real processes, real SIGKILL: a writer is killed at random moments, again and
// again, on every store that outlives it. What it acknowledged is there, and the next process
// goes on by itself (P6).

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "store/conformance.h"

namespace tyer::testing {
namespace {

constexpr int kills = 200;

// Writes pairs of subjects with an event, and tells each commit through the
// pipe after it was acknowledged. Never returns.
[[noreturn]] void write_forever(Backend& backend, int pipe, std::uint64_t round) {
  TestEnv world;
  auto store = backend.open(world.env);
  if (!store) _exit(3);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::uint64_t seq = 0;
    const Result<> written = store::write(**store, [&](store::Txn& txn) -> Result<> {
      const std::string key = fmt::format("pair/{}", round % 7);
      TYER_TRY(const auto before, txn.subject(key + "/a"));
      const std::uint64_t rev = before ? before->rev + 1 : 1;
      txn.put(subject(key + "/a", rev));
      txn.put(subject(key + "/b", rev));
      if (rev % 3 == 0) txn.put(lease("lock/" + std::to_string(rev % 5), rev));
      if (rev % 3 == 1) txn.drop_lease("lock/" + std::to_string(rev % 5));
      seq = txn.append(event(key));
      txn.put(core::Cursor{"writer", seq});
      return {};
    });
    if (!written) _exit(4);
    if (write(pipe, &seq, sizeof seq) != static_cast<ssize_t>(sizeof seq)) _exit(5);
  }
  _exit(6);
}

class KilledWriter : public AnyStore {};

TEST_P(KilledWriter, LosesNothingItAcknowledgedAndTheNextOneStartsByItself) {
  store.reset();
  std::uint64_t acknowledged = 0;
  for (std::uint64_t round = 0; round < kills; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      write_forever(*backend, ends[1], round);
    }
    close(ends[1]);
    // The moment is random: so many commits after its start, and wherever it is by then.
    const std::uint64_t wanted = world.real.env().random.below(12);
    for (std::uint64_t got = 0; got <= wanted; ++got) {
      std::uint64_t seq = 0;
      const ssize_t bytes = read(ends[0], &seq, sizeof seq);
      ASSERT_EQ(bytes, static_cast<ssize_t>(sizeof seq))
          << "the writer of round " << round << " gave up";
      acknowledged = seq;
    }
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended with " << WEXITSTATUS(status);
    std::uint64_t seq = 0;
    while (read(ends[0], &seq, sizeof seq) == static_cast<ssize_t>(sizeof seq)) acknowledged = seq;
    close(ends[0]);

    store = open();
    ASSERT_TRUE(store);
    ASSERT_OK(store->read([&](const core::View& view) -> Result<> {
      TYER_TRY(const core::Head head, view.head());
      EXPECT_GE(head.seq, acknowledged);
      EXPECT_EQ(view.cursor("writer")->seq, head.seq);
      TYER_TRY(const auto rows, view.subjects({.kind = "pair"}));
      for (const core::Subject& row : rows) {
        const std::string twin =
            row.key.substr(0, row.key.size() - 1) + (row.key.back() == 'a' ? "b" : "a");
        TYER_TRY(const auto other, view.subject(twin));
        EXPECT_TRUE(other && other->rev == row.rev) << row.key;
      }
      return {};
    }));
    store.reset();
  }
  store = open();
  const auto problems = store->check();
  ASSERT_OK(problems);
  EXPECT_EQ(*problems, std::vector<std::string>{});
}

// Not in memory: there nothing outlives the process.
INSTANTIATE_TEST_SUITE_P(On, KilledWriter, ::testing::Values("sqlite", "postgres", "files"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
