#include "env/virtualenv/package_set.h"

#include "base/files/file_lock.h"
#include "env/virtualenv/evict.h"
#include "env/virtualenv/seal.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class PackageSetTest : public ::testing::Test {
 protected:
  PackageSetTest() {
    tools_.cache_dir = tree_ / "cache";
    tools_.clock = &clock_;
    lock_.python = "3.12";
  }

  static LockedPackage Package(const std::string& name, const std::string& version) {
    return {name, version, "", {"sha256:" + name + version}};
  }

  /// Installs packages of which each has the file `{name}/a.py`, and `files`.
  SetPackages Publish(const std::vector<LockedPackage>& packages,
                      const std::vector<std::string>& files = {}) {
    const Path folder = EnvironmentCacheLayout{tools_.cache_dir}.TemporaryPackageSet();
    const std::string root = folder.lexically_relative(tree_.path()).native() + "/";
    tree_.MakeFolder(root + "bin");
    for (const auto& package : packages) {
      const std::string in = root + "lib/python3.12/site-packages/";
      const std::string info = package.name + "-" + package.version + ".dist-info/RECORD";
      std::string record = package.name + "/a.py,,\n" + info + ",,\n";
      for (const auto& file : files) record += file + ",,\n";
      for (const auto& file : files) tree_.Write(in + file, "");
      tree_.Write(in + package.name + "/a.py", "");
      tree_.Write(in + info, record);
    }
    const auto made = PublishPackageSet(tools_, folder, lock_, packages);
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(SetPackages());
  }

  std::vector<std::string> Missing() {
    const auto found = FindInstalledPackages(tools_, lock_);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> names;
    for (const auto& package : found->missing) names.push_back(package.name);
    return names;
  }

  FileSystem& fs_ = PosixFileSystem();
  test::TempTree tree_;
  test::FakeClock clock_;
  ToolOptions tools_;
  Lock lock_;
};

TEST_F(PackageSetTest, FindsPackagesOfSameContent) {
  lock_.packages = {Package("one", "1"), Package("two", "1"), Package("three", "1")};
  EXPECT_THAT(Missing(), UnorderedElementsAre("one", "two", "three"));
  const auto made = Publish({Package("one", "1"), Package("two", "2")});
  const auto found = FindInstalledPackages(tools_, lock_);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->sets, ElementsAre(SetPackages{made.set, {"one"}}));
  EXPECT_THAT(Missing(), UnorderedElementsAre("two", "three"));
  lock_.python = "3.13";
  EXPECT_THAT(Missing(), UnorderedElementsAre("one", "two", "three"));
}

TEST_F(PackageSetTest, ChangedSetIsNotUsed) {
  lock_.packages = {Package("one", "1")};
  const auto made = Publish(lock_.packages);
  EXPECT_THAT(Missing(), IsEmpty());
  ASSERT_TRUE(fs_.SetModifiedTime(made.set / "lib/python3.12/site-packages", clock_.Now()));
  EXPECT_THAT(Missing(), ElementsAre("one"));
}

TEST_F(PackageSetTest, UnsealingEnvironmentUnsealsItsSets) {
  lock_.packages = {Package("one", "1")};
  const auto made = Publish(lock_.packages);
  const CachedEnvironment environment{
      .root = tree_ / "env", .python = "3.12.4", .package_sets = {made.set}};
  tree_.MakeFolder("env/bin");
  tree_.MakeFolder("env/lib/python3.12/site-packages");
  tree_.Write("env/kinetic.json", "{\"package_sets\": [\"" + made.set.native() + "\"]}");
  ASSERT_TRUE(SealEnvironment(fs_, environment.root));
  EXPECT_TRUE(IsSealed(fs_, environment.root, "3.12"));
  ASSERT_TRUE(Unseal(fs_, environment, clock_.Now()));
  EXPECT_THAT(Missing(), ElementsAre("one"));
  ASSERT_TRUE(SealEnvironment(fs_, environment.root));
  EXPECT_FALSE(IsSealed(fs_, environment.root, "3.12")) << "its package set is not";
}

TEST_F(PackageSetTest, PackagesWithSameFileAreNotShared) {
  lock_.packages = {Package("one", "1"), Package("two", "1")};
  EXPECT_EQ(Publish(lock_.packages, {"tests/a.py"}).names.size(), 2U);
  EXPECT_THAT(Missing(), UnorderedElementsAre("one", "two"));
}

