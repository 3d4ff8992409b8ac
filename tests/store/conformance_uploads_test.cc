// The files that belong to a store: the same on every back end.

#include <fmt/format.h>

#include "store/conformance.h"
#include "store/limits.h"
#include "support/temp_dir.h"

namespace tyer::testing {
namespace {

// As a hub has them, and inside a file, as a backup has them.
class AnyUploads : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::unique_ptr<store::Uploads> open() {
    if (GetParam() == "backup") return store::uploads_inside(dir / "backup.db", dir.path());
    auto opened = backend->uploads(world.env, dir.path());
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().what);
    return opened ? *std::move(opened) : nullptr;
  }

  [[nodiscard]] static std::string content(const Result<store::OpenedUpload>& opened) {
    if (!opened) return opened.error().what;
    std::string all;
    const store::NextPiece next = store::pieces_of(opened->file.get());
    while (true) {
      const std::string piece = next().value();
      if (piece.empty()) return all;
      all += piece;
    }
  }

  TestEnv world;
  TempDir dir;
  std::unique_ptr<Backend> backend = make_backend(GetParam() == "backup" ? "sqlite" : GetParam());
  std::unique_ptr<store::Store> store =
      GetParam() == "backup" ? store::open("sqlite:" + (dir / "backup.db"), world.env, {}).value()
                             : backend->open(world.env).value();
  std::unique_ptr<store::Uploads> uploads = open();
};

TEST_P(AnyUploads, ComeBackAsTheyWerePutWhateverTheirSize) {
  std::string large;
  for (unsigned i = 0; large.size() < 3 * limits::upload_piece_bytes + 17; ++i) {
    large += static_cast<char>(i * i % 256);
  }
  const std::string bytes("a\0\xff\\x'", 6);

  EXPECT_EQ(uploads->put("up_bytes", store::pieces_of(bytes)).value(), bytes.size());
  EXPECT_EQ(uploads->put("up_empty", store::pieces_of("")).value(), 0U);
  EXPECT_EQ(uploads->put("up_large", store::pieces_of(large)).value(), large.size());

  const auto other = open();
  EXPECT_EQ(other->open("up_large").value().size, large.size());
  EXPECT_TRUE(content(other->open("up_large")) == large);
  EXPECT_TRUE(content(other->open("up_bytes")) == bytes);
  EXPECT_EQ(content(other->open("up_empty")), "");
  EXPECT_EQ(other->list().value(),
            (std::vector<store::UploadEntry>{
                {"up_bytes", bytes.size()}, {"up_empty", 0}, {"up_large", large.size()}}));
}

TEST_P(AnyUploads, MayBePutAgain) {
  ASSERT_OK(uploads->put("up_1", store::pieces_of("first, and longer")));
  ASSERT_OK(uploads->put("up_1", store::pieces_of("second")));

  EXPECT_EQ(content(uploads->open("up_1")), "second");
}

TEST_P(AnyUploads, AreNotThereIfTheyWereCutShort) {
  int pieces = 0;
  const auto cut = uploads->put("up_1", [&]() -> Result<std::string> {
    if (++pieces == 3) return fail(Fault::unavailable, "the sender is gone");
    return std::string(1'000, 'x');
  });

  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().what, "the sender is gone");
  EXPECT_EQ(uploads->open("up_1").error().fault, Fault::not_found);
  EXPECT_EQ(uploads->list().value(), std::vector<store::UploadEntry>());
  ASSERT_OK(uploads->put("up_1", store::pieces_of("whole")));
}

TEST_P(AnyUploads, AreGoneWhenTheyAreRemoved) {
  ASSERT_OK(uploads->put("up_1", store::pieces_of("x")));

  ASSERT_OK(uploads->remove("up_1"));
  ASSERT_OK(uploads->remove("up_1"));

  EXPECT_EQ(uploads->open("up_1").error().fault, Fault::not_found);
}

TEST_P(AnyUploads, HavePlainNames) {
  for (const char* id : {"", "up_", "x", "../up_1", "up_1/../../x", "up_A", "up_1.partial"}) {
    const auto put = uploads->put(id, store::pieces_of("x"));
    ASSERT_FALSE(put) << id;
    EXPECT_EQ(put.error().fault, Fault::invalid);
  }
}

INSTANTIATE_TEST_SUITE_P(On, AnyUploads, ::testing::Values("sqlite", "files", "postgres", "backup"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tyer::testing
