#include "env/packages/built_wheels.h"
#include "env/resolve/resolver.h"
#include "record/object_names.h"
#include "store/open.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LockStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = store::Open((tree_ / "store").native(), {PosixFileSystem(), SystemClock()}, {});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
    manifest_.python = "3.12";
    manifest_.platform = "linux-x86_64";
    manifest_.requirements = {"six"};
    options_.tools.cache_dir = tree_ / "cache";
  }

  Lock Sample(const std::string& version) const {
    Lock lock;
    lock.manifest_key = manifest_.Key();
    lock.python = "3.12";
    lock.platform = "linux-x86_64";
    lock.packages = {{"six", version, "", {kHash}}};
    lock.resolved_at = SystemClock().Now();
    lock.resolver = "pip 24.0";
    return lock;
  }

  test::TempTree tree_;
  std::unique_ptr<store::Store> store_;
  Manifest manifest_;
  LockOptions options_;
};

TEST_F(LockStoreTest, FirstLockIsKeptUntilReplaced) {
  EXPECT_FALSE(*FindLock(*store_, manifest_.Key(), {}));
  EXPECT_EQ(StoreLock(*store_, Sample("1"), {})->packages[0].version, "1");
  EXPECT_EQ(StoreLock(*store_, Sample("2"), {})->packages[0].version, "1");
  ASSERT_TRUE(ReplaceLock(*store_, Sample("3"), {}));
  EXPECT_EQ((*FindLock(*store_, manifest_.Key(), {}))->packages[0].version, "3");
}

TEST_F(LockStoreTest, UsesStoredLock) {
  ASSERT_TRUE(StoreLock(*store_, Sample("1"), {}));
  options_.locked = true;
  const auto obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_TRUE(obtained->from_store);
  EXPECT_EQ(obtained->lock.packages[0].version, "1");
}

TEST_F(LockStoreTest, LockedNeverResolves) {
  options_.locked = true;
  const auto obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(obtained.error().hint, HasSubstr("kinetic lock"));
  options_.relock = true;
  EXPECT_EQ(ObtainLock(*store_, manifest_, options_, nullptr, {}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST_F(LockStoreTest, WarnsAboutOldLock) {
  Lock lock = Sample("1");
  lock.resolved_at -= std::chrono::hours(24 * 100);
  ASSERT_TRUE(StoreLock(*store_, lock, {}));
  RecordingObserver observer;
  ASSERT_TRUE(ObtainLock(*store_, manifest_, options_, &observer, {}));
  EXPECT_THAT(observer.warnings, ElementsAre(HasSubstr("is 100 days old")));
  manifest_.is_lock = true;
  observer.warnings.clear();
  ASSERT_TRUE(ObtainLock(*store_, manifest_, options_, &observer, {}));
  EXPECT_THAT(observer.warnings, IsEmpty());
}

TEST_F(LockStoreTest, AcceptsLockFileWithoutStoredLock) {
  options_.locked = true;
  options_.tools.search_path = "/nowhere";
  manifest_.is_lock = true;
  const auto obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kNotFound) << obtained.error().message;  // no Python
}

TEST_F(LockStoreTest, InstallsProjectFilesFromProjectFolder) {
  manifest_.source = "/p/q/requirements.txt";
  manifest_.private_urls = {{"https://h/simple", "https://u:p@h/simple"}};
  Lock lock = Sample("1");
  lock.packages.push_back({"own", "1", "../own.whl", {kHash}});
  const auto urls = InstallUrls(manifest_, lock);
  EXPECT_EQ(urls.at("../own.whl"), "file:///p/own.whl");
  EXPECT_EQ(urls.size(), 2U);
}

TEST_F(LockStoreTest, RenewsLease) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  ASSERT_TRUE(StoreLock(store, Sample("1"), {}));
  const std::string name = record::LockName(manifest_.Key());
  const auto lease = [&] { return (*store.Stat(name, {}))->lease; };
  const WallTime first = lease();
  clock.Advance(std::chrono::hours(24 * 5));
  ASSERT_TRUE(*FindLock(store, manifest_.Key(), {}));
  EXPECT_EQ(lease(), first);
  clock.Advance(std::chrono::hours(24 * 2));
  ASSERT_TRUE(*FindLock(store, manifest_.Key(), {}));
  EXPECT_GT(lease(), first);
}

TEST_F(LockStoreTest, RenewsLeasesOfBuiltWheels) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  Lock lock = Sample("1");
  lock.packages[0].wheel = "six-1-py3-none-any.whl";
  options_.tools.clock = &clock;
  const Path wheel = WheelFile(options_.tools, lock.packages[0]);
  tree_.Write(wheel.lexically_relative(tree_.path()).native(), "wheel");
  ASSERT_TRUE(StoreWheels(lock, store, options_.tools, {}));
  ASSERT_TRUE(StoreLock(store, lock, {}));
  const auto lease = [&] { return (*store::ListAll(store, record::kPackagePrefix, {}))[0].lease; };
  const WallTime first = lease();
  clock.Advance(std::chrono::hours(24 * 7));
  ASSERT_TRUE(*FindLock(store, manifest_.Key(), {}));
  EXPECT_GT(lease(), first);
}

TEST_F(LockStoreTest, HintReplacesDamagedLock) {
  ASSERT_TRUE(store::Overwrite(*store_, record::LockName(manifest_.Key()), "", {}));
  const auto found = FindLock(*store_, manifest_.Key(), {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().hint, HasSubstr("kinetic run --relock"));
}

TEST_F(LockStoreTest, RejectsLockOfAnotherManifest) {
  Lock lock = Sample("1");
  lock.manifest_key = Sha256::Of("another");
  ASSERT_TRUE(store::PutBytes(*store_, record::LockName(manifest_.Key()), ToJson(lock),
                              store::Precondition::Absent(), {}));
  const auto found = FindLock(*store_, manifest_.Key(), {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kDataLoss);
  ASSERT_TRUE(store::Overwrite(*store_, record::LockName(manifest_.Key()), "{", {}));
  EXPECT_EQ(FindLock(*store_, manifest_.Key(), {}).error().code, ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::env
