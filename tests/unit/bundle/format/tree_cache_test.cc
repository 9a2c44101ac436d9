#include "bundle/format/tree_cache.h"

#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>
#include <vector>

namespace kinetic::bundle {
namespace {

using std::chrono::hours;

Digest NumberedTree(int number) { return Sha256::Of("tree " + std::to_string(number)); }

class TreeCacheTest : public testing::Test {
 protected:
  TreeCache Open(const std::string& location = "gs://bucket", TreeCacheLimits limits = {}) {
    return {PosixFileSystem(), clock_, folder_, location, limits};
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    const auto entries = PosixFileSystem().ReadDirectory(folder_);
    if (!entries) return names;
    for (const auto& entry : *entries) names.push_back(entry.name);
    return names;
  }

  test::FakeClock clock_;
  test::TempTree tree_;
  Path folder_ = tree_ / "cache/trees";
  TreeObject object_{.body = std::string("body\0 of a tree", 15), .generation = 1LL << 60};
};

TEST_F(TreeCacheTest, FindsTheLastObject) {
  EXPECT_FALSE(Open().Find(NumberedTree(1)));
  ASSERT_TRUE(Open().Insert(NumberedTree(1), object_));
  EXPECT_EQ(Open().Find(NumberedTree(1)), object_);
  EXPECT_FALSE(Open().Find(NumberedTree(2)));
  const TreeObject other{.body = "", .generation = -1};
  ASSERT_TRUE(Open().Insert(NumberedTree(1), other));
  EXPECT_EQ(Open().Find(NumberedTree(1)), other);
  EXPECT_EQ(Files().size(), 1U);
}

TEST_F(TreeCacheTest, SeparatesStores) {
  ASSERT_TRUE(Open("gs://bucket/a").Insert(NumberedTree(1), object_));
  EXPECT_FALSE(Open("gs://bucket/b").Find(NumberedTree(1)));
  EXPECT_EQ(Open("gs://bucket/a").Find(NumberedTree(1)), object_);
}

TEST_F(TreeCacheTest, IgnoresDamagedFiles) {
  ASSERT_TRUE(Open().Insert(NumberedTree(1), object_));
  const Path file = folder_ / Files().at(0);
  constexpr std::uint64_t kLimit = 1 << 20;
  const std::string whole = *ReadFile(PosixFileSystem(), file, kLimit);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), file, damaged));
    EXPECT_FALSE(Open().Find(NumberedTree(1))) << "byte " << i;
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), file, whole.substr(0, i)));
    EXPECT_FALSE(Open().Find(NumberedTree(1))) << "cut to " << i;
  }
  ASSERT_TRUE(Open().Insert(NumberedTree(1), object_));
  EXPECT_EQ(Open().Find(NumberedTree(1)), object_);
}

TEST_F(TreeCacheTest, EvictsTheLeastRecentlyUsed) {
  constexpr int kKept = 4;
  const TreeCache cache = Open("gs://bucket", {.bytes = 1 << 20, .files = kKept});
  for (int i = 0; i < kKept; ++i) {
    ASSERT_TRUE(cache.Insert(NumberedTree(i), object_));
    clock_.Advance(hours(1));
  }
  EXPECT_TRUE(cache.Find(NumberedTree(0)));
  clock_.Advance(hours(1));
  ASSERT_TRUE(cache.Insert(NumberedTree(kKept), object_));
  EXPECT_TRUE(cache.Find(NumberedTree(0)));
  EXPECT_FALSE(cache.Find(NumberedTree(1)));
  for (int i = 2; i <= kKept; ++i) EXPECT_TRUE(cache.Find(NumberedTree(i))) << i;
}

TEST_F(TreeCacheTest, LimitsTheBytesOfAllStores) {
  constexpr std::uint64_t kLimit = 4000;
  const TreeObject large{.body = std::string(900, 'x'), .generation = 1};
  for (int i = 0; i < 10; ++i) {
    const std::string location = "gs://bucket-" + std::to_string(i % 2);
    ASSERT_TRUE(Open(location, {.bytes = kLimit}).Insert(NumberedTree(i), large));
    clock_.Advance(hours(1));
  }
  EXPECT_EQ(Files().size(), 4U);
  EXPECT_TRUE(Open("gs://bucket-1").Find(NumberedTree(9)));
  const TreeObject too_large{.body = std::string(1001, 'x'), .generation = 1};
  ASSERT_TRUE(Open("gs://bucket", {.bytes = kLimit}).Insert(NumberedTree(1), too_large));
  EXPECT_FALSE(Open().Find(NumberedTree(1)));
}

TEST_F(TreeCacheTest, RemovesTemporaryFilesAfterADay) {
  ASSERT_TRUE(Open().Insert(NumberedTree(1), object_));
  tree_.Write("cache/trees/abc.def.tmp", "half");
  clock_.Jump(SystemClock().Now() - clock_.Now());
  ASSERT_TRUE(Open().Insert(NumberedTree(2), object_));
  EXPECT_EQ(Files().size(), 3U);
  clock_.Advance(hours(25));
  ASSERT_TRUE(Open().Insert(NumberedTree(3), object_));
  EXPECT_THAT(Files(), testing::Not(testing::Contains("abc.def.tmp")));
}

TEST_F(TreeCacheTest, KeepsTheOldFileIfTheDiskIsFull) {
  ASSERT_TRUE(Open().Insert(NumberedTree(1), object_));
  for (const char* failing : {"writing", "setting the time of", "renaming to"}) {
    test::FaultyFileSystem fs(
        [&](std::uint64_t, std::string_view operation, const Path&) -> std::optional<int> {
          return operation == failing ? std::optional(ENOSPC) : std::nullopt;
        });
    const TreeCache cache(fs, clock_, folder_, "gs://bucket");
    EXPECT_FALSE(cache.Insert(NumberedTree(1), {.body = "another", .generation = 2})) << failing;
    EXPECT_EQ(cache.Find(NumberedTree(1)), object_);
    EXPECT_EQ(Files().size(), 1U) << failing;
  }
}

TEST_F(TreeCacheTest, SupportsConcurrentWriters) {
  constexpr int kWriters = 4;
  constexpr int kTimes = 50;
  const TreeCacheLimits limits{.bytes = 1 << 20, .files = 3};
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, limits, writer] {
      const TreeCache cache(PosixFileSystem(), SystemClock(), folder_, "gs://bucket", limits);
      for (int i = 0; i < kTimes; ++i) {
        EXPECT_TRUE(cache.Insert(NumberedTree((writer + i) % kWriters), object_));
        const auto found = cache.Find(NumberedTree(i % kWriters));
        EXPECT_EQ(found.value_or(object_), object_);
      }
    });
  }
  writers.clear();
  EXPECT_LE(Files().size(), 3U);
}

}  // namespace
}  // namespace kinetic::bundle
