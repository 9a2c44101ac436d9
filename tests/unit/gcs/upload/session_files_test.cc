#include "gcs/upload/sessions.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

namespace kinetic::test {
namespace {

class SessionFilesTest : public testing::Test {
 protected:
  std::uint32_t ModeOf(const Path& path) { return PosixFileSystem().Lstat(path)->mode; }

  /// What a client before has left, as the next one finds it.
  std::optional<gcs::KeptSession> Kept(const std::string& key) {
    const auto place = files_.Take(key);
    EXPECT_TRUE(place) << place.error().message;
    return (*place)->kept();
  }
  void Save(const std::string& key, const gcs::KeptSession& session) {
    const auto place = files_.Take(key);
    ASSERT_TRUE(place && *place);
    ASSERT_TRUE((*place)->Save(session));
  }
  bool IsThere(const std::string& key) const {
    return std::filesystem::exists(tree_ / "sessions" / key);
  }

  TempTree tree_;
  FakeClock clock_;
  gcs::SessionFiles files_{PosixFileSystem(), clock_, tree_ / "sessions"};
};

TEST_F(SessionFilesTest, KeepAndForget) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  EXPECT_FALSE(Kept("k"));
  EXPECT_FALSE(IsThere("k")) << "nothing is left where nothing was saved";
  Save("k", {"https://h/a-longer-one?upload_id=1", "mark"});
  Save("k", {"https://h/s?upload_id=1", "mark"});
  const auto kept = Kept("k");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->address, "https://h/s?upload_id=1");
  EXPECT_EQ(kept->mark, "mark");
  EXPECT_FALSE(Kept("other"));
  {
    const auto place = files_.Take("k");
    ASSERT_TRUE(place && *place);
    EXPECT_TRUE((*place)->Forget());
    EXPECT_TRUE((*place)->Forget());
  }
  EXPECT_FALSE(Kept("k"));
  EXPECT_FALSE(IsThere("k"));
}

TEST_F(SessionFilesTest, APlaceIsForOneAtATime) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  gcs::SessionFiles others(PosixFileSystem(), clock_, tree_ / "sessions");
  auto first = files_.Take("k");
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE((*first)->Save({"s", "m"}));
  const auto second = others.Take("k");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(*second, nullptr);
  first->reset();
  const auto third = others.Take("k");
  ASSERT_TRUE(third && *third);
  EXPECT_TRUE((*third)->kept());
}

TEST_F(SessionFilesTest, APlaceThatWasTakenAwayIsNotThatOfTheNext) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  const auto first = files_.Take("k");
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE((*first)->Save({"s", "m"}));
  std::filesystem::remove(tree_ / "sessions/k");
  Save("k", {"t", "m"});
  EXPECT_TRUE((*first)->Forget());
  EXPECT_TRUE(Kept("k"));
}

TEST_F(SessionFilesTest, AreForTheirOwnerAlone) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  Save("k", {"https://h/s?upload_id=1", "mark"});
  EXPECT_EQ(ModeOf(tree_ / "sessions"), 0700U);
  EXPECT_EQ(ModeOf(tree_ / "sessions/k"), 0600U);
}

TEST_F(SessionFilesTest, TakeNothingElseForASession) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  for (const char* text : {"", "{", "[]", R"({"session":"s"})", R"({"session":7,"mark":"m"})"}) {
    tree_.Write("sessions/k", text);
    EXPECT_FALSE(Kept("k")) << text;
  }
}

TEST_F(SessionFilesTest, DieAfterAWeek) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  Save("old", {"a", "m"});
  clock_.Advance(std::chrono::hours(24 * 6));
  Save("k", {"b", "m"});
  EXPECT_TRUE(Kept("old"));
  clock_.Advance(std::chrono::hours(25));
  Save("k2", {"c", "m"});
  EXPECT_FALSE(Kept("old"));
}

}  // namespace
}  // namespace kinetic::test
