#include "gcs/session_files.h"

#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

class SessionFilesTest : public testing::Test {
 protected:
  std::uint32_t ModeOf(const Path& path) { return PosixFileSystem().Lstat(path)->mode; }

  TempTree tree_;
  FakeClock clock_;
  gcs::SessionFiles files_{PosixFileSystem(), clock_, tree_ / "sessions"};
};

TEST_F(SessionFilesTest, KeepAndForget) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  EXPECT_FALSE(*files_.Load("k"));
  ASSERT_TRUE(files_.Save("k", {"https://h/s?upload_id=1", "mark"}));
  const auto kept = files_.Load("k");
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->address, "https://h/s?upload_id=1");
  EXPECT_EQ((*kept)->mark, "mark");
  EXPECT_FALSE(*files_.Load("other"));
  EXPECT_TRUE(files_.Forget("k"));
  EXPECT_TRUE(files_.Forget("k"));
  EXPECT_FALSE(*files_.Load("k"));
}

TEST_F(SessionFilesTest, AreForTheirOwnerAlone) {
  ASSERT_TRUE(files_.Save("k", {"https://h/s?upload_id=1", "mark"}));
  EXPECT_EQ(ModeOf(tree_ / "sessions"), 0700U);
  EXPECT_EQ(ModeOf(tree_ / "sessions/k"), 0600U);
}

TEST_F(SessionFilesTest, TakeNothingElseForASession) {
  for (const char* text : {"", "{", "[]", R"({"session":"s"})", R"({"session":7,"mark":"m"})"}) {
    tree_.Write("sessions/k", text);
    const auto kept = files_.Load("k");
    ASSERT_TRUE(kept) << text;
    EXPECT_FALSE(*kept) << text;
  }
}

TEST_F(SessionFilesTest, DieAfterAWeek) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  ASSERT_TRUE(files_.Save("old", {"a", "m"}));
  clock_.Advance(std::chrono::hours(24 * 6));
  ASSERT_TRUE(files_.Save("k", {"b", "m"}));
  EXPECT_TRUE(*files_.Load("old"));
  clock_.Advance(std::chrono::hours(25));
  ASSERT_TRUE(files_.Save("k2", {"c", "m"}));
  EXPECT_FALSE(*files_.Load("old"));
}

}  // namespace
}  // namespace kinetic::test
