#include "integration/kube_harness.h"
#include "kube/object.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace kinetic::test {
namespace {

using testing::HasSubstr;
using Reason = kube::LogEnd::Reason;

class KubeLogClusterTest : public KubeClusterTest {
 protected:
  void Run(const std::string& name, const std::string& program, const std::string& more = {}) {
    const Value pod = *Value::FromJson(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
        R"("},"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":0,)" + more +
        R"("containers":[{"name":"c","image":")" + TestImage("python") +
        R"(","command":["python3","-uc",)" + Value(program).ToJson() + "]}]}}");
    const auto made = client().Create(kube::kPods, name_space(), pod, {});
    ASSERT_TRUE(made) << made.error().message;
  }
  bool AwaitPhase(const std::string& pod, const std::string& phase) {
    RecordingWatch watch(client(), kube::kPods, name_space(), {},
                         {.field_selector = "metadata.name=" + pod + ",status.phase=" + phase});
    return watch.Await([&](const auto& told) {
      return std::any_of(told.begin(), told.end(),
                         [&](const auto& word) { return word.starts_with("+" + pod); });
    });
  }
  Result<kube::LogEnd> ReadLog(
      const std::string& pod, const kube::LogQuery& query,
      const std::function<void()>& on_piece = [] {}) {
    return client().ReadLog(name_space(), pod, query,
                            [&](std::string_view piece) -> Status {
                              text_ += piece;
                              on_piece();
                              return {};
                            },
                            {});
  }
  std::string text_;
};

TEST_F(KubeLogClusterTest, IsFollowedToEnd) {
  Run("p", "import time\nfor n in range(20000): print(n)\ntime.sleep(1)\nprint('end', end='')");
  ASSERT_TRUE(AwaitPhase("p", "Running"));
  const auto end = ReadLog("p", {.follow = true});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->reason, Reason::kEnded);
  std::string expected;
  for (int n = 0; n < 20000; ++n) expected += std::to_string(n) + "\n";
  EXPECT_EQ(text_, expected + "end");
  EXPECT_EQ(end->bytes, text_.size());
  text_.clear();
  ASSERT_TRUE(AwaitPhase("p", "Succeeded"));
  ASSERT_TRUE(ReadLog("p", {.container = "c"}));
  EXPECT_EQ(text_, expected + "end");
}

TEST_F(KubeLogClusterTest, ContainerThatHasNotStartedIsNotAtEnd) {
  Run("homeless", "", R"("nodeSelector":{"no":"such"},)");
  const auto homeless = ReadLog("homeless", {.follow = true});
  ASSERT_TRUE(homeless) << homeless.error().message;
  EXPECT_EQ(homeless->reason, Reason::kNotStarted);
  const Value pod = *Value::FromJson(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"imageless"},"spec":{"containers":[)"
      R"({"name":"c","image":"kinetic.test/absent:1","imagePullPolicy":"Never"}]}})");
  ASSERT_TRUE(client().Create(kube::kPods, name_space(), pod, {}));
  RecordingWatch scheduled(client(), kube::kPods, name_space(), {},
                           {.field_selector = "metadata.name=imageless,spec.nodeName=n1"});
  ASSERT_TRUE(scheduled.Await([](const auto& told) {
    return std::any_of(told.begin(), told.end(),
                       [](const auto& word) { return word.starts_with("+imageless"); });
  }));
  const auto imageless = ReadLog("imageless", {});
  ASSERT_TRUE(imageless) << imageless.error().message;
  EXPECT_EQ(imageless->reason, Reason::kNotStarted);
  // The kubelet may not know the container for a second.
  EXPECT_THAT(imageless->message,
              AnyOf(HasSubstr("is waiting to start"), HasSubstr("is not available")));
  const auto nobody = ReadLog("nobody", {});
  ASSERT_TRUE(nobody) << nobody.error().message;
  EXPECT_EQ(nobody->reason, Reason::kNotFound);
}

TEST_F(KubeLogClusterTest, MissingContainerIsReported) {
  Run("p", "import time; print('x'); time.sleep(600)");
  ASSERT_TRUE(AwaitPhase("p", "Running"));
  const auto other = ReadLog("p", {.container = "other"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument) << other.error().message;
  const auto cut = ReadLog("p", {.follow = true}, [&] { proxy().ResetConnections(); });
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->reason, Reason::kInterrupted);
  const auto silent =
      ReadLog("p", {.follow = true, .idle_timeout = std::chrono::milliseconds(1500)});
  ASSERT_TRUE(silent) << silent.error().message;
  EXPECT_EQ(silent->reason, Reason::kInterrupted);
  EXPECT_EQ(text_, "x\nx\n");
}

}  // namespace
}  // namespace kinetic::test
