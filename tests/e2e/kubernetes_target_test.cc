#include "kinetic/explanation.h"

#include "backend/capabilities.h"
#include "backend/kubernetes/target.h"
#include "base/files/file_system.h"
#include "record/object_names.h"
#include "support/cluster.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Words = std::vector<std::string>;

/// Returns the current time plus an offset.
class OffsetClock final : public Clock {
 public:
  explicit OffsetClock(std::chrono::minutes later) : later_(later) {}
  WallTime Now() const override { return SystemClock().Now() + later_; }
  SteadyTime Steady() const override { return SystemClock().Steady() + later_; }
  Status Sleep(std::chrono::milliseconds time, std::stop_token stop) override {
    return SystemClock().Sleep(time, std::move(stop));
  }

 private:
  std::chrono::minutes later_;
};

/// The target with a real API server. The pods have no runner: the tests cover the time before one
/// would start, and pods in which none starts.
class KubernetesTargetTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    profile_.kubeconfigs = {cluster().kubeconfig()};
    profile_.name_space = name_space();
    profile_.image = TestImage("python");
    profile_.runner_image = TestImage("pause");
    profile_.runner_credentials = "none";
    target_ = Open(profile_);
    record_.id = "ab12";
    record_.owner = "ana@laptop";
    record_.nonce = std::string(32, '0');
    record_.spec.name = "train";
    record_.spec.accelerators = {*ParseAccelerator("cpu")};
    record_.spec.run = Command{.shell = "true"};
  }

  std::unique_ptr<backend::Target> Open(const ClusterProfile& profile,
                                        Clock& clock = SystemClock()) {
    auto opened = connect::OpenCluster({.kind = TargetKind::kKubernetes, .profile = profile},
                                       {.fs = PosixFileSystem(), .clock = SystemClock()}, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return backend::MakeKubernetesTarget(
        {.profile = profile, .store = "gs://bucket/k", .cloud = {}}, *std::move(opened),
        {.store = store_, .clock = clock});
  }

  Status Start() {
    return target_->Start(
        {.record = &record_, .record_digest = Sha256::Of("record"), .secrets = secrets_}, {});
  }

  /// Watches until an event satisfies `wanted`.
  backend::Observation Await(const std::function<bool(const backend::Observation&)>& wanted) {
    backend::Observation last;
    std::stop_source over;
    const std::jthread timer([&](const std::stop_token& stop) {
      (void)SystemClock().Sleep(std::chrono::seconds(60), stop);
      over.request_stop();
    });
    const auto look = [&](const backend::Observation& now) -> Status {
      last = now;
      return wanted(now) ? Fail(ErrorCode::kAborted, "seen") : Status();
    };
    const auto watched = target_->Watch("ab12", look, over.get_token());
    EXPECT_TRUE(!watched && watched.error().code == ErrorCode::kAborted)
        << "not seen; last: " << last.status.reason;
    return last;
  }

  /// The Job controller counts a pod a moment after its removal.
  std::vector<backend::AbandonedJob> SweepUntilSome() {
    for (int i = 0; i < 200; ++i) {
      const auto lost = target_->Sweep({});
      EXPECT_TRUE(lost) << lost.error().message;
      if (!lost || !lost->empty()) return lost.value_or(std::vector<backend::AbandonedJob>());
      EXPECT_TRUE(SystemClock().Sleep(std::chrono::milliseconds(50), {}));
    }
    return {};
  }

  std::string Kubectl(std::vector<std::string> words) const {
    words.push_back("--namespace=" + name_space());
    return cluster().Kubectl(words);
  }

  ClusterProfile profile_;
  MemoryStore store_{SystemClock()};
  record::Record record_;
  std::map<std::string, std::string> secrets_;
  std::unique_ptr<backend::Target> target_;
};

TEST_F(KubernetesTargetTest, CreatesAndRemovesJobWithSecret) {
  secrets_ = {{"TOKEN", "v4lue"}};
  record_.secret_names = {"TOKEN"};
  record_.spec.secrets = {"TOKEN"};
  ASSERT_TRUE(target_->Preflight({}));
  ASSERT_TRUE(Start());
  ASSERT_TRUE(Start()) << "launching what was launched changes nothing";
  EXPECT_EQ(Kubectl({"get", "secret", "kinetic-ab12", "-o",
                     "jsonpath={.metadata.ownerReferences[0].kind}"}),
            "Job");
  const auto seen = target_->Observe("ab12", {});
  ASSERT_TRUE(seen && *seen);
  EXPECT_TRUE((*seen)->alive);

  ASSERT_TRUE(target_->Remove("ab12", {}));
  ASSERT_TRUE(target_->Remove("ab12", {})) << "what is gone is removed";
  // A program that has started may store results until its pod ends.
  bool gone = false;
  for (int i = 0; i < 400 && !gone; ++i) {
    const auto observed = target_->Observe("ab12", {});
    ASSERT_TRUE(observed) << observed.error().message;
    gone = !*observed;
    ASSERT_TRUE(SystemClock().Sleep(std::chrono::milliseconds(50), {}));
  }
  EXPECT_TRUE(gone);
  EXPECT_EQ(Kubectl({"get", "jobs,secrets", "-o", "name"}), "");
}

