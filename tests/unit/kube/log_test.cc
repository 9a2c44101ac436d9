#include "unit/kube/scripted_client.h"

namespace kinetic::test {
namespace {

using Reason = kube::LogEnd::Reason;

class KubeLogTest : public KubeTest {
 protected:
  Result<kube::LogEnd> Read(const kube::LogQuery& query = {}) {
    return client_.ReadLog("ml", "p", query,
                           [&](std::string_view piece) -> Status {
                             text_ += piece;
                             return {};
                           },
                           {});
  }
  std::string text_;
};

TEST_F(KubeLogTest, PassesBytesOnAsTheyArrive) {
  transport_.Answer(200, std::string("a\0\xff\r\nb", 6));
  const auto end = Read({.container = "collector", .follow = true, .since_time = clock_.Now()});
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->reason, Reason::kEnded);
  EXPECT_EQ(end->bytes, 6);
  EXPECT_EQ(text_, std::string("a\0\xff\r\nb", 6));
  EXPECT_EQ(transport_.sent().at(0).url,
            "https://c/api/v1/namespaces/ml/pods/p/log?container=collector&follow=true"
            "&sinceTime=2030-01-01T00%3A00%3A00.000000Z");
}

TEST_F(KubeLogTest, DistinguishesNotStartedFromNotFound) {
  struct Case {
    int status;
    std::string body;
    Reason reason;
  };
  const std::string of_pod = R"(,"details":{"name":"p","kind":"pods"})";
  for (const Case& each :
       {Case{204, "", Reason::kNotStarted},
        Case{400,
             Refusal(400, "BadRequest",
                     R"(container "main" in pod "p" is waiting to start: ContainerCreating)"),
             Reason::kNotStarted},
        Case{400,
             Refusal(400, "BadRequest",
                     R"(container "main" in pod "p" is waiting to start: image can't be pulled)"),
             Reason::kNotStarted},
        Case{404, Refusal(404, "NotFound", R"(pods "p" not found)", of_pod), Reason::kNotFound}}) {
    transport_.Answer(each.status, each.body);
    const auto end = Read();
    ASSERT_TRUE(end) << end.error().message;
    EXPECT_EQ(end->reason, each.reason) << each.body;
    EXPECT_EQ(end->bytes, 0);
  }
}

TEST_F(KubeLogTest, RejectionIsAnError) {
  transport_.Answer(400, Refusal(400, "BadRequest", "container x is not valid for pod p"))
      .Answer(500, Refusal(500, "InternalError", "Get \"https://10.0.0.1:10250/\": refused"))
      .Fail(Reset());
  EXPECT_EQ(Read().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Read().error().code, ErrorCode::kUnavailable);
  const auto failed = Read();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "reading the log of pod p in namespace ml: connection reset");
}

TEST_F(KubeLogTest, ReportsABrokenConnection) {
  transport_.Cut("half a li", Reset());
  const auto end = Read();
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->reason, Reason::kInterrupted);
  EXPECT_EQ(end->message, "connection reset");
  EXPECT_EQ(end->bytes, 9);
}

TEST_F(KubeLogTest, EndsOnAnErrorOfTheCaller) {
  transport_.Answer(200, "x");
  const auto end = client_.ReadLog(
      "ml", "p", {}, [](std::string_view) -> Status { return Fail(ErrorCode::kAborted, "enough"); },
      {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "enough");
}

}  // namespace
}  // namespace kinetic::test
