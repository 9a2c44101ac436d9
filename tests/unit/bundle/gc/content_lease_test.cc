#include "bundle/gc/content_lease.h"

#include "kinetic/try.h"

#include "record/object_names.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"
#include "unit/bundle/gc/named_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;
using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

class ContentLeaseTest : public testing::Test {
 protected:
  ContentLease NewLease() { return {store_, NamedReferencesOf}; }

  static Status PutPack(ContentLease& lease, char pack) {
    store::BytesSource source("content");
    KINETIC_RETURN_IF_ERROR(lease.PutPack(PackNamed(pack), source, {}));
    return {};
  }

  /// Stores a tree with all its packs.
  void Store(char tree, std::string_view body) {
    auto lease = NewLease();
    for (const char pack : body.substr(0, body.find('|'))) ASSERT_TRUE(PutPack(lease, pack));
    ASSERT_TRUE(lease.PutTree(TreeNamed(tree), body, {}));
  }

  /// Returns a stored tree as in a client's cache.
  TreeObject Object(char tree) {
    const std::string name = TreeName(TreeNamed(tree));
    return {store_.Peek(name).value_or(""), store_.Objects().at(name).generation};
  }

  static ContentLease::TreeState Inspect(ContentLease& lease, char tree, const TreeObject& object) {
    const auto state = lease.Inspect(TreeNamed(tree), object, {});
    EXPECT_TRUE(state);
    return state.value_or(ContentLease::TreeState::kChanged);
  }

  hours AgeOf(const std::string& name) {
    const auto objects = store_.Objects();
    const auto found = objects.find(name);
    EXPECT_NE(found, objects.end()) << name;
    if (found == objects.end()) return hours(-1);
    return std::chrono::duration_cast<hours>(clock_.Now() - found->second.lease);
  }

  /// Records the requests from here on.
  void Record() {
    store_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
      if (operation == "now" || operation == "stored") return {};
      requests_.push_back(std::string(operation) + " " + std::string(name.substr(0, 5)));
      return {};
    });
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  std::vector<std::string> requests_;
};

TEST_F(ContentLeaseTest, ReusesAFreshTreeInOneRequest) {
  Store('t', "ab|");
  clock_.Advance(6 * kDay);
  Record();
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_TRUE(*there);
  EXPECT_THAT(requests_, ElementsAre("stat trees"));
}

TEST_F(ContentLeaseTest, ReportsAMissingTreeInOneRequest) {
  Record();
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_FALSE(*there);
  EXPECT_THAT(requests_, ElementsAre("stat trees"));
}

TEST_F(ContentLeaseTest, TouchesAStaleTreeAfterItsPacks) {
  Store('t', "a|");
  clock_.Advance(7 * kDay);
  Record();
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_TRUE(*there);
  EXPECT_THAT(requests_,
              ElementsAre("stat trees", "get trees", "stat packs", "touch packs", "touch trees"));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), hours(0));
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), hours(0));
}

TEST_F(ContentLeaseTest, ReadsAStaleTreeAgainIfItIsReplaced) {
  Store('t', "a|");
  Store('u', "b|");
  clock_.Advance(7 * kDay);
  bool replaced = false;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation != "touch" || std::exchange(replaced, true)) return {};
    return store::Overwrite(store_, TreeName(TreeNamed('t')), "b|", {});
  });
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_TRUE(*there);
  EXPECT_EQ(AgeOf(PackName(PackNamed('b'))), hours(0));
}

TEST_F(ContentLeaseTest, DoesNotReuseAStaleTreeWithoutAPack) {
  Store('t', "ab|");
  clock_.Advance(7 * kDay);
  store_.Drop(PackName(PackNamed('b')));
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_FALSE(*there);
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), 7 * kDay);
}

TEST_F(ContentLeaseTest, ReplacesADamagedStaleTree) {
  Store('t', "a|");
  ASSERT_TRUE(store::Overwrite(store_, TreeName(TreeNamed('t')), "junk", {}));
  clock_.Advance(7 * kDay);
  auto lease = NewLease();
  const auto there = lease.ReuseTree(TreeNamed('t'), {});
  ASSERT_TRUE(there);
  EXPECT_FALSE(*there);
  ASSERT_TRUE(PutPack(lease, 'a'));
  ASSERT_TRUE(lease.PutTree(TreeNamed('t'), "a|", {}));
  EXPECT_EQ(store_.Peek(TreeName(TreeNamed('t'))), "a|");
}

TEST_F(ContentLeaseTest, DoesNotReplaceATreeThatWasRenewedMeanwhile) {
  Store('t', "a|");
  clock_.Advance(7 * kDay);
  store_.Drop(PackName(PackNamed('a')));
  auto lease = NewLease();
  ASSERT_TRUE(PutPack(lease, 'b'));
  const std::string name = TreeName(TreeNamed('t'));
  int changes = 0;  // of the tree; the first one fails, because it exists
  store_.SetHook([&](std::string_view operation, std::string_view changed) -> Status {
    const bool is_change = operation == "put" || operation == "remove";
    if (!is_change || changed != name || ++changes != 2) return {};
    auto other = NewLease();
    KINETIC_RETURN_IF_ERROR(PutPack(other, 'a'));
    KINETIC_RETURN_IF_ERROR(other.Renew(TreeNamed('t'), {}));
    return {};
  });
  ASSERT_TRUE(lease.PutTree(TreeNamed('t'), "b|", {}));
  EXPECT_EQ(store_.Peek(name), "a|");
  EXPECT_EQ(AgeOf(name), hours(0));
}