TEST_F(KubernetesTargetTest, RemovesOldSecretWithoutJob) {
  const auto left = [&](std::chrono::minutes later, bool dry_run = false) {
    OffsetClock clock(later);
    return Open(profile_, clock)

        ->RemoveOrphans(dry_run, {})
        .value_or(Words{"error"});
  };
  const auto secrets = [&] { return Kubectl({"get", "secrets", "-o", "name"}); };
  secrets_ = {{"TOKEN", "v4lue"}};
  record_.secret_names = {"TOKEN"};
  record_.spec.secrets = {"TOKEN"};
  ASSERT_TRUE(Start());
  EXPECT_THAT(left(std::chrono::minutes(62)), SizeIs(0)) << "it is its Job's";
  Kubectl({"patch", "secret", "kinetic-ab12", "--type=merge", "-p",
           R"({"metadata":{"ownerReferences":null}})"});
  EXPECT_THAT(left(std::chrono::minutes(62)), SizeIs(0)) << "its Job is there";
  Kubectl({"delete", "job", "kinetic-ab12"});
  EXPECT_THAT(left(std::chrono::minutes(58)), SizeIs(0)) << "its Job may be on the way";
  Kubectl({"annotate", "secret", "kinetic-ab12", "--overwrite", "kinetic.dev/store=gs://other"});
  EXPECT_THAT(left(std::chrono::minutes(62)), SizeIs(0)) << "it is another store's";
  Kubectl({"annotate", "secret", "kinetic-ab12", "--overwrite", "kinetic.dev/store=gs://bucket/k"});
  const Words expected{"secret " + name_space() + "/kinetic-ab12"};
  EXPECT_EQ(left(std::chrono::minutes(62), true), expected);
  EXPECT_EQ(secrets(), "secret/kinetic-ab12\n");
  EXPECT_EQ(left(std::chrono::minutes(62)), expected);
  EXPECT_EQ(secrets(), "");
}

TEST_F(KubernetesTargetTest, RejectsForeignJobOfSameName) {
  ASSERT_TRUE(Start());
  const auto again = target_->Start(
      {.record = &record_, .record_digest = Sha256::Of("another"), .secrets = {}}, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

TEST_F(KubernetesTargetTest, ExplainsAndCancelsUnschedulableJob) {
  record_.spec.accelerators = {*ParseAccelerator("gpu-h100x8")};
  ASSERT_TRUE(Start());
  const auto waiting = Await([](const backend::Observation& now) {
    return now.status.reason.find("h100") != std::string::npos;
  });
  EXPECT_EQ(waiting.status.state, JobState::kPending);
  const auto explained = target_->Explain("ab12", {});
  ASSERT_TRUE(explained && *explained);
  EXPECT_THAT((*explained)->evidence, testing::Not(testing::IsEmpty()));

  ASSERT_TRUE(target_->Cancel("ab12", {}));
  const auto seen = target_->Observe("ab12", {});
  ASSERT_TRUE(seen && *seen);
  EXPECT_FALSE((*seen)->alive);
  const auto lost = SweepUntilSome();
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost.front().id, "ab12");
  const auto remains = target_->Collect("ab12", store_, {});
  ASSERT_TRUE(remains && remains->outcome);
  EXPECT_EQ(remains->outcome->outcome.state, JobState::kCancelled);
  EXPECT_EQ(remains->outcome->outcome.exit_code, 126);
}

TEST_F(KubernetesTargetTest, PendingTimeoutReportsCause) {
  record_.spec.accelerators = {*ParseAccelerator("gpu-h100x8")};
  record_.spec.timeouts.pending = std::chrono::seconds(3);
  ASSERT_TRUE(Start());
  const auto watched =
      target_->Watch("ab12", [](const backend::Observation&) { return Status(); }, {});
  ASSERT_TRUE(watched) << watched.error().message;
  const auto remains = target_->Collect("ab12", store_, {});
  ASSERT_TRUE(remains && remains->outcome);
  EXPECT_EQ(remains->outcome->outcome.exit_code, 121);
  EXPECT_THAT(remains->outcome->outcome.reason, HasSubstr("h100"));
}

TEST_F(KubernetesTargetTest, IgnoresJobOfAnotherStore) {
  ASSERT_TRUE(Start());
  ASSERT_TRUE(target_->Cancel("ab12", {}));
  Kubectl({"annotate", "job", "kinetic-ab12", "--overwrite", "kinetic.dev/store=gs://other"});
  const auto lost = target_->Sweep({});
  ASSERT_TRUE(lost);
  EXPECT_THAT(*lost, SizeIs(0));
}

TEST_F(KubernetesTargetTest, ReportsMissingRequirementsBeforeSubmission) {
  ClusterProfile other = profile_;
  other.service_account = "trainer";
  auto preflight = Open(other)->Preflight({});
  ASSERT_FALSE(preflight);
  EXPECT_THAT(preflight.error().message, HasSubstr("no service account trainer"));
  other.name_space = "nowhere";
  preflight = Open(other)->Preflight({});
  ASSERT_FALSE(preflight);
  EXPECT_EQ(preflight.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(preflight.error().message, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace kinetic::test
