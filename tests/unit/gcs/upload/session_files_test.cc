#include "gcs/upload/sessions.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

namespace kinetic::test {
namespace {

class FileSessionStoreTest : public testing::Test {
 protected:
  std::uint32_t ModeOf(const Path& path) { return PosixFileSystem().Lstat(path)->mode; }

  std::optional<gcs::SavedSession> Saved(const std::string& key) {
    const auto session = files_.Open(key);
    EXPECT_TRUE(session) << session.error().message;
    return (*session)->saved();
  }
  void Save(const std::string& key, const gcs::SavedSession& saved) {
    const auto session = files_.Open(key);
    ASSERT_TRUE(session && *session);
    ASSERT_TRUE((*session)->Save(saved));
  }
  bool IsThere(const std::string& key) const {
    return std::filesystem::exists(tree_ / "sessions" / key);
  }

  TempTree tree_;
  FakeClock clock_;
  gcs::FileSessionStore files_{PosixFileSystem(), clock_, tree_ / "sessions"};
};

TEST_F(FileSessionStoreTest, SavesAndRemoves) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  EXPECT_FALSE(Saved("k"));
  EXPECT_FALSE(IsThere("k")) << "nothing is left where nothing was saved";
  Save("k", {"https://h/a-longer-one?upload_id=1", "mark"});
  Save("k", {"https://h/s?upload_id=1", "mark"});
  const auto saved = Saved("k");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->url, "https://h/s?upload_id=1");
  EXPECT_EQ(saved->mark, "mark");
  EXPECT_FALSE(Saved("other"));
  {
    const auto session = files_.Open("k");
    ASSERT_TRUE(session && *session);
    EXPECT_TRUE((*session)->Remove());
    EXPECT_TRUE((*session)->Remove());
  }
  EXPECT_FALSE(Saved("k"));
  EXPECT_FALSE(IsThere("k"));
}

TEST_F(FileSessionStoreTest, OpensExclusively) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  gcs::FileSessionStore others(PosixFileSystem(), clock_, tree_ / "sessions");
  auto first = files_.Open("k");
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE((*first)->Save({"s", "m"}));
  const auto second = others.Open("k");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(*second, nullptr);
  first->reset();
  const auto third = others.Open("k");
  ASSERT_TRUE(third && *third);
  EXPECT_TRUE((*third)->saved());
}

TEST_F(FileSessionStoreTest, DoesNotRemoveANewerFile) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  const auto first = files_.Open("k");
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE((*first)->Save({"s", "m"}));
  std::filesystem::remove(tree_ / "sessions/k");
  Save("k", {"t", "m"});
  EXPECT_TRUE((*first)->Remove());
  EXPECT_TRUE(Saved("k"));
}

TEST_F(FileSessionStoreTest, AreReadableByTheOwnerOnly) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  Save("k", {"https://h/s?upload_id=1", "mark"});
  EXPECT_EQ(ModeOf(tree_ / "sessions"), 0700U);
  EXPECT_EQ(ModeOf(tree_ / "sessions/k"), 0600U);
}

TEST_F(FileSessionStoreTest, IgnoresMalformedFiles) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  for (const char* text : {"", "{", "[]", R"({"session":"s"})", R"({"session":7,"mark":"m"})"}) {
    tree_.Write("sessions/k", text);
    EXPECT_FALSE(Saved("k")) << text;
  }
}

TEST_F(FileSessionStoreTest, ExpireAfterAWeek) {
  clock_.Jump(SystemClock().Now() - clock_.Now());
  Save("old", {"a", "m"});
  clock_.Advance(std::chrono::hours(24 * 6));
  Save("k", {"b", "m"});
  EXPECT_TRUE(Saved("old"));
  clock_.Advance(std::chrono::hours(25));
  Save("k2", {"c", "m"});
  EXPECT_FALSE(Saved("old"));
}

}  // namespace
}  // namespace kinetic::test
