#include "job/lifecycle/outcome.h"

#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;

class OutcomeTest : public ::testing::Test {
 protected:
  record::StoredOutcome WithValueObject(std::string_view json) {
    record::StoredOutcome stored;
    stored.outcome.state = JobState::kSucceeded;
    stored.value = Sha256::Of(json);
    return stored;
  }
  void Put(const std::string& name, std::string_view bytes) {
    ASSERT_TRUE(store::Overwrite(context_.store(), name, bytes, {}));
  }

  test::FakeContext context_;
};

TEST_F(OutcomeTest, IsAbsentBeforeEnd) { EXPECT_FALSE(*ReadResult(*context_, "j", {})); }

TEST_F(OutcomeTest, VerifiesValueObject) {
  Put(record::ValueName(record::RunKey("j", 1)), "[1,2]");
  const auto outcome = WithValue(context_.store(), "j", WithValueObject("[1,2]"), {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->value.ToJson(), Value(Value::List{1, 2}).ToJson());

  const auto altered = WithValue(context_.store(), "j", WithValueObject("[1,3]"), {});
  ASSERT_FALSE(altered);
  EXPECT_EQ(altered.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(altered.error().message, HasSubstr("value.json"));
}

TEST_F(OutcomeTest, MissingValueIsDataLoss) {
  const auto outcome = WithValue(context_.store(), "j", WithValueObject("1"), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kDataLoss);
}

TEST_F(OutcomeTest, DamagedResultErrorNamesJob) {
  Put(record::ResultName("j"), "{\"version\":");
  EXPECT_FALSE(*ReadResult(*context_, "j", {})) << "it is no evidence of an end";
  const auto result = ReadIntactResult(*context_, "j", {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(result.error().message, HasSubstr("job j"));
}

TEST_F(OutcomeTest, VerifiesStoredValuesDuringRead) {
  const Digest digest = Sha256::Of("array");
  Put(record::StoredValueName(record::RunKey("j", 1), digest), "array");
  std::string read;
  const auto sink = [&](std::string_view piece) -> Status {
    read += piece;
    return {};
  };
  ASSERT_TRUE(ReadStoredValue(*context_, "j", "sha256:" + digest.Hex(), sink, {}));
  EXPECT_EQ(read, "array");
  ASSERT_TRUE(ReadStoredValue(*context_, "j", digest.Hex(), sink, {}));

  Put(record::StoredValueName(record::RunKey("j", 1), digest), "brray");
  const auto altered = ReadStoredValue(*context_, "j", digest.Hex(), sink, {});
  EXPECT_EQ(altered.error().code, ErrorCode::kDataLoss);
  const auto absent = ReadStoredValue(*context_, "j", Sha256::Of("x").Hex(), sink, {});
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  const auto none = ReadStoredValue(*context_, "j", "../record.json", sink, {});
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinetic::job
