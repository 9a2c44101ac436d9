#include "record/referenced_trees.h"

#include "base/random.h"
#include "json/document.h"
#include "record/checkpoint.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "store/folder_store.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"
#include "unit/record/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

namespace kinetic::record {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class ReferencedTreesTest : public testing::Test {
 protected:
  void Put(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(store::PutBytes(store_, name, bytes, store::Precondition::Absent(), {}));
  }

  Result<References> ReadAll() {
    const auto referrers = ListReferrers(store_, {});
    if (!referrers) return Failure(referrers.error());
    return ReadReferences(store_, *referrers, hours(24 * 30), {});
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(ReferencedTreesTest, CollectsTheTreesOfAllRecords) {
  for (const char* name : {"one", "two", "two", "three"}) {
    Record record = SampleRecord();
    record.tree = Sha256::Of(name);
    record.data["/one.csv"].tree = Sha256::Of("a file");
    if (name == std::string("three")) record.environment = {Sha256::Of("packages"), "3.12", 1, 1};
    Put(RecordName(RandomId()), ToJson(record));
  }
  Put("jobs/k-9/attempts/1/0/record.json", "not a job record");
  Put("jobs/k-9/result.json", "{}");
  const auto listed = ListReferrers(store_, {});
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->jobs.size(), 4U);
  EXPECT_EQ(listed->bytes_of_job.at("k-9"), 18U);
  const auto trees = ReadAll();
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_THAT(trees->trees, UnorderedElementsAre(Sha256::Of("one"), Sha256::Of("two"),
                                                 Sha256::Of("three"), Sha256::Of("data"),
                                                 Sha256::Of("a file"), Sha256::Of("packages")));
}

TEST_F(ReferencedTreesTest, RejectsRecordOfNewerVersion) {
  Put(RecordName("k-1"), ToJson(SampleRecord()));
  Put(RecordName("k-2"), "{\"version\": 9}");
  const auto trees = ReadAll();
  ASSERT_FALSE(trees) << "its trees are unknown, and it is not damaged";
  EXPECT_EQ(trees.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(trees.error().message, HasSubstr("jobs/k-2/record.json"));
}

TEST_F(ReferencedTreesTest, SkipsDamagedObjects) {
  Put(RecordName("k-1"), ToJson(SampleRecord()));
  const std::string huge(json::kMaxDocumentBytes + 1, ' ');
  const std::vector<std::string> damages = {"",  "{}", "[]",
                                            "?", huge, ToJson(SampleRecord()).substr(0, 100)};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    Put(RecordName("d-" + number), damages[i]);
    Put(CheckpointName("d-" + number, 1), damages[i]);
    Put(DataSetName("d-" + number), damages[i]);
  }
  const auto references = ReadAll();
  ASSERT_TRUE(references) << references.error().message;
  EXPECT_TRUE(references->trees.contains(SampleRecord().tree));
  EXPECT_EQ(references->damaged.size(), 3 * damages.size());
  for (const Error& error : references->damaged) {
    EXPECT_THAT(error.message, HasSubstr("d-")) << "names the object";
  }
}

/// The references of another user's private objects are unknown, those of garbage do not exist.
TEST_F(ReferencedTreesTest, PrivateReferrersMakeTheListingIncomplete) {
  EXPECT_TRUE(ListReferrers(store_, {})->is_complete);
  const auto hides = [](std::string_view name, std::string_view damage) {
    store::ObjectInfo info;
    info.name = name;
    info.damage = damage;
    return HidesReferences(info);
  };
  for (const char* name : {"jobs/a/", "jobs/a/record.json", "checkpoints/a/000000000001",
                           "checkpoints/a/", "data/set", "data/set/", "packages/ab", "packages/"}) {
    EXPECT_TRUE(hides(name, "permission denied")) << name;
    EXPECT_FALSE(hides(name, "its metadata is invalid")) << name;
    EXPECT_FALSE(hides(name, "")) << name;
  }
  for (const char* name : {"jobs/a/attempts/1/log", "jobs/a/attempts/", "trees/ab", "locks/ab"}) {
    EXPECT_FALSE(hides(name, "permission denied")) << name;
  }
  for (const char* name : {"jobs/", "checkpoints/", "data/"}) {
    EXPECT_TRUE(hides(name, "it is a symbolic link")) << name;
  }
}

TEST_F(ReferencedTreesTest, ListsPrivateReferrersOfAFolderStore) {
  const test::TempTree tree;
  test::FaultyFileSystem fs(
      [](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        const bool denies = operation == "opening" && path.native().ends_with("/data/private");
        return denies ? std::optional(EACCES) : std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  store::FolderStore store(tree.path(), fs, clock_);
  tree.Write("data/damaged", "?");
  EXPECT_TRUE(ListReferrers(store, {})->is_complete);
  tree.Write("data/private", "{}");
  const auto listed = ListReferrers(store, {});
  ASSERT_TRUE(listed);
  EXPECT_FALSE(listed->is_complete);
  ASSERT_EQ(listed->damaged.size(), 1U);
  EXPECT_EQ(listed->damaged[0].name, "data/private");
}

TEST_F(ReferencedTreesTest, CollectsTheTreesOfCheckpoints) {
  Checkpoint checkpoint{.id = "k-1", .sequence = 1, .created = clock_.Now()};
  for (const char* name : {"one", "two"}) {
    checkpoint.tree = Sha256::Of(name);
    Put(CheckpointName("k-1", checkpoint.sequence), ToJson(checkpoint));
    ++checkpoint.sequence;
  }
  const auto trees = ReadAll();
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_THAT(trees->trees, UnorderedElementsAre(Sha256::Of("one"), Sha256::Of("two")));
  Put(CheckpointName("k-2", 1), ToJson(checkpoint));
  const auto damaged = ReadAll();
  ASSERT_TRUE(damaged);
  ASSERT_EQ(damaged->damaged.size(), 1U) << "the checkpoint names another job";
  EXPECT_THAT(damaged->damaged[0].message, HasSubstr("checkpoints/k-2/000000000001"));
}

TEST_F(ReferencedTreesTest, PackageTreesStayForATimeAfterTheirLastUse) {
  const std::string name = PackageName(Sha256::Of("key"));
  const StoredPackage numpy{"numpy 2.1.0", Sha256::Of("numpy"), 42, 1000};
  ASSERT_TRUE(WriteStoredPackage(store_, name, numpy, {}));
  ASSERT_TRUE(store::Overwrite(store_, PackageName(Sha256::Of("damaged")), "?", {}));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(ReadAll()->trees, ElementsAre(Sha256::Of("numpy")));
  ASSERT_TRUE(ReadStoredPackage(store_, name, {}));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(ReadAll()->trees, ElementsAre(Sha256::Of("numpy")));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(ReadAll()->trees, ElementsAre());
}

}  // namespace
}  // namespace kinetic::record