TEST_F(PackageSetTest, PackageWithUnlistedFileIsNotShared) {
  lock_.packages = {Package("one", "1"), Package("two", "1")};
  const std::string temporary = "cache/package-sets/x.tmp/";
  tree_.MakeFolder(temporary + "bin");
  const std::string in = temporary + "lib/python3.12/site-packages/";
  tree_.Write(in + "one-1.dist-info/RECORD", "one/a.py,,\none-1.dist-info/RECORD,,\n");
  tree_.Write(in + "one/unlisted.py", "");
  tree_.Write(in + "two-1.dist-info/RECORD", "two-1.dist-info/RECORD,,\n");
  ASSERT_TRUE(PublishPackageSet(tools_, tree_ / temporary, lock_, lock_.packages));
  EXPECT_THAT(Missing(), ElementsAre("one"));
}

TEST_F(PackageSetTest, ListsSizesAndTimesOfUse) {
  lock_.packages = {Package("one", "1")};
  const auto made = Publish(lock_.packages);
  clock_.Advance(std::chrono::hours(50));
  EXPECT_THAT(Missing(), IsEmpty());
  tree_.Write("cache/package-sets/x.tmp/lib/abandoned", "12345");
  auto sets = ListPackageSets(fs_, tools_.cache_dir);
  ASSERT_TRUE(sets);
  ASSERT_EQ(sets->size(), 2U);
  if (sets->front().root != made.set) std::swap(sets->front(), sets->back());
  EXPECT_EQ(sets->front().last_used, clock_.Now());
  EXPECT_GT(sets->front().size_bytes, 0U);
  EXPECT_EQ(sets->back().size_bytes, 5U);
  EXPECT_TRUE(*EvictPackageSet(fs_, tools_.cache_dir, sets->front()));
  EXPECT_THAT(Missing(), ElementsAre("one"));
  EXPECT_EQ(ListPackageSets(fs_, tools_.cache_dir)->size(), 1U);
}

TEST_F(PackageSetTest, SetInUseIsNotEvicted) {
  lock_.packages = {Package("one", "1")};
  const auto made = Publish(lock_.packages);
  const auto seen = ListPackageSets(fs_, tools_.cache_dir)->at(0);
  const auto evict = [&](const CachedPackageSet& set) {
    return *EvictPackageSet(fs_, tools_.cache_dir, set);
  };
  const std::string marker = "cache/environments/" + std::string(64, 'a') + "/kinetic.json";
  for (const std::string& text :
       {"{\"package_sets\": [\"" + made.set.native() + "\"]}", std::string("damaged")}) {
    tree_.Write(marker, text);
    EXPECT_FALSE(evict(seen)) << text;
  }
  ASSERT_TRUE(fs_.Unlink(tree_ / marker));
  {
    const Path file = EnvironmentCacheLayout{tools_.cache_dir}.PackageSetsLock();
    const LockWait shared{.limit = {}, .is_shared = true};
    const auto one_build = FileLock::Acquire(fs_, file, shared);
    const auto other_build = FileLock::Acquire(fs_, file, shared);
    EXPECT_TRUE(one_build && other_build);
    EXPECT_FALSE(evict(seen));
  }
  clock_.Advance(std::chrono::hours(1));
  EXPECT_THAT(Missing(), IsEmpty());
  EXPECT_FALSE(evict(seen)) << "a build used it";
  EXPECT_TRUE(evict(ListPackageSets(fs_, tools_.cache_dir)->at(0)));
}

TEST_F(PackageSetTest, EnvironmentWithDamagedMarkerIsListed) {
  tree_.Write("cache/environments/" + std::string(64, 'a') + "/kinetic.json", "damaged");
  const auto listed = ListEnvironments(fs_, tools_.cache_dir);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_THAT(listed->front().damage, HasSubstr("kinetic.json is damaged"));
}

TEST_F(PackageSetTest, SizeOfEnvironmentExcludesItsSets) {
  const auto made = Publish({Package("one", "1")});
  const std::string root = "cache/environments/" + std::string(64, 'a') + "/";
  const std::string marker = "{\"package_sets\": [\"" + made.set.native() + "\"]}";
  tree_.Write(root + "kinetic.json", marker);
  tree_.Write("cache/package-sets/file", "12345");
  ASSERT_TRUE(fs_.Link(tree_ / "cache/package-sets/file", tree_ / root / "linked"));
  const auto listed = ListEnvironments(fs_, tools_.cache_dir);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().size_bytes, marker.size());
  EXPECT_THAT(listed->front().package_sets, ElementsAre(made.set));
}

}  // namespace
}  // namespace kinetic::env
