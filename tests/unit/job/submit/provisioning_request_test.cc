#include "job/submit/provisioning_request.h"
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

/// Whoever has packages or an image made.
class NodeAheadTest : public ::testing::Test {
 protected:
  class Told final : public Observer {
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

  NodeAheadTest() {
    context_ = std::make_unique<test::FakeContext>();
    context_->target().far = true;
    context_->target().ask_for_node = [this](const backend::NodeRequest& wish,
                                             const std::function<void(std::string_view)>& asked,
                                             const std::stop_token& stop) -> Status {
      images_.push_back(wish.image);
      if (refused_) {
        answered_.set_value();
        return Fail(ErrorCode::kPermissionDenied, "you may not create jobs");
      }
      if (is_late_) AwaitStop(stop);
      asked("kinetic-ahead-x");
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
  /// Waits for all that goes on beside.
  void End() { context_.reset(); }

  std::vector<std::string> images_;
  std::promise<void> answered_;
  std::atomic<bool> taken_back_ = false;
  bool refused_ = false;
  bool is_late_ = false;
  Log log_;
  Told told_;
  std::unique_ptr<test::FakeContext> context_;
};

TEST_F(NodeAheadTest, IsAskedForOnceUntilItIsTakenBack) {
  const JobSpec spec = Spec();
  {
    NodeAhead ahead(**context_, spec, told_);
    EXPECT_FALSE(ahead.IsAsked());
    ahead.Ask("python:3.12-slim");
    ahead.Ask("python:3.12-slim");
    AwaitAnswer();
    EXPECT_TRUE(ahead.IsAsked());
    EXPECT_FALSE(taken_back_);
  }
  End();
  EXPECT_TRUE(taken_back_);
  EXPECT_THAT(images_, ElementsAre("python:3.12-slim"));
  EXPECT_THAT(told_.lines, ElementsAre(HasSubstr("a node is asked for meanwhile")));
}

TEST_F(NodeAheadTest, IsNotAskedForWhereNothingIsMade) {
  const JobSpec spec = Spec();
  {
    const NodeAhead ahead(**context_, spec, told_);
  }
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(NodeAheadTest, IsNotAskedForWhereTheProfileDoesNotWantThat) {
  (**context_).options.profile.kubernetes.node_ahead = false;
  const JobSpec spec = Spec();
  NodeAhead(**context_, spec, told_).Ask("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(NodeAheadTest, IsNotAskedForWhereKueueDecides) {
  JobSpec spec = Spec();
  spec.queue = "team";
  NodeAhead(**context_, spec, told_).Ask("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(NodeAheadTest, IsNotAskedForWhereThereAreNone) {
  context_->target().far = false;
  const JobSpec spec = Spec();
  NodeAhead(**context_, spec, told_).Ask("image");
  End();
  EXPECT_THAT(images_, IsEmpty());
}

TEST_F(NodeAheadTest, WhatIsRefusedIsALineInTheLog) {
  refused_ = true;
  const JobSpec spec = Spec();
  {
    NodeAhead ahead(**context_, spec, told_);
    ahead.Ask("image");
    AwaitAnswer();
    EXPECT_FALSE(ahead.IsAsked());
  }
  End();
  EXPECT_THAT(told_.lines, IsEmpty());
  EXPECT_THAT(log_.lines, Contains(HasSubstr("you may not create jobs")));
}

TEST_F(NodeAheadTest, AnAnswerThatComesTooLateIsToldToNobody) {
  is_late_ = true;
  const JobSpec spec = Spec();
  NodeAhead(**context_, spec, told_).Ask("image");
  End();
  EXPECT_THAT(told_.lines, IsEmpty());
  EXPECT_TRUE(taken_back_);
}

}  // namespace
}  // namespace kinetic::job
