#include "local/data_cache.h"

#include "base/files/temp_dir.h"
#include "support/fake_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace kinetic::local {
namespace {

namespace fs = std::filesystem;

std::string Read(const Path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteTo(const Path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

class DataCacheTest : public testing::Test {
 protected:
  Result<bool> Provide(const std::string& place, const std::string& key = "tree-a") {
    return cache_.Provide(key, folder_ / place, lay_down_, {});
  }

  const TempDir temp_ = *TempDir::Make(PosixFileSystem(), fs::temp_directory_path(), "cache-");
  const Path folder_ = temp_.path();
  const DataCache cache_{PosixFileSystem(), SystemClock(), folder_ / "volume"};
  int made_ = 0;
  DataCache::Materialize lay_down_ = [this](const Path& place) -> Status {
    ++made_;
    WriteTo(place / "a", "first");
    WriteTo(place / "b/tool", "#!");
    fs::permissions(place / "b/tool", fs::perms::owner_all);
    WriteTo(place / "odd \xff\n", std::string(3'000'000, 'x'));
    fs::create_directory(place / "empty");
    fs::create_symlink("b/tool", place / "link");
    return {};
  };
};

TEST_F(DataCacheTest, CopiesACachedDataSet) {
  EXPECT_FALSE(*Provide("one"));
  EXPECT_TRUE(*Provide("two"));
  EXPECT_EQ(made_, 1);
  for (const char* place : {"one", "two"}) {
    EXPECT_EQ(Read(folder_ / place / "a"), "first");
    EXPECT_EQ(Read(folder_ / place / "odd \xff\n").size(), 3'000'000U);
    EXPECT_TRUE(fs::is_directory(folder_ / place / "empty"));
    EXPECT_EQ(fs::read_symlink(folder_ / place / "link"), "b/tool");
    EXPECT_NE(fs::status(folder_ / place / "b/tool").permissions() & fs::perms::owner_exec,
              fs::perms::none);
  }
}

TEST_F(DataCacheTest, KeepsTheCacheIfAJobChangesItsCopy) {
  ASSERT_TRUE(Provide("one"));
  WriteTo(folder_ / "one/a", "changed");
  ASSERT_TRUE(*Provide("two"));
  EXPECT_EQ(Read(folder_ / "two/a"), "first");
}

TEST_F(DataCacheTest, RecreatesAChangedDataSet) {
  for (const char* name : {"a", "entries", "link"}) {
    fs::remove_all(folder_ / "volume");
    ASSERT_TRUE(Provide(std::string("before ") + name));
    const Path set = folder_ / "volume/tree-a";
    if (name == std::string("entries")) WriteTo(set / name, "nonsense");
    if (name == std::string("a")) WriteTo(set / "content/a", "longer than before");
    if (name == std::string("link")) fs::remove(set / "content/link");
    made_ = 0;
    const auto again = Provide(std::string("after ") + name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(*again) << name;
    EXPECT_EQ(made_, 1);
    EXPECT_EQ(Read(folder_ / (std::string("after ") + name) / "a"), "first");
  }
}

TEST_F(DataCacheTest, ReturnsTheErrorAndRemovesPartialData) {
  const auto whole = lay_down_;
  lay_down_ = [](const Path& place) -> Status {
    WriteTo(place / "half", "x");
    return Fail(ErrorCode::kUnavailable, "connection lost");
  };
  const auto failed = Provide("one");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "connection lost");
  EXPECT_FALSE(fs::exists(folder_ / "volume/tree-a"));
  EXPECT_FALSE(fs::exists(folder_ / "volume/tree-a.draft"));
  // Files of a killed process are removed.
  WriteTo(folder_ / "volume/tree-a.draft/content/leftover", "x");
  WriteTo(folder_ / "volume/tree-a/content/leftover", "x");
  lay_down_ = whole;
  EXPECT_FALSE(*Provide("two"));
  EXPECT_FALSE(fs::exists(folder_ / "two/leftover"));
}

TEST_F(DataCacheTest, CachesASingleFile) {
  lay_down_ = [](const Path& place) -> Status {
    WriteTo(place, "one file");
    return {};
  };
  EXPECT_FALSE(*Provide("one"));
  EXPECT_TRUE(*Provide("two"));
  EXPECT_EQ(Read(folder_ / "two"), "one file");
}

TEST_F(DataCacheTest, CreatesADataSetOnceForConcurrentCallers) {
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> jobs;
    for (int i = 0; i < 8; ++i) {
      jobs.emplace_back([&, i] {
        if (!Provide("job" + std::to_string(i))) ++failed;
      });
    }
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(made_, 1);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Read(folder_ / ("job" + std::to_string(i)) / "a"), "first");
}

TEST_F(DataCacheTest, EvictsOnlyUnusedDataSets) {
  ASSERT_TRUE(Provide("one"));
  ASSERT_TRUE(Provide("two", "tree-b"));
  auto kept = *cache_.List();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_GT(kept[0].size_bytes, 3'000'000U);
  ASSERT_TRUE(*Provide("three", kept[0].key));
  EXPECT_FALSE(*cache_.Evict(kept[0])) << "used since List";
  EXPECT_TRUE(*cache_.Evict(kept[1]));
  kept = *cache_.List();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_TRUE(*cache_.Evict(kept[0]));
  EXPECT_TRUE(cache_.List()->empty());
}

TEST(DataEntries, RejectInvalidText) {
  for (const std::string text : {"", "f 1 2 3 a", "f 1 2 a", "x 1 2 3 a", "f -x 2 3 a"}) {
    EXPECT_FALSE(ParseDataEntries(text + std::string(text == "f 1 2 3 a" ? 0 : 1, '\0'))) << text;
  }
}

}  // namespace
}  // namespace kinetic::local
