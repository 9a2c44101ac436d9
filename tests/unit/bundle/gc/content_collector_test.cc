#include "bundle/gc/content_removal.h"
#include "record/object_names.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/bundle/gc/named_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

namespace kinetic::bundle {
namespace {

using record::PackName;
using record::TreeName;
using std::chrono::hours;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ContentCollectorTest : public testing::Test {
 protected:
  ContentCollectorTest() {
    for (const char pack : std::string("abcd")) Put(PackName(PackNamed(pack)), "12345");
    Put(TreeName(TreeNamed('k')), "a|");
    Put(TreeName(TreeNamed('b')), "b|");
    Put(TreeName(TreeNamed('d')), "c|b");
    Put(TreeName(TreeNamed('x')), "d|");
    Put("jobs/k-1/record.json", "{}");
    Put("packs-other", "not a pack");
  }

  void Put(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(store::PutBytes(store_, name, bytes, store::Precondition::Absent(), {}));
  }

  GarbageReport Collect(std::set<Digest> kept, bool dry_run = false) {
    ContentCollectorOptions options;
    options.dry_run = dry_run;
    const auto report = CollectContent(
        store_, NamedReferencesOf,
        [&](const std::stop_token&) -> Result<std::set<Digest>> { return kept; }, options, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : GarbageReport();
  }

  bool Has(const std::string& name) { return store_.Peek(name).has_value(); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(ContentCollectorTest, RemovesOldUnreferencedContent) {
  clock_.Advance(8 * kDay + hours(1));
  const auto report = Collect({TreeNamed('d')});
  EXPECT_THAT(report.removed,
              UnorderedElementsAre(PackName(PackNamed('a')), PackName(PackNamed('d')),
                                   TreeName(TreeNamed('k')), TreeName(TreeNamed('x'))));
  // A delta needs its base and the base's packs.
  for (const auto& name : {PackName(PackNamed('b')), PackName(PackNamed('c')),
                           TreeName(TreeNamed('b')), TreeName(TreeNamed('d')),
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

TEST_F(ContentCollectorTest, KeepsYoungContent) {
  clock_.Advance(8 * kDay);
  EXPECT_THAT(Collect({}).removed, IsEmpty());
  EXPECT_TRUE(Has(TreeName(TreeNamed('x'))));
}

TEST_F(ContentCollectorTest, RemovesNothingInADryRun) {
  clock_.Advance(40 * kDay);
  const auto before = store_.Objects();
  EXPECT_EQ(Collect({TreeNamed('d')}, true).removed.size(), 4U);
  for (const auto& [name, info] : store_.Objects()) {
    EXPECT_EQ(info.lease, before.at(name).lease) << name;
  }
  EXPECT_EQ(store_.Objects().size(), before.size());
}

TEST_F(ContentCollectorTest, KeepsContentTouchedMeanwhile) {
  clock_.Advance(9 * kDay);
  const auto report =
      CollectContent(store_, NamedReferencesOf,
                     [&](const std::stop_token&) -> Result<std::set<Digest>> {
                       EXPECT_TRUE(store_.Touch(PackName(PackNamed('a')), {}, {}));
                       EXPECT_TRUE(store::Overwrite(store_, TreeName(TreeNamed('k')), "a|", {}));
                       return std::set<Digest>();
                     },
                     {}, {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(Has(PackName(PackNamed('a'))));
  EXPECT_TRUE(Has(TreeName(TreeNamed('k'))));
  EXPECT_FALSE(Has(TreeName(TreeNamed('x'))));
}

TEST_F(ContentCollectorTest, ListsBeforeItMarks) {
  std::mutex mutex;
  std::vector<std::string> order;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    const std::lock_guard lock(mutex);  // trees and packs are listed concurrently
    order.push_back(std::string(operation) + " " + std::string(name));
    return {};
  });
  const auto report = CollectContent(store_, NamedReferencesOf,
                                     [&](const std::stop_token&) -> Result<std::set<Digest>> {
                                       order.emplace_back("mark");
                                       return std::set<Digest>();
                                     },
                                     {}, {});
  ASSERT_TRUE(report);
  EXPECT_THAT(order, UnorderedElementsAre("now ", "list trees/", "list packs/", "mark"));
  EXPECT_EQ(order.front(), "now ");
  EXPECT_EQ(order.back(), "mark");
}

TEST_F(ContentCollectorTest, RemovesNothingIfALiveTreeIsUnreadable) {
  clock_.Advance(9 * kDay);
  const auto unread =
      CollectContent(store_, NamedReferencesOf,
                     [](const std::stop_token&) -> Result<std::set<Digest>> {
                       return Fail(ErrorCode::kDataLoss, "jobs/k-1/record.json: junk");
                     },
                     {}, {});
  ASSERT_FALSE(unread);
  EXPECT_EQ(store_.Objects().size(), 10U);
}

TEST_F(ContentCollectorTest, SkipsADamagedLiveTree) {
  ASSERT_TRUE(store::Overwrite(store_, TreeName(TreeNamed('b')), "junk", {}));
  std::vector<std::string> damages;
  const ContentCollectorOptions options{
      .on_damage = [&](const Error& error) { damages.push_back(error.message); }};
  const auto report = CollectContent(
      store_, NamedReferencesOf,
      [](const std::stop_token&) -> Result<std::set<Digest>> { return std::set{TreeNamed('d')}; },
      options, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(damages, ElementsAre(HasSubstr(TreeName(TreeNamed('b')))));
}

TEST_F(ContentCollectorTest, RenewsOldLiveContent) {
  clock_.Advance(31 * kDay);
  Collect({TreeNamed('d')});
  for (const auto& name : {PackName(PackNamed('b')), PackName(PackNamed('c')),
                           TreeName(TreeNamed('b')), TreeName(TreeNamed('d'))}) {
    EXPECT_EQ(store_.Objects().at(name).lease, clock_.Now()) << name;
  }
}

TEST_F(ContentCollectorTest, IgnoresAMissingLiveTree) {
  store_.Drop(TreeName(TreeNamed('k')));
  clock_.Advance(9 * kDay);
  EXPECT_EQ(Collect({TreeNamed('k'), TreeNamed('d')}).removed.size(), 3U);
}

}  // namespace
}  // namespace kinetic::bundle
