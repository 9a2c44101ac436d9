#include "kinetic/accelerator.h"

#include "google/api/client.h"
#include "provision/resources/all.h"
#include "provision/scope.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::provision {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRunning =
    R"({"name":"v5litepod-1","status":"RUNNING","autoscaling":{"maxNodeCount":1},)"
    R"("config":{"machineType":"ct5lp-hightpu-1t","consolidationDelay":"120s"}})";
constexpr const char* kFailed =
    R"({"name":"v5litepod-1","status":"ERROR","statusMessage":"no capacity","autoscaling":{"maxNodeCount":1},)"
    R"("config":{"machineType":"ct5lp-hightpu-1t"}})";
constexpr const char* kStopping = R"({"name":"v5litepod-1","status":"STOPPING"})";
constexpr const char* kOperation = R"({"name":"operation-1","status":"DONE"})";
constexpr const char* kGone =
    R"({"error":{"code":404,"status":"NOT_FOUND","message":"not found"}})";

/// Against the scripted responses of GKE.
class NodePool : public testing::Test {
 protected:
  void Found(const char* pool) { transport_.Answer(200, pool); }
  void Gone() { transport_.Answer(404, kGone); }
  /// A request that starts an operation which is done.
  void Performed() { transport_.Answer(200, kOperation); }

  std::unique_ptr<Resource> Desired() {
    return MakeNodePool(scope_, {.accelerator = *ParseAccelerator("v5litepod-1")});
  }

  /// Returns the methods of the requests.
  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const auto& sent : transport_.sent()) methods.push_back(sent.method);
    return methods;
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  google::ApiClient api_{transport_, clock_};
  Scope scope_{
      .api = &api_, .project = "p", .project_number = "1", .zone = "us-west4-a", .name = "kinetic"};
};

TEST_F(NodePool, FailedPoolIsReplaced) {
  const auto pool = Desired();
  Found(kFailed);
  const auto observed = pool->Read({});
  ASSERT_TRUE(observed);
  EXPECT_EQ(observed->action, PlanAction::kReplace);
  EXPECT_EQ(observed->detail, "failed (no capacity)");
  Found(kFailed);  // Converge
  Found(kFailed);  // Remove
  Performed();
  Gone();
  Performed();
  Found(kRunning);
  EXPECT_TRUE(pool->Converge({}));
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET", "GET", "DELETE", "GET", "POST", "GET"));
}

TEST_F(NodePool, PoolThatFailsAfterThePlanIsKept) {
  const auto pool = Desired();
  Found(R"({"name":"v5litepod-1","status":"RUNNING","autoscaling":{"maxNodeCount":3},)"
        R"("config":{"machineType":"ct5lp-hightpu-1t"}})");
  ASSERT_EQ(pool->Read({})->action, PlanAction::kChange);
  Found(kFailed);
  Found(kFailed);
  const Status converged = pool->Converge({});
  ASSERT_FALSE(converged);
  EXPECT_THAT(converged.error().message, HasSubstr("no capacity"));
  EXPECT_THAT(converged.error().hint, HasSubstr("--replace"));
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET", "GET"));
}

TEST_F(NodePool, NewSettingsAreOptionalForExistingPools) {
  const auto pool = Desired();
  Found(R"({"name":"v5litepod-1","status":"RUNNING","autoscaling":{"maxNodeCount":1},)"
        R"("upgradeSettings":{"maxSurge":1},"config":{"machineType":"ct5lp-hightpu-1t"}})");
  EXPECT_EQ(pool->Read({})->action, PlanAction::kChange);
  EXPECT_EQ(pool->Requests().size(), 2U);
  EXPECT_TRUE(pool->IsOptional());
  Found(R"({"name":"v5litepod-1","status":"RUNNING","autoscaling":{"maxNodeCount":3},)"
        R"("upgradeSettings":{"maxSurge":1},"config":{"machineType":"ct5lp-hightpu-1t"}})");
  EXPECT_EQ(pool->Read({})->action, PlanAction::kChange);
  EXPECT_EQ(pool->Requests().size(), 3U);
  EXPECT_FALSE(pool->IsOptional());
  Found(R"({"name":"v5litepod-1","status":"RUNNING","autoscaling":{"maxNodeCount":1},)"
        R"("upgradeSettings":{"maxUnavailable":1},)"
        R"("config":{"machineType":"ct5lp-hightpu-1t","consolidationDelay":"600s"}})");
  EXPECT_EQ(pool->Read({})->action, PlanAction::kKeep);
  EXPECT_FALSE(pool->IsOptional());
}

