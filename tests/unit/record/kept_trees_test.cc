#include "record/kept_trees.h"

#include "base/random.h"
#include "record/checkpoint.h"
#include "record/layout.h"
#include "sample.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class KeptTreesTest : public testing::Test {
 protected:
  void Put(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(store::PutBytes(store_, name, bytes, store::Precondition::Absent(), {}));
  }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(KeptTreesTest, AreThoseOfAllRecords) {
  for (const char* name : {"one", "two", "two", "three"}) {
    Record record = SampleRecord();
    record.tree = Sha256::Of(name);
    record.data["/one.csv"].tree = Sha256::Of("a file");
    if (name == std::string("three")) record.environment = {Sha256::Of("packages"), "3.12", 1, 1};
    Put(RecordName(RandomId()), ToJson(record));
  }
  Put("jobs/k-9/attempts/1/0/record.json", "not one of ours");
  Put("jobs/k-9/result.json", "{}");
  const auto trees = TreesOfJobs(store_, {}, {});
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_THAT(*trees, UnorderedElementsAre(Sha256::Of("one"), Sha256::Of("two"),
                                           Sha256::Of("three"), Sha256::Of("data"),
                                           Sha256::Of("a file"), Sha256::Of("packages")));
}

TEST_F(KeptTreesTest, ADamagedRecordIsAnError) {
  Put(RecordName("k-1"), ToJson(SampleRecord()));
  Put(RecordName("k-2"), "{\"version\": 9}");
  const auto trees = TreesOfJobs(store_, {}, {});
  ASSERT_FALSE(trees);
  EXPECT_EQ(trees.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(trees.error().message, HasSubstr("jobs/k-2/record.json"));
}

TEST_F(KeptTreesTest, CheckpointsKeepTheirs) {
  Checkpoint checkpoint{.id = "k-1", .sequence = 1, .created = clock_.Now()};
  for (const char* name : {"one", "two"}) {
    checkpoint.tree = Sha256::Of(name);
    Put(CheckpointName("k-1", checkpoint.sequence), ToJson(checkpoint));
    ++checkpoint.sequence;
  }
  const auto trees = TreesOfJobs(store_, {}, {});
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_THAT(*trees, UnorderedElementsAre(Sha256::Of("one"), Sha256::Of("two")));
  EXPECT_TRUE(TreesOfJobs(store_, {"k-1"}, {})->empty());
  Put(CheckpointName("k-2", 1), ToJson(checkpoint));
  const auto damaged = TreesOfJobs(store_, {}, {});
  ASSERT_FALSE(damaged) << "it is another job's";
  EXPECT_EQ(damaged.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(damaged.error().message, HasSubstr("checkpoints/k-2/000000000001"));
}

}  // namespace
}  // namespace kinetic::record
