#include "bundle/gc.h"

#include "record/layout.h"
#include "store/sources.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;
using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr hours kDay{24};

Digest Pack(char name) { return Sha256::Of(std::string("pack ") + name); }
Digest Tree(char name) { return Sha256::Of(std::string("tree ") + name); }

Result<TreeReferences> ReferencesOf(std::string_view object) {
  const auto bar = object.find('|');
  if (bar == std::string_view::npos) return Fail(ErrorCode::kDataLoss, "no tree");
  TreeReferences references;
  for (const char pack : object.substr(0, bar)) references.packs.push_back(Pack(pack));
  if (bar + 1 < object.size()) references.base = Tree(object[bar + 1]);
  return references;
}

class CollectTest : public testing::Test {
 protected:
  CollectTest() {
    for (const char pack : std::string("abcd")) Put(PackName(Pack(pack)), "12345");
    Put(TreeName(Tree('k')), "a|");
    Put(TreeName(Tree('b')), "b|");
    Put(TreeName(Tree('d')), "c|b");
    Put(TreeName(Tree('x')), "d|");
    Put("jobs/k-1/record.json", "{}");
    Put("packs-other", "not a pack");
  }

  void Put(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(store::PutBytes(store_, name, bytes, store::Precondition::Absent(), {}));
  }

  GarbageReport Collect(std::set<Digest> kept, bool dry_run = false) {
    ContentOptions options;
    options.dry_run = dry_run;
    const auto report = CollectContent(
        store_, ReferencesOf,
        [&](const std::stop_token&) -> Result<std::set<Digest>> { return kept; }, options, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : GarbageReport();
  }

  bool Has(const std::string& name) { return store_.Peek(name).has_value(); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(CollectTest, RemovesWhatIsOldAndNotNamed) {
  clock_.Advance(8 * kDay + hours(1));
  const auto report = Collect({Tree('d')});
  EXPECT_THAT(report.removed, UnorderedElementsAre(PackName(Pack('a')), PackName(Pack('d')),
                                                   TreeName(Tree('k')), TreeName(Tree('x'))));
  // A delta keeps its base and the base's packs.
  for (const auto& name :
       {PackName(Pack('b')), PackName(Pack('c')), TreeName(Tree('b')), TreeName(Tree('d')),
        std::string("jobs/k-1/record.json"), std::string("packs-other")}) {
    EXPECT_TRUE(Has(name)) << name;
  }
  ASSERT_EQ(report.classes.size(), 2U);
  EXPECT_EQ(report.classes[0].name, "packs");
  EXPECT_EQ(report.classes[0].removed, 2U);
  EXPECT_EQ(report.classes[0].removed_bytes, 10U);
  EXPECT_EQ(report.classes[0].kept, 2U);
  EXPECT_EQ(report.classes[0].kept_bytes, 10U);
  EXPECT_EQ(report.classes[1].name, "trees");
  EXPECT_EQ(report.classes[1].removed, 2U);
}

TEST_F(CollectTest, KeepsWhatIsYoung) {
  clock_.Advance(8 * kDay);
  EXPECT_THAT(Collect({}).removed, IsEmpty());
  EXPECT_TRUE(Has(TreeName(Tree('x'))));
}

TEST_F(CollectTest, ADryRunOnlySays) {
  clock_.Advance(40 * kDay);
  const auto before = store_.Objects();
  EXPECT_EQ(Collect({Tree('d')}, true).removed.size(), 4U);
  for (const auto& [name, info] : store_.Objects()) {
    EXPECT_EQ(info.lease, before.at(name).lease) << name;
  }
  EXPECT_EQ(store_.Objects().size(), before.size());
}

TEST_F(CollectTest, WhatIsTouchedMeanwhileStays) {
  clock_.Advance(9 * kDay);
  const auto report =
      CollectContent(store_, ReferencesOf,
                     [&](const std::stop_token&) -> Result<std::set<Digest>> {
                       EXPECT_TRUE(store_.Touch(PackName(Pack('a')), {}, {}));
                       EXPECT_TRUE(store::Overwrite(store_, TreeName(Tree('k')), "a|", {}));
                       return std::set<Digest>();
                     },
                     {}, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(Has(PackName(Pack('a'))));
  EXPECT_TRUE(Has(TreeName(Tree('k'))));
  EXPECT_FALSE(Has(TreeName(Tree('x'))));
}

TEST_F(CollectTest, ListsBeforeItMarks) {
  std::vector<std::string> order;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    order.push_back(std::string(operation) + " " + std::string(name));
    return {};
  });
  const auto report = CollectContent(store_, ReferencesOf,
                                     [&](const std::stop_token&) -> Result<std::set<Digest>> {
                                       order.emplace_back("mark");
                                       return std::set<Digest>();
                                     },
                                     {}, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(order, ElementsAre("now ", "list trees/", "list packs/", "mark"));
}

TEST_F(CollectTest, RemovesNothingWhenItCannotReadWhatIsKept) {
  clock_.Advance(9 * kDay);
  const auto unread =
      CollectContent(store_, ReferencesOf,
                     [](const std::stop_token&) -> Result<std::set<Digest>> {
                       return Fail(ErrorCode::kDataLoss, "jobs/k-1/record.json: junk");
                     },
                     {}, {});
  ASSERT_FALSE(unread);
  ASSERT_TRUE(store::Overwrite(store_, TreeName(Tree('b')), "junk", {}));
  const auto damaged = CollectContent(
      store_, ReferencesOf,
      [](const std::stop_token&) -> Result<std::set<Digest>> { return std::set{Tree('d')}; }, {},
      {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(damaged.error().message, HasSubstr(TreeName(Tree('b'))));
  EXPECT_EQ(store_.Objects().size(), 10U);
}

TEST_F(CollectTest, RenewsWhatIsKeptAndOld) {
  clock_.Advance(31 * kDay);
  Collect({Tree('d')});
  for (const auto& name :
       {PackName(Pack('b')), PackName(Pack('c')), TreeName(Tree('b')), TreeName(Tree('d'))}) {
    EXPECT_EQ(store_.Objects().at(name).lease, clock_.Now()) << name;
  }
}

TEST_F(CollectTest, AMissingKeptTreeStopsNothing) {
  store_.Drop(TreeName(Tree('k')));
  clock_.Advance(9 * kDay);
  EXPECT_EQ(Collect({Tree('k'), Tree('d')}).removed.size(), 3U);
}

}  // namespace
}  // namespace kinetic::bundle