TEST_F(NodePool, SetsSpotGraceForSupportedVersionsOnly) {
  const auto body = [&](const std::string& version) {
    scope_.version = version;
    return MakeNodePool(scope_, {.accelerator = *ParseAccelerator("v5litepod-1"), .spot = true})
        ->Requests()
        .front()
        .body.ToJson();
  };
  EXPECT_THAT(body(""), Not(HasSubstr("shutdownGracePeriodSeconds")));
  EXPECT_THAT(body("1.35.6-gke.1308000"), Not(HasSubstr("shutdownGracePeriodSeconds")));
  EXPECT_THAT(body("1.36.3-gke.1105000"), HasSubstr("shutdownGracePeriodSeconds"));
}

TEST_F(NodePool, ReadsVersionOfNewClusterForSpotGrace) {
  const auto pool =
      MakeNodePool(scope_, {.accelerator = *ParseAccelerator("v5litepod-1"), .spot = true});
  Gone();
  transport_.Answer(200, R"({"currentMasterVersion":"1.36.3-gke.1105000"})");
  Performed();
  Found(R"({"name":"v5litepod-1-spot","status":"RUNNING","autoscaling":{"maxNodeCount":1},)"
        R"("config":{"machineType":"ct5lp-hightpu-1t","spot":true,"consolidationDelay":"120s"}})");
  EXPECT_TRUE(pool->Converge({}));
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET", "POST", "GET"));
  EXPECT_THAT(transport_.sent()[2].body, HasSubstr("shutdownGracePeriodSeconds"));
}

TEST_F(NodePool, FailedPoolIsNotResized) {
  const auto pool = MakeExistingPool(scope_, "v5litepod-1", 4);
  Found(kFailed);
  const auto observed = pool->Read({});
  ASSERT_FALSE(observed);
  EXPECT_EQ(observed.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(observed.error().message, "node pool v5litepod-1 is in state ERROR: no capacity");
}

TEST_F(NodePool, FailureOrDeletionAfterThePlanOfAResizeDeletesNothing) {
  const auto pool = MakeExistingPool(scope_, "v5litepod-1", 4);
  Found(kRunning);
  ASSERT_EQ(pool->Read({})->action, PlanAction::kChange);
  Found(kFailed);
  Found(kFailed);
  EXPECT_FALSE(pool->Converge({}));
  Gone();
  EXPECT_EQ(pool->Converge({}).error().code, ErrorCode::kAborted);
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET", "GET", "GET"));
}

TEST_F(NodePool, IsCreatedAfterItsDeletion) {
  const auto pool = Desired();
  Found(kStopping);
  const auto observed = pool->Read({});
  ASSERT_TRUE(observed);
  EXPECT_EQ(observed->action, PlanAction::kCreate);
  EXPECT_THAT(observed->detail, HasSubstr("after its deletion"));
  Found(kStopping);
  Found(kStopping);
  Gone();
  Performed();
  Found(kRunning);
  EXPECT_TRUE(pool->Converge({}));
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET", "GET", "GET", "POST", "GET"));
}

TEST_F(NodePool, DeletionWhileItIsAwaitedIsAnError) {
  const auto pool = Desired();
  Found(
      R"({"name":"v5litepod-1","status":"PROVISIONING","config":{"machineType":"ct5lp-hightpu-1t"}})");
  Found(
      R"({"name":"v5litepod-1","status":"PROVISIONING","config":{"machineType":"ct5lp-hightpu-1t"}})");
  Gone();
  const Status converged = pool->Converge({});
  ASSERT_FALSE(converged);
  EXPECT_EQ(converged.error().code, ErrorCode::kAborted);
}

TEST_F(NodePool, NameThatIsTakenElsewhereIsAnError) {
  const auto pool = Desired();
  Gone();
  transport_.Answer(409, R"({"error":{"code":409,"message":"the name is not available"}})");
  for (int polls = 0; polls < 20; ++polls) Gone();
  const Status converged = pool->Converge({});
  ASSERT_FALSE(converged);
  EXPECT_EQ(converged.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(converged.error().message, HasSubstr("the name is not available"));
}

TEST_F(NodePool, DeletionInProgressIsNotRepeated) {
  const auto pool = MakeExistingPool(scope_, "v5litepod-1", 1);
  Found(kStopping);
  Gone();
  EXPECT_TRUE(pool->Remove({}));
  EXPECT_THAT(Methods(), ElementsAre("GET", "GET"));
}

}  // namespace
}  // namespace kinetic::provision
