#include "env/packages/stored_packages.h"

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "env/image/package_layers.h"
#include "env/install/package.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class StoredPackagesTest : public ::testing::Test {
 protected:
  StoredPackagesTest() {
    lock_.python = "3.12";
    lock_.platform = "linux-x86_64";
    lock_.packages = {{"bar", "2.0", "", {"sha256:" + std::string(64, 'b')}},
                      {"foo", "1.0", "", {"sha256:" + std::string(64, 'a')}}};
  }

  std::string ObjectOf(std::size_t i) const {
    return record::PackageName(WheelKey(lock_, lock_.packages.at(i), kPrefix));
  }

  /// Returns a tree with one empty file.
  bundle::Tree TreeOf(std::size_t i) const {
    bundle::Tree tree;
    tree.entries.push_back({.path = "lib/" + lock_.packages.at(i).name, .content = Sha256::Of("")});
    return tree;
  }

  void Store(std::size_t i) {
    bundle::ContentLease lease(store_, &bundle::ReferencesOf);
    const bundle::Tree tree = TreeOf(i);
    const Digest digest = bundle::TreeDigest(tree.entries);
    ASSERT_TRUE(lease.PutTree(digest, *bundle::EncodeTree(tree), {}));
    ASSERT_TRUE(record::WriteStoredPackage(store_, ObjectOf(i),
                                           {lock_.packages.at(i).name, digest, 3, 70}, {}));
  }

  StoredPackages Find() {
    auto found = FindStoredPackages(lock_, kPrefix, store_, {});
    EXPECT_TRUE(found) << found.error().message;
    return *std::move(found);
  }

  std::map<Digest, std::string> Names() {
    auto names = LayerNames(lock_, Find(), kPrefix, store_, {});
    EXPECT_TRUE(names) << names.error().message;
    return *std::move(names);
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  Lock lock_;
};

TEST_F(StoredPackagesTest, ReportsEachPackage) {
  Store(1);
  const auto found = Find();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0]);
  ASSERT_TRUE(found[1]);
  EXPECT_EQ(found[1]->bytes, 70U);
}

TEST_F(StoredPackagesTest, PackageWithoutTreeIsMissing) {
  Store(0);
  store_.Drop(record::TreeName(bundle::TreeDigest(TreeOf(0).entries)));
  EXPECT_FALSE(Find()[0]);
  ASSERT_TRUE(store::Overwrite(store_, ObjectOf(1), "no document", {}));
  EXPECT_FALSE(Find()[1]);
}

TEST_F(StoredPackagesTest, DoesNotRenewLeases) {
  Store(0);
  const WallTime before = (*store_.Stat(ObjectOf(0), {}))->lease;
  clock_.Advance(std::chrono::hours(24 * 20));
  Find();
  EXPECT_EQ((*store_.Stat(ObjectOf(0), {}))->lease, before);
}

TEST_F(StoredPackagesTest, NamesLayersByPackages) {
  Store(0);
  EXPECT_THAT(Names(), IsEmpty());
  Store(1);
  EXPECT_THAT(Names(), IsEmpty()) << "no layer was made";
  bundle::Tree both;
  both.entries = {TreeOf(0).entries[0], TreeOf(1).entries[0]};
  const auto planned = PlanLayers({TreeOf(0), TreeOf(1)}, {"bar 2.0", "foo 1.0"}, both, kPrefix);
  ASSERT_EQ(planned.size(), 1U);
  const Digest blob = Sha256::Of("layer");
  ASSERT_TRUE(
      record::WriteStoredLayer(store_, planned[0].key, {blob, 5, Sha256::Of("tar"), 9}, {}));
  EXPECT_THAT(Names(), ElementsAre(Pair(blob, "2 small packages")));
}

}  // namespace
}  // namespace kinetic::env
