#include "job/submit/shared_arrays.h"

#include "base/hash/digest.h"
#include "job/gc/garbage.h"
#include "job/submit/pipeline.h"
#include "job/summary.h"
#include "record/array_references.h"
#include "record/object_names.h"
#include "unit/job/submit_harness.h"

#include <gmock/gmock.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SharedArrays : public ::testing::Test {
 protected:
  test::FakeContext& context() { return harness_.context(); }

  Value Put(Value value) {
    auto stored = PutSharedArrays(context().store(), std::move(value), {});
    EXPECT_TRUE(stored) << stored.error();
    return stored.value_or(Value());
  }
  Value PutNumbers(double number) {
    return Put(NdArray<double>{std::vector<double>(10'000, number), {10'000}});
  }
  Result<JobSummary> Submit(const std::string& id, const Value& argument) {
    JobSpec spec = Spec(context().files() / "project");
    spec.args.named = {{"images", argument}};
    return SubmitJob(*context(), spec, {.id = id}, {});
  }
  std::vector<std::string> Stored(std::string_view prefix = record::kArrayPrefix) {
    std::vector<std::string> names;
    for (const auto& info : store::ListAll(context().store(), prefix, {}).value())
      names.push_back(info.name);
    return names;
  }
  std::string NameOf(const Value& stored) {
    return record::SharedArrayName(record::ReferredArray(stored)->digest);
  }
  std::set<std::string> Collect(const GarbageOptions& options = {}) {
    const auto report = CollectAllGarbage(*context(), options, {});
    EXPECT_TRUE(report) << report.error();
    return {report->removed.begin(), report->removed.end()};
  }

  SubmitHarness harness_;
};

TEST_F(SharedArrays, AreStoredOnceForAllJobs) {
  const Value images = PutNumbers(1);
  EXPECT_EQ(PutNumbers(1), images);
  EXPECT_THAT(Stored(), ElementsAre(NameOf(images)));
  for (const std::string id : {"a", "b"}) {
    const auto submitted = Submit(id, Value::Map{{"train", images}, {"test", images}});
    ASSERT_TRUE(submitted) << submitted.error();
    const auto record = ReadRecord(context().store(), id, {}).value().value();
    EXPECT_THAT(record.arrays, ElementsAre(record::ReferredArray(images)->digest));
    EXPECT_THAT(Stored(record::ArgumentsName(id, "")), IsEmpty());
  }
  EXPECT_THAT(Stored(), SizeIs(1));
}

TEST_F(SharedArrays, SmallValuesStayInTheArguments) {
  const Value small = Value::Map{{"rate", 0.1}, {"layers", NdArray<int>{{1, 2}, {2}}}};
  EXPECT_EQ(Put(small), small);
  EXPECT_THAT(Stored(), IsEmpty());
}

TEST_F(SharedArrays, WrongShapeIsReported) {
  const auto stored =
      PutSharedArrays(context().store(), NdArray<double>{std::vector<double>(10'000), {3}}, {});
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().message, HasSubstr("shape (3,) does not match 10000 items"));
}

TEST_F(SharedArrays, AreKeptAsLongAsAJobNeedsThem) {
  const Value needed = PutNumbers(1);
  const Value other = PutNumbers(2);
  ASSERT_TRUE(Submit("a", needed));
  context().StoreResult("a", JobState::kSucceeded);
  context().clock().Advance(std::chrono::hours(7 * 24));
  EXPECT_THAT(Collect(), IsEmpty());
  context().clock().Advance(std::chrono::hours(2 * 24));
  EXPECT_THAT(Collect(), ElementsAre(NameOf(other)));
  EXPECT_THAT(Stored(), ElementsAre(NameOf(needed)));
  const auto submitted = Submit("b", other);
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(harness_.context().target().jobs, SizeIs(1));
  EXPECT_EQ(PutNumbers(2), other);
  EXPECT_TRUE(Submit("b", other));
}

TEST_F(SharedArrays, SubmissionRenewsThem) {
  const Value images = PutNumbers(1);
  context().clock().Advance(std::chrono::hours(7 * 24));
  ASSERT_TRUE(Submit("a", images));
  context().clock().Advance(std::chrono::hours(7 * 24));
  ASSERT_TRUE(store::RemoveAllBelow(context().store(), record::JobFolder("a"), {}));
  EXPECT_THAT(Collect(), Not(Contains(NameOf(images))));
  EXPECT_THAT(Collect({.all = true}), Contains(NameOf(images)));
}

}  // namespace
}  // namespace kinetic::job
