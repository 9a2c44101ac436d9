#include "provision/plan.h"

#include "kinetic/cluster.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

using testing::HasSubstr;

constexpr const char* kMustActAs =
    R"(The user does not have access to service account "kinetic-nodes@p.iam.gserviceaccount.com".)";

struct FakeResource final : Resource {
  explicit FakeResource(std::string of_kind, bool optional = false)
      : kind(std::move(of_kind)), is_optional(optional) {}

  std::string Kind() const override { return kind; }
  std::string Name() const override { return "x"; }
  Result<Observation> Read(std::stop_token /*stop*/) override {
    return Observation{is_done ? PlanAction::kKeep : PlanAction::kCreate, ""};
  }
  std::vector<google::ApiRequest> Requests() const override { return {}; }
  bool IsOptional() const override { return is_optional; }
  Status Converge(std::stop_token /*stop*/) override {
    ++converged;
    Status done = next();
    is_done = done.has_value();
    return done;
  }
  Result<bool> IsOurs(std::stop_token /*stop*/) override { return true; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

  std::string kind;
  bool is_optional;
  std::function<Status()> next = [] { return Status{}; };
  int converged = 0;
  bool is_done = false;
};

struct Failures final : PlanObserver {
  void OnStepStarted(const PlanStep& /*step*/) override {}
  void OnStepFinished(const PlanStep& /*step*/, const Status& done) override {
    if (!done) ++count;
  }
  void OnStepWaiting(const PlanStep& /*step*/, std::string_view reason) override {
    waits_for = reason;
  }

  int count = 0;
  std::string waits_for;
};

class Apply : public testing::Test {
 protected:
  FakeResource& Add(const std::string& kind, bool is_optional = false) {
    auto resource = std::make_unique<FakeResource>(kind, is_optional);
    FakeResource& added = *resource;
    state_->resources.push_back(std::move(resource));
    state_->steps.push_back({.action = PlanAction::kCreate, .kind = kind, .name = "x"});
    return added;
  }

  Status Run() {
    state_->api.emplace(transport_, clock_);
    state_->scope.api = &*state_->api;
    state_->scope.project = "p";
    return ClusterPlan(state_).Apply(failures_);
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  std::shared_ptr<ClusterPlan::State> state_ = std::make_shared<ClusterPlan::State>();
  Failures failures_;
};

TEST_F(Apply, ReportsDeniedOptionalStepOnce) {
  FakeResource& streaming = Add("APIs", true);
  streaming.next = [] { return Fail(ErrorCode::kPermissionDenied, "denied"); };
  FakeResource& pool = Add("node pool");
  EXPECT_TRUE(Run());
  EXPECT_EQ(streaming.converged, 1);
  EXPECT_EQ(failures_.count, 1);
  EXPECT_EQ(pool.converged, 1);
}

TEST_F(Apply, FailsOnOtherErrorsOfOptionalStep) {
  Add("APIs", true).next = [] { return Fail(ErrorCode::kUnavailable, "unavailable"); };
  EXPECT_FALSE(Run());
}

TEST_F(Apply, FailsIfRequiredStepIsDenied) {
  Add("APIs").next = [] { return Fail(ErrorCode::kPermissionDenied, "denied"); };
  EXPECT_FALSE(Run());
}

/// GKE refuses an account until the caller's role applies to it.
class NewAccount : public Apply {
 protected:
  NewAccount() {
    Add("service account");
    pool_ = &Add("node pool");
    pool_->next = [this]() -> Status {
      if (pool_->converged == 3) return {};
      return Fail(ErrorCode::kInvalidArgument, kMustActAs);
    };
  }

  FakeResource* pool_ = nullptr;
};

TEST_F(NewAccount, IsAwaitedIfCallerHasRole) {
  const std::string granted =
      R"({"permissions":["iam.serviceAccounts.create","iam.serviceAccounts.actAs"]})";
  transport_.Answer(200, granted);
  transport_.Answer(200, granted);
  EXPECT_TRUE(Run());
  EXPECT_EQ(pool_->converged, 3);
  EXPECT_THAT(failures_.waits_for, HasSubstr("until you can use the service account"));
}

TEST_F(NewAccount, IsNotAwaitedWithoutRole) {
  transport_.Answer(200, R"({"permissions":["iam.serviceAccounts.create"]})");
  EXPECT_FALSE(Run());
  EXPECT_EQ(pool_->converged, 1);
}

TEST_F(NewAccount, IsNotAwaitedIfItExists) {
  state_->steps.front().action = PlanAction::kKeep;
  EXPECT_FALSE(Run());
  EXPECT_EQ(pool_->converged, 1);
}

}  // namespace
}  // namespace kinetic::provision