TEST_F(ContentLeaseTest, TouchesAnOldPack) {
  Store('t', "a|");
  clock_.Advance(3 * kDay);
  auto young = NewLease();
  ASSERT_TRUE(PutPack(young, 'a'));
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), 3 * kDay);
  clock_.Advance(kDay);
  auto old = NewLease();
  ASSERT_TRUE(PutPack(old, 'a'));
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), hours(0));
}

TEST_F(ContentLeaseTest, TreesAreNeverFresherThanTheirPacks) {
  Store('t', "a|");
  clock_.Advance(3 * kDay);
  Store('u', "ab|");
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('u'))), 3 * kDay);
  // Regardless of the time between the two.
  auto lease = NewLease();
  ASSERT_TRUE(PutPack(lease, 'c'));
  store_.SetHook([this](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name.starts_with("trees/")) clock_.Advance(20 * kDay);
    return {};
  });
  ASSERT_TRUE(lease.PutTree(TreeNamed('v'), "c|", {}));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('v'))), 20 * kDay);
}

TEST_F(ContentLeaseTest, ConfirmsAFreshBaseInOneRequest) {
  Store('b', "abc|");
  clock_.Advance(2 * kDay);
  Record();
  auto lease = NewLease();
  const auto there = lease.ReuseBase(TreeNamed('b'), {});
  ASSERT_TRUE(there);
  EXPECT_TRUE(*there);
  ASSERT_TRUE(lease.PutTree(TreeNamed('d'), "|b", {}));
  EXPECT_THAT(requests_, ElementsAre("stat trees", "put trees"));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('d'))), 2 * kDay);
}

TEST_F(ContentLeaseTest, RenewsAStaleBaseWithItsPacks) {
  Store('b', "a|");
  clock_.Advance(5 * kDay);
  auto lease = NewLease();
  ASSERT_TRUE(lease.PutTree(TreeNamed('d'), "|b", {}));  // confirms the base
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), hours(0));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('b'))), hours(0));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('d'))), hours(0));
}

TEST_F(ContentLeaseTest, RejectsADeltaAsBase) {
  Store('b', "a|");
  Store('d', "|b");
  Store('x', "|b");
  clock_.Advance(5 * kDay);
  auto lease = NewLease();
  const auto there = lease.ReuseBase(TreeNamed('d'), {});
  ASSERT_TRUE(there);
  EXPECT_FALSE(*there);
  ASSERT_TRUE(store::Overwrite(store_, TreeName(TreeNamed('x')), "|x", {}));  // its own base
  clock_.Advance(8 * kDay);
  const auto looped = lease.ReuseTree(TreeNamed('x'), {});
  ASSERT_TRUE(looped);
  EXPECT_FALSE(*looped);
}

TEST_F(ContentLeaseTest, InspectConfirmsTheReferencesOfAFreshTree) {
  Store('b', "ab|");
  Store('d', "abc|b");
  clock_.Advance(3 * kDay);
  const TreeObject known = Object('d');
  Record();
  auto lease = NewLease();
  EXPECT_EQ(Inspect(lease, 'd', known), ContentLease::TreeState::kFresh);
  ASSERT_TRUE(lease.PutTree(TreeNamed('e'), "abc|b", {}));
  EXPECT_THAT(requests_, ElementsAre("stat trees", "put trees"));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('e'))), 3 * kDay);
}

TEST_F(ContentLeaseTest, InspectConfirmsNothingOfAStaleTree) {
  Store('b', "a|");
  clock_.Advance(4 * kDay);
  const TreeObject known = Object('b');
  auto lease = NewLease();
  EXPECT_EQ(Inspect(lease, 'b', known), ContentLease::TreeState::kStale);
  ASSERT_TRUE(lease.PutTree(TreeNamed('d'), "a|", {}));
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), hours(0));
}

TEST_F(ContentLeaseTest, InspectConfirmsNothingOfAReplacedTree) {
  Store('t', "a|");
  Store('u', "b|");
  const TreeObject known = Object('t');
  TreeObject longer = known;
  longer.body += "c";
  auto lease = NewLease();
  EXPECT_EQ(Inspect(lease, 't', longer), ContentLease::TreeState::kChanged);
  ASSERT_TRUE(store::Overwrite(store_, TreeName(TreeNamed('t')), "b|", {}));
  EXPECT_EQ(Inspect(lease, 't', known), ContentLease::TreeState::kChanged);
  store_.Drop(TreeName(TreeNamed('t')));
  EXPECT_EQ(Inspect(lease, 't', known), ContentLease::TreeState::kChanged);
  store_.Drop(PackName(PackNamed('a')));
  EXPECT_FALSE(lease.PutTree(TreeNamed('v'), "a|", {}));
}

