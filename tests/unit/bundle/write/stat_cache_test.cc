#include "bundle/write/stat_cache.h"

#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kinetic::bundle {
namespace {

using namespace std::chrono_literals;
using test::TempTree;

constexpr WallTime kNow = WallTime(1'790'000'000s);

std::int64_t Nanos(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

FileStatus StatusAt(WallTime changed) {
  return {.type = FileType::kRegular,
          .mode = 0644,
          .size_bytes = 10,
          .mtime_ns = Nanos(changed) + 1,
          .ctime_ns = Nanos(changed) + 1,
          .device = 2,
          .inode = 3};
}

class StatCacheTest : public testing::Test {
 protected:
  StatCache Load(WallTime now = kNow) {
    auto cache = StatCache::Load(fs_, file_, now);
    EXPECT_TRUE(cache) << cache.error().message;
    return *std::move(cache);
  }

  FileSystem& fs_ = PosixFileSystem();
  TempTree tree_;
  Path file_ = tree_ / "cache/project";
  FileStatus status_ = StatusAt(kNow - 1h);
  Digest digest_ = Sha256::Of("a");
};

TEST_F(StatCacheTest, PersistsAcrossRuns) {
  StatCache cache = Load();
  EXPECT_FALSE(cache.Find("a", status_));
  for (const auto* path : {"b", "a", "a/\xff\n"}) cache.Insert(path, status_, Sha256::Of(path));
  cache.SetLastTree(Sha256::Of("tree"), Sha256::Of("before"));
  ASSERT_TRUE(cache.Save(fs_));
  const StatCache again = Load();
  for (const auto* path : {"a/\xff\n", "b", "a"}) {
    EXPECT_EQ(again.Find(path, status_), Sha256::Of(path)) << path;
  }
  EXPECT_FALSE(again.Find("c", status_));
  EXPECT_EQ(again.last_tree(), Sha256::Of("tree"));
  EXPECT_EQ(again.previous_tree(), Sha256::Of("before"));
}

TEST_F(StatCacheTest, ComparesEveryField) {
  StatCache cache = Load();
  cache.Insert("a", status_, digest_);
  ASSERT_TRUE(cache.Save(fs_));
  const auto changed = [&](auto change) {
    FileStatus status = status_;
    change(status);
    return !Load().Find("a", status).has_value();
  };
  EXPECT_FALSE(changed([](FileStatus&) {}));
  EXPECT_TRUE(changed([](FileStatus& status) { ++status.mtime_ns; }));
  EXPECT_TRUE(changed([](FileStatus& status) { ++status.ctime_ns; }));
  EXPECT_TRUE(changed([](FileStatus& status) { ++status.size_bytes; }));
  EXPECT_TRUE(changed([](FileStatus& status) { ++status.inode; }));
  EXPECT_TRUE(changed([](FileStatus& status) { ++status.device; }));
  EXPECT_TRUE(changed([](FileStatus& status) { status.mode = 0755; }));
}

TEST_F(StatCacheTest, SkipsFilesThatChangedJustBefore) {
  FileStatus old_content_new_times = status_;
  old_content_new_times.ctime_ns = Nanos(kNow);
  FileStatus whole_seconds = status_;
  whole_seconds.mtime_ns = whole_seconds.ctime_ns = Nanos(kNow - 1s);
  StatCache cache = Load();
  cache.Insert("at once", StatusAt(kNow), digest_);
  cache.Insert("one tick before", StatusAt(kNow - 10ms), digest_);
  cache.Insert("in the future", StatusAt(kNow + 24h), digest_);
  cache.Insert("changed time", old_content_new_times, digest_);
  cache.Insert("coarse", whole_seconds, digest_);
  cache.Insert("long before", StatusAt(kNow - 1s), digest_);
  ASSERT_TRUE(cache.Save(fs_));
  const StatCache again = Load(kNow + 1h);
  EXPECT_FALSE(again.Find("at once", StatusAt(kNow)));
  EXPECT_FALSE(again.Find("one tick before", StatusAt(kNow - 10ms)));
  EXPECT_FALSE(again.Find("in the future", StatusAt(kNow + 24h)));
  EXPECT_FALSE(again.Find("changed time", old_content_new_times));
  EXPECT_FALSE(again.Find("coarse", whole_seconds));
  EXPECT_TRUE(again.Find("long before", StatusAt(kNow - 1s)));
}

TEST_F(StatCacheTest, DetectsAChangeWithTheSameTime) {
  // An edit right after the read, on a file system with coarse timestamps.
  const Path file = tree_.Write("f", "one");
  const auto before = *fs_.Lstat(file);
  const WallTime start{
      std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(before.ctime_ns))};
  StatCache cache = Load(start);
  cache.Insert("f", before, Sha256::Of("one"));
  ASSERT_TRUE(cache.Save(fs_));
  EXPECT_FALSE(Load(start + 1h).Find("f", before));
}

TEST_F(StatCacheTest, DropsRemovedFiles) {
  StatCache first = Load();
  for (const auto* path : {"a", "b", "c"}) first.Insert(path, status_, digest_);
  ASSERT_TRUE(first.Save(fs_));
  const auto full = std::filesystem::file_size(file_);
  StatCache second = Load();
  EXPECT_TRUE(second.Find("a", status_));
  EXPECT_TRUE(second.Find("c", status_));
  ASSERT_TRUE(second.Save(fs_));
  EXPECT_LT(std::filesystem::file_size(file_), full);
  EXPECT_FALSE(Load().Find("b", status_));
  EXPECT_TRUE(Load().Find("c", status_));
}

TEST_F(StatCacheTest, MergesNewAndOldRows) {
  StatCache first = Load();
  for (const auto* path : {"b", "d", "f"}) first.Insert(path, status_, digest_);
  ASSERT_TRUE(first.Save(fs_));
  StatCache second = Load();
  for (const auto* path : {"b", "d", "f"}) EXPECT_TRUE(second.Find(path, status_));
  for (const auto* path : {"a", "d", "e", "g"}) second.Insert(path, status_, Sha256::Of("new"));
  ASSERT_TRUE(second.Save(fs_));
  const StatCache third = Load();
  for (const auto* path : {"b", "f"}) EXPECT_EQ(third.Find(path, status_), digest_) << path;
  for (const auto* path : {"a", "d", "e", "g"}) {
    EXPECT_EQ(third.Find(path, status_), Sha256::Of("new")) << path;
  }
}

TEST_F(StatCacheTest, DoesNotWriteAnUnchangedCache) {
  StatCache first = Load();
  first.Insert("a", status_, digest_);
  first.SetLastTree(digest_);
  ASSERT_TRUE(first.Save(fs_));
  test::FaultyFileSystem full([](auto&&...) { return ENOSPC; });
  StatCache second = Load();
  EXPECT_TRUE(second.Find("a", status_));
  second.SetLastTree(digest_);
  EXPECT_TRUE(second.Save(full));
  EXPECT_EQ(full.count(), 0U);
  second.SetLastTree(Sha256::Of("another"));
  EXPECT_EQ(second.Save(full).error().code, ErrorCode::kResourceExhausted);
}

TEST_F(StatCacheTest, IsEmptyIfDamaged) {
  StatCache cache = Load();
  for (const auto* path : {"a", "b"}) cache.Insert(path, status_, digest_);
  cache.SetLastTree(digest_);
  ASSERT_TRUE(cache.Save(fs_));
  const std::string good = tree_.Read("cache/project");
  const auto is_empty = [&](const std::string& content) {
    (void)tree_.Write("cache/project", content);
    const StatCache damaged = Load();
    return !damaged.Find("a", status_) && !damaged.Find("b", status_) && !damaged.last_tree();
  };
  EXPECT_FALSE(is_empty(good));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(is_empty(good.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_TRUE(is_empty(damaged)) << at;
  }
  EXPECT_TRUE(is_empty(std::string(300, 'x')));
  EXPECT_TRUE(is_empty(good + "x"));
}

TEST_F(StatCacheTest, IsEmptyIfTheFileIsAFolder) {
  (void)tree_.MakeFolder("cache/project");
  EXPECT_FALSE(Load().Find("a", status_));
}

TEST_F(StatCacheTest, KeepsTheOldFileIfSaveFails) {
  StatCache first = Load();
  first.Insert("a", status_, digest_);
  ASSERT_TRUE(first.Save(fs_));
  StatCache second = Load();
  second.Insert("b", status_, digest_);
  for (const std::string failing : {"opening", "writing", "renaming to"}) {
    test::FaultyFileSystem faulty(
        [&](std::uint64_t, std::string_view operation, const Path&) -> std::optional<int> {
          if (operation == failing) return EIO;
          return std::nullopt;
        });
    EXPECT_FALSE(second.Save(faulty));
    EXPECT_TRUE(Load().Find("a", status_));
    EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator(tree_ / "cache")), 1);
  }
}

}  // namespace
}  // namespace kinetic::bundle
