#include "env/resolve/resolver.h"
#include "record/object_names.h"
#include "store/open.h"
#include "support/fake_clock.h"
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

TEST_F(LockStoreTest, EmbeddedLockIsNotResolved) {
  options_.locked = true;
  manifest_.requirements.clear();
  auto obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_TRUE(obtained->lock.packages.empty());
  manifest_.requirements = {"six==1 --hash=" + kHash};
  manifest_.embedded_lock = Sample("1");
  obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained);
  EXPECT_EQ(obtained->lock.packages.size(), 1U);
  const auto stored = FindLock(*store_, manifest_.Key(), {});
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((*stored)->packages, obtained->lock.packages);
}

TEST_F(LockStoreTest, EmbeddedLockKeepsFirstBaseImage) {
  manifest_.embedded_lock = Sample("1");
  options_.base_digest = [](const std::stop_token&) { return "sha256:first"; };
  auto obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_EQ(obtained->lock.base_image, "sha256:first");
  options_.base_digest = [](const std::stop_token&) { return "sha256:second"; };
  options_.locked = true;
  obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_EQ(obtained->lock.base_image, "sha256:first");
  EXPECT_EQ(obtained->lock.packages, manifest_.embedded_lock->packages);
  options_.locked = false;
  options_.relock = true;
  obtained = ObtainLock(*store_, manifest_, options_, nullptr, {});
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_EQ(obtained->lock.base_image, "sha256:second");
  EXPECT_EQ((*FindLock(*store_, manifest_.Key(), {}))->base_image, "sha256:second");
}

TEST_F(LockStoreTest, WarnsAboutOldLock) {
  Lock lock = Sample("1");
  lock.resolved_at -= std::chrono::hours(24 * 100);
  ASSERT_TRUE(StoreLock(*store_, lock, {}));
  RecordingObserver observer;
  ASSERT_TRUE(ObtainLock(*store_, manifest_, options_, &observer, {}));
  EXPECT_THAT(observer.warnings, ElementsAre(HasSubstr("is 100 days old")));
}

TEST_F(LockStoreTest, RenewsLease) {
  test::FakeClock clock;
  auto store = *store::Open((tree_ / "leases").native(), {PosixFileSystem(), clock}, {});
  ASSERT_TRUE(StoreLock(*store, Sample("1"), {}));
  const std::string name = record::LockName(manifest_.Key());
  const auto lease = [&] { return (*store->Stat(name, {}))->lease; };
  const WallTime first = lease();
  clock.Advance(std::chrono::hours(24 * 5));
  ASSERT_TRUE(*FindLock(*store, manifest_.Key(), {}));
  EXPECT_EQ(lease(), first);
  clock.Advance(std::chrono::hours(24 * 2));
  ASSERT_TRUE(*FindLock(*store, manifest_.Key(), {}));
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