TEST_F(ContentLeaseTest, ConfirmationsExpire) {
  Store('t', "a|");
  clock_.Advance(3 * kDay);
  auto lease = NewLease();
  EXPECT_EQ(Inspect(lease, 't', Object('t')), ContentLease::TreeState::kFresh);
  clock_.Advance(2 * kDay);
  ASSERT_TRUE(lease.PutTree(TreeNamed('u'), "a|", {}));
  EXPECT_EQ(AgeOf(PackName(PackNamed('a'))), hours(0));
}

TEST_F(ContentLeaseTest, StoresDeferredTrees) {
  auto lease = NewLease();
  ASSERT_TRUE(PutPack(lease, 'a'));
  lease.DeferTrees();
  ASSERT_TRUE(lease.PutTree(TreeNamed('t'), "a|", {}));
  ASSERT_TRUE(lease.PutTree(TreeNamed('u'), "a|", {}));
  EXPECT_FALSE(store_.Peek(TreeName(TreeNamed('t'))));
  ASSERT_TRUE(lease.PutDeferredTrees({}));
  EXPECT_EQ(store_.Peek(TreeName(TreeNamed('t'))), "a|");
  EXPECT_EQ(store_.Peek(TreeName(TreeNamed('u'))), "a|");
  ASSERT_TRUE(lease.PutTree(TreeNamed('v'), "x|", {}));
  const auto put = lease.PutDeferredTrees({});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kAborted);
}

TEST_F(ContentLeaseTest, CachesStoredTrees) {
  const test::TempTree folder;
  auto trees = std::make_shared<TreeCache>(PosixFileSystem(), clock_, folder / "trees", "here");
  ContentLease lease(store_, NamedReferencesOf, 2, trees);
  ASSERT_TRUE(PutPack(lease, 'a'));
  ASSERT_TRUE(lease.PutTree(TreeNamed('t'), "a|", {}));
  EXPECT_EQ(trees->Find(TreeNamed('t')), Object('t'));
}

TEST_F(ContentLeaseTest, RejectsATreeWithMissingReferences) {
  auto lease = NewLease();
  const auto put = lease.PutTree(TreeNamed('t'), "a|", {});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kAborted);
  EXPECT_THAT(store_.Objects(), IsEmpty());
}

TEST_F(ContentLeaseTest, KeepsACompleteTreeOfAnotherWriter) {
  Store('t', "a|");
  auto lease = NewLease();
  ASSERT_TRUE(PutPack(lease, 'b'));
  ASSERT_TRUE(lease.PutTree(TreeNamed('t'), "b|", {}));
  EXPECT_EQ(store_.Peek(TreeName(TreeNamed('t'))), "a|");
}

TEST_F(ContentLeaseTest, RenewsTreesOfASlowSubmission) {
  Store('t', "a|");
  clock_.Advance(6 * kDay);
  auto lease = NewLease();
  ASSERT_TRUE(lease.ReuseTree(TreeNamed('t'), {}));
  clock_.Advance(hours(11));
  ASSERT_TRUE(lease.RenewIfStale({}));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), 6 * kDay + hours(11));
  clock_.Advance(hours(13));
  const auto renewed = lease.RenewIfStale({});
  ASSERT_TRUE(renewed);
  EXPECT_TRUE(*renewed);
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), hours(0));
  clock_.Advance(9 * kDay);
  store_.Drop(PackName(PackNamed('a')));
  const auto gone = lease.RenewIfStale({});
  ASSERT_TRUE(gone);
  EXPECT_FALSE(*gone);
}

TEST_F(ContentLeaseTest, ConfirmsByTheExactTime) {
  Store('t', "a|");
  clock_.Advance(30 * kDay);
  store_.SetEstimate([](WallTime now) { return now - 28 * kDay; });
  auto lease = NewLease();
  ASSERT_TRUE(*lease.ReuseTree(TreeNamed('t'), {}));
  ASSERT_TRUE(*lease.RenewIfStale({}));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), 30 * kDay) << "it seems to be fresh";
  ASSERT_TRUE(*lease.Confirm({}));
  EXPECT_EQ(AgeOf(TreeName(TreeNamed('t'))), hours(0));
}

TEST_F(ContentLeaseTest, RenewsTreesWithALeaseInTheFuture) {
  Store('t', "a|");
  clock_.Advance(2 * kDay);
  auto lease = NewLease();
  ASSERT_TRUE(lease.ReuseTree(TreeNamed('t'), {}));
  clock_.Jump(-2 * kDay - hours(1));
  const auto seen = store_.Objects().at(TreeName(TreeNamed('t'))).metageneration;
  ASSERT_TRUE(lease.RenewIfStale({}));
  EXPECT_NE(store_.Objects().at(TreeName(TreeNamed('t'))).metageneration, seen);
}

}  // namespace
}  // namespace kinetic::bundle
