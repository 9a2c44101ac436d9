#include "job/environment/provisioning_request.h"

#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A client that builds packages or an image.
class ProvisioningRequestTest : public ::testing::Test {
 protected:
  class LineCollector final : public Observer {
   public:
    void OnOutput(Phase /*phase*/, std::string_view line) override { lines.emplace_back(line); }
    std::vector<std::string> lines;
  };

  class Log final : public LogSink {
   public:
    void Write(LogLevel /*level*/, std::string_view /*room*/, std::string_view line) override {
      const std::lock_guard lock(mutex_);
      lines.emplace_back(line);
    }
    std::vector<std::string> lines;

   private:
    std::mutex mutex_;
  };

  ProvisioningRequestTest() {
    context_ = std::make_unique<test::FakeContext>();
    context_->target().is_cluster = true;
    context_->target().provision_node = [this](
                                            const backend::NodeRequest& request,
                                            const std::function<void(std::string_view)>& requested,
                                            const std::stop_token& stop) -> Status {
      images_.push_back(request.image);
      if (refused_) {
        answered_.set_value();
        return Fail(ErrorCode::kPermissionDenied, "you may not create jobs");
      }
      if (is_late_) AwaitStop(stop);
      requested("kinetic-provisioning-x");
      answered_.set_value();
      AwaitStop(stop);
      taken_back_ = true;
      return {};
    };
    (**context_).options.log = &log_;
  }

  static void AwaitStop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
  }

  JobSpec Spec() const {
    JobSpec spec;
    spec.run = Command{.shell = "true", .argv = {}};
    return spec;
  }
  void AwaitAnswer() { answered_.get_future().wait(); }
  /// Waits for background work.
  void End() { context_.reset(); }

  std::vector<std::string> images_;
  std::promise<void> answered_;
  std::atomic<bool> taken_back_ = false;
  bool refused_ = false;
  bool is_late_ = false;
  Log log_;
  LineCollector observer_;
  std::unique_ptr<test::FakeContext> context_;
};

TEST_F(ProvisioningRequestTest, RequestsOnceUntilWithdrawn) {
  const JobSpec spec = Spec();
  {
    ProvisioningRequest request(**context_, spec, observer_);
    EXPECT_FALSE(request.IsRequested());
    request.Request("python:3.12-slim");
    request.Request("python:3.12-slim");
    AwaitAnswer();
    EXPECT_TRUE(request.IsRequested());
    EXPECT_FALSE(taken_back_);
  }
  End();
  EXPECT_TRUE(taken_back_);
  EXPECT_THAT(images_, ElementsAre("python:3.12-slim"));
  EXPECT_THAT(observer_.lines, ElementsAre(HasSubstr("requested a node in parallel")));
}

TEST_F(ProvisioningRequestTest, RequestsNothingByDefault) {
  const JobSpec spec = Spec();
  {
    const ProvisioningRequest request(**context_, spec, observer_);
  }
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(ProvisioningRequestTest, RequestsNothingIfProfileDisablesIt) {
  (**context_).options.profile.kubernetes.node_ahead = false;
  const JobSpec spec = Spec();
  ProvisioningRequest(**context_, spec, observer_).Request("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(ProvisioningRequestTest, RequestsNothingForQueuedJobs) {
  JobSpec spec = Spec();
  spec.queue = "team";
  ProvisioningRequest(**context_, spec, observer_).Request("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(ProvisioningRequestTest, RequestsNothingOnTargetsWithoutNodes) {
  context_->target().is_cluster = false;
  const JobSpec spec = Spec();
  ProvisioningRequest(**context_, spec, observer_).Request("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(ProvisioningRequestTest, LogsRejectedRequest) {
  refused_ = true;
  const JobSpec spec = Spec();
  {
    ProvisioningRequest request(**context_, spec, observer_);
    request.Request("image");
    AwaitAnswer();
    EXPECT_FALSE(request.IsRequested());
  }
  End();
  EXPECT_THAT(observer_.lines, IsEmpty());
  EXPECT_THAT(log_.lines, Contains(HasSubstr("you may not create jobs")));
}

TEST_F(ProvisioningRequestTest, IgnoresLateResponse) {
  is_late_ = true;
  const JobSpec spec = Spec();
  ProvisioningRequest(**context_, spec, observer_).Request("image");
  End();
  EXPECT_THAT(observer_.lines, IsEmpty());
  EXPECT_TRUE(taken_back_);
}

}  // namespace
}  // namespace kinetic::job
