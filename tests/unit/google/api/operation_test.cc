#include "google/api/operation.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

namespace kinetic::google {
namespace {

using testing::HasSubstr;

Value Parsed(std::string_view json) { return *Value::FromJson(json); }

class OperationTest : public testing::Test {
 protected:
  Status Wait(std::string_view operation) {
    return WaitForOperation(api_, "container.googleapis.com", Parsed(operation),
                            [](const std::string& name) { return "/v1/operations/" + name; }, {});
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  ApiClient api_{transport_, clock_};
};

TEST_F(OperationTest, PollsUntilDone) {
  transport_.Answer(200, R"({"name":"op-1","status":"RUNNING"})");
  transport_.Answer(200, R"({"name":"op-1","status":"DONE"})");
  ASSERT_TRUE(Wait(R"({"name":"op-1","status":"PENDING"})"));
  EXPECT_EQ(transport_.sent().back().url, "https://container.googleapis.com/v1/operations/op-1");
}

TEST_F(OperationTest, FinishedOperationNeedsNoRequest) {
  ASSERT_TRUE(Wait(R"({"name":"operations/noop.DONE_OPERATION","done":true,"response":{}})"));
  EXPECT_TRUE(transport_.sent().empty());
}

TEST_F(OperationTest, StockOutHasTheReasonAndAHint) {
  const Status status =
      Wait(R"({"name":"op","status":"DONE","error":{"code":8,"message":"Insufficient capacity"},)"
           R"("nodepoolConditions":[{"code":"GCE_STOCKOUT","message":)"
           R"("The zone 'us-west4-a' does not have enough resources available"}]})");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(status.error().message, HasSubstr("does not have enough resources"));
  EXPECT_THAT(status.error().hint, HasSubstr("use another zone"));
}

TEST_F(OperationTest, ErrorsOfComputeEngineAreAList) {
  const Status status = Wait(
      R"({"name":"op","status":"DONE","httpErrorStatusCode":403,"httpErrorMessage":"FORBIDDEN",)"
      R"("error":{"errors":[{"code":"FORBIDDEN","message":"The network has a NAT"},)"
      R"({"code":"RESOURCE_NOT_READY"}]}})");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(status.error().message, "The network has a NAT; RESOURCE_NOT_READY");
}

TEST_F(OperationTest, ExceededQuotaSaysWhereToRequestMore) {
  const Status status = Wait(
      R"({"name":"op","status":"DONE","error":{"code":8,)"
      R"("message":"Quota 'TPU_LITE_PODSLICE_V5' exceeded. Limit: 0.0 in region us-west4."}})");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().hint, HasSubstr("console.cloud.google.com/iam-admin/quotas"));
}

TEST_F(OperationTest, OverlappingAddressesHaveAHint) {
  const Status status =
      Wait(R"({"name":"op","status":"DONE","error":{"code":3,"message":"Invalid IPCidrRange: )"
           R"(10.4.0.0/14 conflicts with existing subnetwork 'other' in region 'us-west4'."}})");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(status.error().hint, HasSubstr("use another network with --network"));
}

}  // namespace
}  // namespace kinetic::google
